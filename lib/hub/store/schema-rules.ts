/** Checks the CEL rules of a schema in their place when a kind is defined, with Kubernetes' messages. */
import { CelError } from '../../engines/cel/cel-error.ts'
import { estimatedCost } from '../../engines/cel/cost/estimate.ts'
import { maxRequestBytes, shapeOf } from '../../engines/cel/cost/shape.ts'
import { parse } from '../../engines/cel/syntax.ts'
import { maxDepth } from '../../foundations/kinds/schema/depth.ts'
import type { FieldError } from '../../foundations/kinds/schema/field-error.ts'
import { forbidden, invalid } from '../../foundations/kinds/schema/field-error.ts'
import { hasRules } from '../../foundations/kinds/schema/has-rules.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import { comparesWithOld } from './validation-rules.ts'

/** Cost limits for one rule, and for all rules of a schema, for the largest object that fits in a request. */
const limits = { rule: 10_000_000, schema: 100_000_000 }
/** When the schema's limit is exceeded, the four costliest rules above this share are reported. */
const namedFrom = limits.schema / 100
const named = 4

interface Cost {
  readonly what: 'rule' | 'messageExpression'
  readonly field: string
  readonly cost: number
}

/** `isUnchanged`: the schema is stored already, so its rules are no longer refused for their cost. */
export const ruleErrors = (schema: StructuralSchema, field: string, isUnchanged: boolean): FieldError[] => {
  const places = placesIn({ schema, field, count: 1, isRoot: true }, 0)
  return [...costErrors(places.flatMap(costsAt), field, isUnchanged), ...places.flatMap(comparisonErrors)]
}

const costErrors = (costs: readonly Cost[], field: string, isUnchanged: boolean): FieldError[] => {
  const total = costs.reduce((sum, { cost }) => sum + cost, 0)
  const tooMuch = costs.filter(({ cost }) => cost > limits.rule && !isUnchanged)
  const errors = tooMuch.map(({ what, field: at, cost }) =>
    forbidden(at, exceeded(`estimated ${what} cost`, cost / limits.rule)),
  )
  if (total <= limits.schema) return errors
  const costliest = costs.filter(({ cost }) => cost >= namedFrom).sort((a, b) => b.cost - a.cost)
  const contributed = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema'
  const all = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema'
  return [
    ...errors,
    ...costliest.slice(0, named).map(({ field: at }) => forbidden(at, contributed)),
    forbidden(field, exceeded(all, total / limits.schema)),
  ]
}

const exceeded = (what: string, factor: number): string => {
  const times = factor > 100 ? 'more than 100' : factor.toFixed(factor < 1.5 ? 6 : 1)
  return `${what} exceeds budget by factor of ${times}x (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)`
}

/** A schema with rules, here or below. */
interface Place {
  readonly schema: StructuralSchema
  readonly field: string
  /** Maximum number of such values in an object; undefined if unlimited. */
  readonly count: number | undefined
  readonly isRoot: boolean
  /** The list above whose items can't be correlated with earlier ones. */
  readonly unrelated?: string
}

const placesIn = (place: Place, depth: number): Place[] => {
  const { schema, field, count, unrelated } = place
  if (depth > maxDepth || !hasRules(schema)) return []
  const { properties = {}, additionalProperties, items } = schema
  const factor = childrenOf(schema)
  const below = (part: StructuralSchema, at: string, list?: string) =>
    placesIn(
      {
        schema: part,
        field: at,
        count: count === undefined || factor === undefined ? undefined : count * factor,
        isRoot: false,
        ...((unrelated ?? list) && { unrelated: unrelated ?? list }),
      },
      depth + 1,
    )
  const list = schema['x-kubernetes-list-type'] === 'map' ? undefined : field
  return [
    place,
    ...Object.entries(properties).flatMap(([name, part]) => below(part, `${field}.properties[${name}]`)),
    ...(typeof additionalProperties === 'object' ? below(additionalProperties, `${field}.additionalProperties`) : []),
    ...(items ? below(items, `${field}.items`, list) : []),
  ]
}

const childrenOf = ({ type, additionalProperties, maxProperties, maxItems }: StructuralSchema): number | undefined => {
  if (type === 'array') return maxItems
  return type === 'object' && additionalProperties ? maxProperties : 1
}

const rulesOf = ({ schema, field }: Place) =>
  (schema['x-kubernetes-validations'] ?? []).map((rule, index) => ({
    ...rule,
    at: `${field}.x-kubernetes-validations[${index}]`,
  }))

const costsAt = (place: Place): Cost[] => {
  const { schema, count, isRoot } = place
  const rules = rulesOf(place)
  const self = rules.length > 0 && shapeOf(schema, isRoot || schema['x-kubernetes-embedded-resource'])
  if (!self) return []
  // If there are many such values, each has a comma.
  const often = count ?? Math.floor(maxRequestBytes / (self.min + 1))
  const cost = (text: string) => ifReadable(() => estimatedCost(parse(text), self))
  return rules.flatMap(({ rule, messageExpression, at }) => [
    { what: 'rule', field: `${at}.rule`, cost: cost(rule) * often } as const,
    ...(messageExpression
      ? [{ what: 'messageExpression', field: `${at}.messageExpression`, cost: cost(messageExpression) } as const]
      : []),
  ])
}

const comparisonErrors = (place: Place): FieldError[] =>
  rulesOf(place).flatMap(({ rule, optionalOldSelf, at }) => {
    if (!comparesWithOld(rule))
      return optionalOldSelf === undefined
        ? []
        : [invalid(`${at}.optionalOldSelf`, optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
    const { unrelated } = place
    return unrelated === undefined
      ? []
      : [
          invalid(
            `${at}.rule`,
            rule,
            `oldSelf cannot be used on the uncorrelatable portion of the schema within ${unrelated}`,
          ),
        ]
  })

/** Rules that can't be parsed are reported elsewhere. */
const ifReadable = (cost: () => number): number => {
  try {
    return cost()
  } catch (error) {
    if (error instanceof CelError) return 0
    throw error
  }
}
