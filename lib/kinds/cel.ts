/** Checks `x-kubernetes-validations`: rules in CEL, over the value they stand at (`self`) and the one before (`oldSelf`). */
import { Environment } from '@marcbachmann/cel-js'
import { deepest } from './depth.ts'
import type { FieldError, FieldErrorReason } from './field-error.ts'
import { invalid, ruleBroken } from './field-error.ts'
import type { StructuralSchema, ValidationRule } from './schema.ts'

/** Errors of all rules of a schema and below. `value` must be valid otherwise; `old` is undefined for a new object. */
export const checkRules = (schema: StructuralSchema, value: unknown, old?: unknown, path = ''): FieldError[] =>
  hasRules(schema) ? checkValue(schema, value, old, path, 0) : []

const checkValue = (
  schema: StructuralSchema,
  value: unknown,
  old: unknown,
  path: string,
  depth: number,
): FieldError[] => {
  if (depth > deepest || !hasRules(schema)) return []
  const rules = schema['x-kubernetes-validations'] ?? []
  return [
    ...rules.flatMap(rule => checkRule(rule, schema, value, old, path)),
    ...partsOf(schema, value, path).flatMap(part =>
      checkValue(part.schema, part.value, part.before(old), part.path, depth + 1),
    ),
  ]
}

interface Part {
  readonly schema: StructuralSchema
  readonly value: unknown
  readonly path: string
  before(old: unknown): unknown
}

const partsOf = (schema: StructuralSchema, value: unknown, path: string): Part[] => {
  const { properties = {}, additionalProperties, items } = schema
  if (Array.isArray(value))
    // Items have no identity in a list that isn't associative, so no rule may compare them with what was before.
    return items
      ? value.map((item, index) => ({ schema: items, value: item, path: `${path}[${index}]`, before: () => undefined }))
      : []
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (typeof known !== 'object') return []
    const before = (old: unknown) => (isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined)
    return [{ schema: known, value: item, path: path ? `${path}.${name}` : name, before }]
  })
}

const checkRule = (
  rule: ValidationRule,
  schema: StructuralSchema,
  value: unknown,
  old: unknown,
  path: string,
): FieldError[] => {
  const { holds, comparesWithOld, message } = compiled(rule)
  if (comparesWithOld && old === undefined && !rule.optionalOldSelf) return []
  const variables = { self: asCel(schema, value), oldSelf: old === undefined ? null : asCel(schema, old) }
  const field = `${path || '<nil>'}${rule.fieldPath ?? ''}`
  try {
    if (holds(variables)) return []
  } catch (error) {
    return [wrongValue(field, value, `${describeFailure(error)} evaluating rule: ${rule.message ?? rule.rule}`)]
  }
  return [ruleBroken((rule.reason as FieldErrorReason) ?? 'FieldValueInvalid', field, message(variables))]
}

/** A value that a rule can't be evaluated for. Objects and lists are not shown. */
const wrongValue = (field: string, value: unknown, detail: string): FieldError => {
  if (typeof value !== 'object' || value === null) return invalid(field, value, detail)
  return invalid(field, Array.isArray(value) ? 'array' : 'object', detail)
}

/** In CEL's words, as Kubernetes has them: without the picture of the expression that the library adds. */
const describeFailure = (error: unknown): string => {
  const [line = ''] = (error as Error).message.split('\n')
  return line.replace(/^No such key/, 'no such key')
}

// ---- expressions ----

interface CompiledRule {
  holds(variables: Variables): boolean
  readonly comparesWithOld: boolean
  message(variables: Variables): string
}

interface Variables {
  readonly self: unknown
  readonly oldSelf: unknown
}

const environment = new Environment({
  homogeneousAggregateLiterals: false,
  limits: { maxAstNodes: 2_000, maxDepth: 50 },
})
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')

/** Compiled rules, for as long as their schema lives. */
const rules = new WeakMap<ValidationRule, CompiledRule>()

const compiled = (rule: ValidationRule): CompiledRule => {
  let known = rules.get(rule)
  if (!known) {
    known = compile(rule)
    rules.set(rule, known)
  }
  return known
}

const compile = (rule: ValidationRule): CompiledRule => {
  const parsed = parse(rule.rule)
  const expression = rule.messageExpression ? parse(rule.messageExpression) : undefined
  const fallback = rule.message ?? `failed rule: ${rule.rule}`
  return {
    holds: variables => parsed(variables) === true,
    comparesWithOld: /\boldSelf\b/.test(rule.rule),
    message: variables => {
      try {
        const message = expression?.(variables)
        return typeof message === 'string' && message.trim() !== '' ? message : fallback
      } catch {
        return fallback
      }
    },
  }
}

/** Fails when an expression is malformed, or could take exponential time: its regular expressions backtrack. */
const parse = (expression: string) => {
  if (/\bmatches\s*\(/.test(expression)) throw new Error(`a rule may not use matches(): ${expression}`)
  return environment.parse(expression)
}

/** As CEL knows values: whole numbers as bigint, and objects without a prototype. */
const asCel = (schema: StructuralSchema, value: unknown): unknown => {
  if (typeof value === 'number') return schema.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(item => asCel(schema.items ?? {}, item))
  if (!isObject(value)) return value
  const { properties = {}, additionalProperties } = schema
  const object: Record<string, unknown> = Object.create(null)
  for (const [name, item] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    object[name] = asCel(typeof known === 'object' ? known : {}, item)
  }
  return object
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// ---- where rules are ----

const schemasWithRules = new WeakMap<StructuralSchema, boolean>()

/** Whether there are rules here or below, so that the rest of an object need not be walked. */
const hasRules = (schema: StructuralSchema): boolean => {
  const known = schemasWithRules.get(schema)
  if (known !== undefined) return known
  const { properties = {}, additionalProperties, items } = schema
  const below = [...Object.values(properties), additionalProperties, items]
  const found =
    (schema['x-kubernetes-validations'] ?? []).length > 0 ||
    below.some(part => typeof part === 'object' && hasRules(part))
  schemasWithRules.set(schema, found)
  return found
}
