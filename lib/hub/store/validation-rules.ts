/** Evaluates `x-kubernetes-validations`: CEL rules over the value at their position (`self`) and the previous one (`oldSelf`). */

import { CelError, CostLimitExceeded } from '../../engines/cel/cel-error.ts'
import type { Meter } from '../../engines/cel/evaluator.ts'
import { expression } from '../../engines/cel/expression.ts'
import type { Value } from '../../engines/cel/values.ts'
import { isObject } from '../../foundations/kinds/json-object.ts'
import { maxDepth } from '../../foundations/kinds/schema/depth.ts'
import type { FieldError, FieldErrorReason } from '../../foundations/kinds/schema/field-error.ts'
import { invalid, ruleBroken } from '../../foundations/kinds/schema/field-error.ts'
import { hasRules } from '../../foundations/kinds/schema/has-rules.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { StructuralSchema, ValidationRule } from '../../foundations/kinds/schema/schema.ts'
import type { CheckRules } from '../../foundations/kinds/schema/validate.ts'

/** The errors of all rules of a schema and below. `value` must be valid otherwise; `old` is undefined for a new object. */
export const checkRules: CheckRules = (schema, value, old, path = '') =>
  hasRules(schema) ? checkValue(schema, value, old, path, 0, { left: limits.object }) : []

/** Cost limits: for one evaluation of a rule, and for an object in total. */
const limits = { rule: 1_000_000, object: 10_000_000 }

/** The remaining cost of an object's rules; below 0, no further rule is evaluated. */
interface Budget {
  left: number
}

const checkValue = (
  schema: StructuralSchema,
  value: unknown,
  old: unknown,
  path: string,
  depth: number,
  budget: Budget,
): FieldError[] => {
  if (depth > maxDepth || budget.left < 0 || !hasRules(schema)) return []
  const rules = schema['x-kubernetes-validations'] ?? []
  return [
    ...rules.flatMap(rule => checkRule(rule, schema, value, old, path, budget)),
    ...partsOf(schema, value, path).flatMap(part =>
      checkValue(part.schema, part.value, part.before(old), part.path, depth + 1, budget),
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
    return items && hasRules(items)
      ? value.map((item, index) => ({
          schema: items,
          value: item,
          path: `${path}[${index}]`,
          before: itemBefore(schema, item),
        }))
      : []
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([name, item]) => {
    const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    if (typeof known !== 'object' || !hasRules(known)) return []
    const before = (old: unknown) => (isObject(old) && Object.hasOwn(old, name) ? old[name] : undefined)
    return [{ schema: known, value: item, path: path ? `${path}.${name}` : name, before }]
  })
}

/** Items only have an identity in lists of type map: elsewhere no rule may compare them with earlier ones. */
const itemBefore =
  (schema: StructuralSchema, item: unknown) =>
  (old: unknown): unknown => {
    const keys = schema['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []
    if (keys.length === 0 || !Array.isArray(old) || !isObject(item)) return undefined
    return old.find(candidate => isObject(candidate) && keys.every(key => isSameJson(candidate[key], item[key])))
  }

const checkRule = (
  rule: ValidationRule,
  schema: StructuralSchema,
  value: unknown,
  old: unknown,
  path: string,
  budget: Budget,
): FieldError[] => {
  if (budget.left < 0) return []
  const place = path || '<nil>'
  const field = `${place}${rule.fieldPath ?? ''}`
  const meter = { limit: limits.rule, used: 0 }
  try {
    const { holds, comparesWithOld, message } = compiled(rule)
    if (comparesWithOld && old === undefined && !rule.optionalOldSelf) return []
    // An error that existed before in an unchanged value is ignored.
    if (!comparesWithOld && old !== undefined && isSameJson(value, old)) return []
    const variables = { self: asCel(schema, value), oldSelf: old === undefined ? null : asCel(schema, old) }
    const isKept = holds(variables, meter)
    budget.left -= meter.used
    if (budget.left < 0) return [outOfBudget(place, schema)]
    if (isKept) return []
    return [ruleBroken((rule.reason as FieldErrorReason) ?? 'FieldValueInvalid', field, message(variables))]
  } catch (error) {
    if (error instanceof CostLimitExceeded) {
      const isOut = meter.used > budget.left
      budget.left = -1
      const why = `'${error.message}': no further validation rules will be run due to call cost exceeds limit for rule: ${(rule.message || rule.rule).trim()}`
      return [isOut ? outOfBudget(place, schema) : invalid(place, schema.type ?? '', why)]
    }
    if (!(error instanceof CelError)) throw error
    budget.left -= meter.used
    return [wrongValue(field, value, `${describeFailure(error)} evaluating rule: ${rule.message ?? rule.rule}`)]
  }
}

const outOfBudget = (place: string, { type }: StructuralSchema): FieldError =>
  invalid(
    place,
    type ?? '',
    'validation failed due to running out of cost budget, no further validation rules will be run',
  )

/** A value for which a rule can't be evaluated. Objects and lists are not shown. */
const wrongValue = (field: string, value: unknown, detail: string): FieldError => {
  if (typeof value !== 'object' || value === null) return invalid(field, value, detail)
  return invalid(field, Array.isArray(value) ? 'array' : 'object', detail)
}

/** The CEL error alone, without the evaluator's prefix. */
const describeFailure = ({ cause, message }: CelError): string => (cause instanceof CelError ? cause.message : message)

// ---- expressions ----

interface CompiledRule {
  holds(variables: Variables, meter: Meter): boolean
  readonly comparesWithOld: boolean
  message(variables: Variables): string
}

type Variables = Readonly<Record<'self' | 'oldSelf', Value>>

/** Compiled rules, for the lifetime of their schema. */
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
  const condition = expression(rule.rule)
  const customMessage = rule.messageExpression ? expression(rule.messageExpression) : undefined
  const fallback = rule.message ?? `failed rule: ${rule.rule}`
  return {
    holds: (variables, meter) => condition.evaluateBoolean(variables, { meter }),
    comparesWithOld: comparesWithOld(rule.rule),
    message: variables => {
      try {
        const message = customMessage?.evaluate(variables, { meter: { limit: limits.rule, used: 0 } })
        return typeof message === 'string' && message.trim() !== '' ? message : fallback
      } catch (error) {
        if (error instanceof CelError || error instanceof CostLimitExceeded) return fallback
        throw error
      }
    },
  }
}

/** Whether a rule is about a change, and therefore does not apply to new values. */
export const comparesWithOld = (rule: string): boolean => /\boldSelf\b/.test(rule)

/** The error in the text of a rule; undefined if it is valid. */
export const ruleProblem = (rule: string): string | undefined => {
  try {
    expression(rule)
    return undefined
  } catch (error) {
    if (error instanceof CelError) return error.message
    throw error
  }
}

/** Converts to CEL values: numbers according to the schema, and objects to maps. */
const asCel = (schema: StructuralSchema, value: unknown): Value => {
  if (typeof value === 'number') return schema.type !== 'number' && Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(item => asCel(schema.items ?? {}, item))
  if (!isObject(value)) return (value ?? null) as Value
  const { properties = {}, additionalProperties } = schema
  return new Map(
    Object.entries(value).map(([name, item]) => {
      const known = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
      return [name, asCel(typeof known === 'object' ? known : {}, item)]
    }),
  )
}
