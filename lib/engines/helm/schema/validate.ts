import { compareBytes } from '../../../foundations/go/compare-text.ts'
import { integerOf, isList, type Value, type ValueMap } from '../../template/values/value.ts'
import { isTable } from '../read-yaml.ts'
import { firstViolation } from './first-broken.ts'
import { grouped } from './grouped.ts'
import { isMultiple } from './is-multiple.ts'
import { duplicatesOf, typeOf } from './json-equality.ts'
import type { Schema } from './schema.ts'
import { quoted, type Violation } from './violation.ts'

/** Returns the violation of a schema by a value; undefined if it is valid. Checks rules in the order of Helm's library, with its messages. */
export const validate = (schema: Schema, value: Value): Violation | undefined => {
  const outcome = new Validation(schema, value, [], { schema, id: 0, parent: undefined }, false).run()
  return 'kind' in outcome ? outcome : undefined
}

/** The schemas that led to this one. Those with the same id validate the same value. */
interface Scope {
  readonly schema: Schema
  readonly id: number
  readonly parent: Scope | undefined
}

/** Properties and items not evaluated yet, if some schema needs to know. */
interface Unevaluated {
  readonly properties: Set<string>
  readonly items: Set<number>
}

type Outcome = Violation | Unevaluated

class Validation {
  private readonly schema: Schema
  private readonly value: Value
  private readonly path: readonly string[]
  private readonly scope: Scope
  private readonly unevaluated: Unevaluated
  private readonly found: Violation[] = []

  constructor(schema: Schema, value: Value, path: readonly string[], scope: Scope, isRequested: boolean) {
    this.schema = schema
    this.value = value
    this.path = path
    this.scope = scope
    this.unevaluated = unevaluatedOf(schema, value, isRequested)
  }

  run(): Outcome {
    const { schema, value } = this
    if (schema.bool !== undefined) return schema.bool ? this.unevaluated : this.rule('false schema')
    if (this.isInCycle()) return this.rule('reference cycle')
    const alone = firstViolation(schema, value)
    if (alone !== undefined) return this.rule(alone)
    if (schema.ref) {
      const problem = this.reference(schema.ref)
      if (schema.version < 2019) return problem ?? this.unevaluated
      this.add(problem)
    }
    if (isTable(value)) this.checkObject(value)
    else if (isList(value)) this.checkList(value)
    else if (typeof value === 'string') this.checkText(value)
    else if (typeOf(value) === 'number') this.checkNumber(Number(integerOf(value) ?? value))
    if (schema.version >= 2019) this.checkDynamicReferences()
    this.checkConditions()
    if (schema.version >= 2019) this.checkUnevaluated(value)
    if (this.found.length === 0) return this.unevaluated
    if (this.found.length === 1) return this.found[0]!
    return { kind: 'group', message: 'validation failed', path: this.path, causes: this.found }
  }

  private isInCycle(): boolean {
    for (let scope = this.scope.parent; scope?.id === this.scope.id; scope = scope.parent)
      if (scope.schema === this.scope.schema) return true
    return false
  }

  private checkObject(object: ValueMap): void {
    const { schema } = this
    if (schema.minProperties !== undefined && object.size < schema.minProperties)
      this.break(`minProperties: got ${grouped(object.size)}, want ${grouped(schema.minProperties)}`)
    if (schema.maxProperties !== undefined && object.size > schema.maxProperties)
      this.break(`maxProperties: got ${grouped(object.size)}, want ${grouped(schema.maxProperties)}`)
    const missing = missingOf(object, schema.required)
    if (missing.length > 0) this.break(`missing ${missing.length === 1 ? 'property' : 'properties'} ${listed(missing)}`)
    for (const [name, dependency] of schema.dependencies ?? []) {
      if (!object.has(name)) continue
      if ('location' in dependency) this.add(this.same(dependency))
      else this.requireTogether(object, name, dependency)
    }
    this.checkProperties(object)
    if (schema.version === 4) return
    for (const name of schema.propertyNames ? object.keys() : []) {
      const problem = new Validation(schema.propertyNames!, name, [], rootScope(schema.propertyNames!), false).run()
      if ('kind' in problem) {
        const causes = problem.kind === 'group' ? problem.causes : [problem]
        this.found.push({ kind: 'rule', message: `invalid propertyName ${quoted(name)}`, path: [], causes })
      }
    }
    for (const [name, dependent] of schema.dependentSchemas ?? []) if (object.has(name)) this.add(this.same(dependent))
    for (const [name, required] of schema.dependentRequired ?? [])
      if (object.has(name)) this.requireTogether(object, name, required)
  }

  private requireTogether(object: ValueMap, name: string, required: readonly string[]): void {
    const missing = missingOf(object, required)
    if (missing.length > 0) this.break(`properties ${listed(missing)} required, if ${quoted(name)} exists`)
  }

