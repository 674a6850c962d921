/**
 * Structural schemas (the OpenAPI v3 subset of CustomResourceDefinitions) with the TypeScript type they describe,
 * so that one declaration gives validation, defaults, OpenAPI and the static type. User-defined kinds bring the same
 * schemas as plain JSON, hence one validator serves both.
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
declare const omissible: unique symbol

/** A schema whose valid values are of type T. The marker exists for the type checker only. */
export type Schema<T> = StructuralSchema & { readonly [described]?: T }
/** A property that may be left out. */
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

type Constraints = Omit<StructuralSchema, 'type' | 'properties' | 'required' | 'items'>

const optionals = new WeakSet<object>()

/** Marks a property as one that may be left out. */
export const optional = <T>(schema: Schema<T>): Optional<T> => {
  const copy = { ...schema }
  optionals.add(copy)
  return copy
}

export const object = <P extends Properties>(properties: P, constraints: Constraints = {}): Schema<Shape<P>> => {
  const required = Object.keys(properties).filter(name => !optionals.has(properties[name] as object))
  return {
    ...constraints,
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
  }
}

export const list = <T>(items: Schema<T>, constraints: Constraints = {}): Schema<readonly T[]> => ({
  ...constraints,
  type: 'array',
  items,
})

export const map = <T>(values: Schema<T>, constraints: Constraints = {}): Schema<Readonly<Record<string, T>>> => ({
  ...constraints,
  type: 'object',
  additionalProperties: values,
})

export const text = (constraints: Constraints = {}): Schema<string> => ({
  ...constraints,
  type: 'string',
})

export const oneOf = <const V extends readonly string[]>(
  values: V,
  constraints: Constraints = {},
): Schema<V[number]> => ({
  ...constraints,
  type: 'string',
  enum: values,
})

export const integer = (constraints: Constraints = {}): Schema<number> => ({
  ...constraints,
  type: 'integer',
})

export const flag = (constraints: Constraints = {}): Schema<boolean> => ({
  ...constraints,
  type: 'boolean',
})

/** Any JSON object, kept as it is. */
export const anyObject = (constraints: Constraints = {}): Schema<Readonly<Record<string, unknown>>> => ({
  ...constraints,
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true,
})
