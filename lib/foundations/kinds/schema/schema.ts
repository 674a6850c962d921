/**
 * Structural schemas (the OpenAPI v3 subset of CustomResourceDefinitions) with the TypeScript type that they describe, so that one
 * declaration provides validation, defaults, OpenAPI and the static type. User-defined kinds have the same schemas as plain JSON, so one
 * validator serves both.
 */
export interface StructuralSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  readonly description?: string
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: StructuralSchema | boolean
  readonly items?: StructuralSchema
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: boolean
  readonly exclusiveMaximum?: boolean
  readonly multipleOf?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly minProperties?: number
  readonly maxProperties?: number
  readonly nullable?: boolean
  readonly allOf?: readonly StructuralSchema[]
  readonly anyOf?: readonly StructuralSchema[]
  readonly oneOf?: readonly StructuralSchema[]
  readonly not?: StructuralSchema
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean
  readonly 'x-kubernetes-int-or-string'?: boolean
  readonly 'x-kubernetes-embedded-resource'?: boolean
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  readonly 'x-kubernetes-list-map-keys'?: readonly string[]
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular'
  readonly 'x-kubernetes-patch-merge-key'?: string
  readonly 'x-kubernetes-patch-strategy'?: string
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** A CEL rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string
  readonly message?: string
  readonly messageExpression?: string
  readonly reason?: string
  readonly fieldPath?: string
  readonly optionalOldSelf?: boolean
}

declare const described: unique symbol
const omissible: unique symbol = Symbol('omissible')

/** A schema whose valid values are of type T. The marker exists only for the type checker. */
export type Schema<T> = StructuralSchema & { readonly [described]?: T }
/** An optional property. */
export type Optional<T> = Schema<T> & { readonly [omissible]?: true }
export type TypeOf<S> = S extends { readonly [described]?: infer T } ? T : never

type Properties = Readonly<Record<string, StructuralSchema>>
type OmissibleKeys<P> = {
  [K in keyof P]: typeof omissible extends keyof P[K] ? K : never
}[keyof P]
type Shape<P> = {
  readonly [K in Exclude<keyof P, OmissibleKeys<P>>]: TypeOf<P[K]>
} & {
  readonly [K in OmissibleKeys<P>]?: TypeOf<P[K]>
} extends infer O
  ? { [K in keyof O]: O[K] }
  : never

type Constraints = Omit<StructuralSchema, 'type' | 'description' | 'properties' | 'required' | 'items'>

/** Marks a property as optional: all others of an `object` are required. */
export const optional = <T>(schema: Schema<T>): Optional<T> =>
  Object.defineProperty({ ...schema }, omissible, { value: true })

const isOptional = (schema: StructuralSchema): boolean => omissible in schema

/** The same schema with another description, for a shape that is used in several places. */
export const withDescription = <T>(description: string, schema: Schema<T>): Schema<T> => ({ ...schema, description })

/**
 * An object with exactly these properties: those that aren't `optional` are required, and an API server prunes unknown
 * ones. Its TypeScript type follows (`TypeOf`).
 */
export const object = <P extends Properties>(
  description: string,
  properties: P,
  constraints: Constraints = {},
): Schema<Shape<P>> => {
  const required = Object.keys(properties).filter(name => !isOptional(properties[name]!))
  return { type: 'object', description, ...constraints, properties, ...(required.length > 0 && { required }) }
}

/**
 * An array whose items have one schema. `constraints` say more: `maxItems`, or how server-side apply merges it
 * (`x-kubernetes-list-type`; atomic if it is absent).
 */
export const list = <T>(
  description: string,
  items: Schema<T>,
  constraints: Constraints = {},
): Schema<readonly T[]> => ({ type: 'array', description, ...constraints, items })

/** An object with arbitrary keys and values of one schema. */
export const map = <T>(
  description: string,
  values: Schema<T>,
  constraints: Constraints = {},
): Schema<Readonly<Record<string, T>>> => ({
  type: 'object',
  description,
  ...constraints,
  additionalProperties: values,
})

/** A string. `constraints` say more: `pattern`, `format`, `default`, or lengths in characters. */
export const text = (description: string, constraints: Constraints = {}): Schema<string> => ({
  type: 'string',
  description,
  ...constraints,
})

/** A string out of a closed list. Its TypeScript type is the union of the values. */
export const oneOf = <const V extends readonly string[]>(
  description: string,
  values: V,
  constraints: Constraints = {},
): Schema<V[number]> => ({ type: 'string', description, ...constraints, enum: values })

/** A whole number. `constraints` say more: `format` (`int32`, `int64`), `minimum`, `maximum`. */
export const integer = (description: string, constraints: Constraints = {}): Schema<number> => ({
  type: 'integer',
  description,
  ...constraints,
})

/** A boolean. */
export const flag = (description: string, constraints: Constraints = {}): Schema<boolean> => ({
  type: 'boolean',
  description,
  ...constraints,
})

/** Any JSON object, stored as it is. */
export const anyObject = (
  description: string,
  constraints: Constraints = {},
): Schema<Readonly<Record<string, unknown>>> => ({
  type: 'object',
  description,
  ...constraints,
  'x-kubernetes-preserve-unknown-fields': true,
})