  private checkProperties(object: ValueMap): void {
    const { properties, patternProperties = [], additionalProperties } = this.schema
    const additional: string[] = []
    for (const [name, value] of object) {
      const own = properties?.get(name)
      const fitting = patternProperties.filter(({ pattern }) => pattern.matches(name))
      if (own) this.add(this.inside(own, value, name))
      for (const { schema } of fitting) this.add(this.inside(schema, value, name))
      let isEvaluated = own !== undefined || fitting.length > 0
      if (!isEvaluated && additionalProperties !== undefined) {
        isEvaluated = true
        if (additionalProperties === false) additional.push(name)
        else if (additionalProperties !== true) this.add(this.inside(additionalProperties, value, name))
      }
      if (isEvaluated) this.unevaluated.properties.delete(name)
    }
    if (additional.length > 0) this.break(`additional properties ${listed(additional)} not allowed`)
  }

  private checkList(list: readonly Value[]): void {
    const { schema } = this
    if (schema.minItems !== undefined && list.length < schema.minItems)
      this.break(`minItems: got ${grouped(list.length)}, want ${grouped(schema.minItems)}`)
    if (schema.maxItems !== undefined && list.length > schema.maxItems)
      this.break(`maxItems: got ${grouped(list.length)}, want ${grouped(schema.maxItems)}`)
    const twins = schema.uniqueItems ? duplicatesOf(list) : undefined
    if (twins) this.break(`items at ${grouped(twins[0])} and ${grouped(twins[1])} are equal`)
    this.checkItems(list)
    if (schema.contains) this.checkContains(list, schema.contains)
  }

  private checkItems(list: readonly Value[]): void {
    const { prefixItems = [], items, additionalItems } = this.schema
    const first = Math.min(prefixItems.length, list.length)
    for (let i = 0; i < first; i++) this.add(this.inside(prefixItems[i]!, list[i], String(i)))
    const rest = list.slice(first)
    if (additionalItems === false) {
      if (rest.length > 0) this.break(`last ${grouped(rest.length)} additionalItem(s) not allowed`)
      return
    }
    const schema = items ?? (additionalItems === true ? undefined : additionalItems)
    if (schema) for (const [i, item] of rest.entries()) this.add(this.inside(schema, item, String(first + i)))
  }

  private checkContains(list: readonly Value[], contains: Schema): void {
    const { version, minContains, maxContains } = this.schema
    const matched: number[] = []
    const causes: Violation[] = []
    for (const [i, item] of list.entries()) {
      const problem = this.inside(contains, item, String(i))
      if (problem) causes.push(problem)
      else {
        matched.push(i)
        if (version >= 2020) this.unevaluated.items.delete(i)
      }
    }
    const shown = matched.join(' ')
    if (minContains !== undefined) {
      if (matched.length < minContains)
        this.break(
          matched.length === 0
            ? `min ${minContains} items required to match contains schema, but none matched`
            : `min ${minContains} items required to match contains schema, but matched ${matched.length} items at ${shown}`,
          causes,
        )
    } else if (matched.length === 0) this.break('no items match contains schema', causes)
    if (maxContains !== undefined && matched.length > maxContains)
      this.break(
        `max ${maxContains} items required to match contains schema, but matched ${matched.length} items at ${shown}`,
      )
  }

  private checkText(text: string): void {
    const { minLength, maxLength, pattern } = this.schema
    const length = minLength === undefined && maxLength === undefined ? 0 : [...text].length
    if (minLength !== undefined && length < minLength)
      this.break(`minLength: got ${grouped(length)}, want ${grouped(minLength)}`)
    if (maxLength !== undefined && length > maxLength)
      this.break(`maxLength: got ${grouped(length)}, want ${grouped(maxLength)}`)
    if (pattern && !pattern.matches(text))
      this.break(`${quoted(text)} does not match pattern ${quoted(pattern.source)}`)
  }

  private checkNumber(number: number): void {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = this.schema
    const bound = (name: string, want: number | undefined, holds: (want: number) => boolean) => {
      if (want !== undefined && !holds(want)) this.break(`${name}: got ${grouped(number)}, want ${grouped(want)}`)
    }
    bound('minimum', minimum, want => number >= want)
    bound('maximum', maximum, want => number <= want)
    bound('exclusiveMinimum', exclusiveMinimum, want => number > want)
    bound('exclusiveMaximum', exclusiveMaximum, want => number < want)
    bound('multipleOf', multipleOf, want => isMultiple(number, want))
  }

  private checkDynamicReferences(): void {
    const { recursiveRef, dynamicRef } = this.schema
    if (recursiveRef)
      this.add(
        this.reference(
          recursiveRef.recursiveAnchor
            ? this.outermost(({ resource }) => (resource.recursiveAnchor ? resource : undefined), recursiveRef)
            : recursiveRef,
        ),
      )
    if (!dynamicRef) return
    const { target, anchor } = dynamicRef
    const isDynamic = anchor !== '' && target.dynamicAnchor === anchor
    this.add(
      this.reference(
        isDynamic ? this.outermost(({ resource }) => resource.dynamicAnchors?.get(anchor), target) : target,
      ),
    )
  }

  private outermost(find: (schema: Schema) => Schema | undefined, fallback: Schema): Schema {
    let found = fallback
    for (let scope: Scope | undefined = this.scope; scope; scope = scope.parent) found = find(scope.schema) ?? found
    return found
  }

  private checkConditions(): void {
    const { schema } = this
    if (schema.not && !this.same(schema.not)) this.break("'not' failed")
    if (schema.allOf) {
      const causes = schema.allOf.flatMap(part => this.same(part) ?? [])
      if (causes.length > 0) this.break("'allOf' failed", causes)
    }
    if (schema.anyOf) this.checkAnyOf(schema.anyOf)
    if (schema.oneOf) this.checkOneOf(schema.oneOf)
    if (!schema.if) return
    const branch = this.same(schema.if) ? schema.else : schema.then
    if (branch) this.add(this.same(branch))
  }

  private checkAnyOf(parts: readonly Schema[]): void {
    const causes: Violation[] = []
    let isMatched = false
    for (const part of parts) {
      const problem = this.same(part)
      if (problem) causes.push(problem)
      else {
        isMatched = true
        if (this.isEvaluated) break
      }
    }
    if (!isMatched) this.break("'anyOf' failed", causes)
  }

  private checkOneOf(parts: readonly Schema[]): void {
    const causes: Violation[] = []
    let matched = -1
    for (const [i, part] of parts.entries()) {
      const problem = this.same(part)
      if (problem) {
        if (matched < 0) causes.push(problem)
      } else if (matched < 0) matched = i
      else {
        this.break(`'oneOf' failed, subschemas ${matched}, ${i} matched`)
        return
      }
    }
    if (matched < 0) this.break("'oneOf' failed, none matched", causes)
  }

  private checkUnevaluated(value: Value): void {
    const { unevaluatedProperties, unevaluatedItems } = this.schema
    const { properties, items } = this.unevaluated
    if (isTable(value) && unevaluatedProperties) {
      for (const name of [...properties].sort(compareBytes))
        this.add(this.inside(unevaluatedProperties, value.get(name), name))
      properties.clear()
    }
    if (isList(value) && unevaluatedItems) {
      for (const i of items) this.add(this.inside(unevaluatedItems, value[i], String(i)))
      items.clear()
    }
  }

  private get isEvaluated(): boolean {
    return this.unevaluated.properties.size === 0 && this.unevaluated.items.size === 0
  }

  private reference(schema: Schema): Violation | undefined {
    const problem = this.same(schema)
    if (!problem) return undefined
    const causes = problem.kind === 'group' ? problem.causes : [problem]
    return { kind: 'reference', message: 'validation failed', path: this.path, causes }
  }

  /** Validates the same value against another schema; what it evaluates counts as evaluated here. */
  private same(schema: Schema): Violation | undefined {
    const scope = { schema, id: this.scope.id, parent: this.scope }
    const outcome = new Validation(schema, this.value, this.path, scope, !this.isEvaluated).run()
    if ('kind' in outcome) return outcome
    const { properties, items } = this.unevaluated
    for (const name of properties) if (!outcome.properties.has(name)) properties.delete(name)
    for (const i of items) if (!outcome.items.has(i)) items.delete(i)
    return undefined
  }

  /** Validates a part of this value. */
  private inside(schema: Schema, value: Value, token: string): Violation | undefined {
    const scope = { schema, id: this.scope.id + 1, parent: this.scope }
    const outcome = new Validation(schema, value, [...this.path, token], scope, false).run()
    return 'kind' in outcome ? outcome : undefined
  }

  private rule(message: string, causes: readonly Violation[] = []): Violation {
    return { kind: 'rule', message, path: this.path, causes }
  }

  private break(message: string, causes?: readonly Violation[]): void {
    this.found.push(this.rule(message, causes))
  }

  private add(violation: Violation | undefined): void {
    if (violation) this.found.push(violation)
  }
}

const rootScope = (schema: Schema): Scope => ({ schema, id: 0, parent: undefined })

const unevaluatedOf = (schema: Schema, value: Value, isRequested: boolean): Unevaluated => {
  const { additionalProperties, unevaluatedProperties, unevaluatedItems, items, additionalItems, prefixItems } = schema
  const properties = new Set<string>()
  const open = new Set<number>()
  if (isTable(value) && additionalProperties === undefined && (isRequested || unevaluatedProperties))
    for (const name of value.keys()) properties.add(name)
  if (isList(value) && items === undefined && additionalItems === undefined && (isRequested || unevaluatedItems))
    for (let i = prefixItems?.length ?? 0; i < value.length; i++) open.add(i)
  return { properties, items: open }
}

const missingOf = (object: ValueMap, required: readonly string[] = []): string[] =>
  required.filter(name => !object.has(name))

const listed = (names: readonly string[]): string => names.map(quoted).join(', ')
