import type { Value } from '../../template/values/value.ts'
import type { DraftVersion } from './drafts.ts'

export type JsonType = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object'

export interface Pattern {
  readonly source: string
  matches(text: string): boolean
}

export interface Format {
  readonly name: string
  /** What is wrong with the text; undefined if it is valid. */
  problemOf(text: string): string | undefined
}

/** A schema ready to validate with: references are schemas. Filled while it is compiled, since schemas may hold themselves. */
export interface Schema {
  /** Its URL with a JSON pointer. */
  readonly location: string
  version: DraftVersion
  /** The schema with an id that it stands in. */
  resource: Schema
  /** Of a resource: what `$dynamicRef` may lead to. */
  dynamicAnchors?: Map<string, Schema>
  recursiveAnchor?: boolean
  dynamicAnchor?: string
  bool?: boolean

  types?: readonly JsonType[]
  enum?: readonly Value[]
  const?: { readonly value: Value }
  format?: Format

  ref?: Schema
  recursiveRef?: Schema
  dynamicRef?: { readonly target: Schema; readonly anchor: string }
  allOf?: readonly Schema[]
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  not?: Schema
  if?: Schema
  then?: Schema
  else?: Schema

  properties?: ReadonlyMap<string, Schema>
  patternProperties?: readonly { readonly pattern: Pattern; readonly schema: Schema }[]
  additionalProperties?: Schema | boolean
  propertyNames?: Schema
  required?: readonly string[]
  dependencies?: ReadonlyMap<string, Schema | readonly string[]>
  dependentSchemas?: ReadonlyMap<string, Schema>
  dependentRequired?: ReadonlyMap<string, readonly string[]>
  unevaluatedProperties?: Schema
  minProperties?: number
  maxProperties?: number

  /** Items from the first on, each by its own schema. */
  prefixItems?: readonly Schema[]
  /** The items behind those. */
  items?: Schema
  additionalItems?: Schema | boolean
  contains?: Schema
  minContains?: number
  maxContains?: number
  uniqueItems?: boolean
  unevaluatedItems?: Schema
  minItems?: number
  maxItems?: number

  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  multipleOf?: number
  minLength?: number
  maxLength?: number
  pattern?: Pattern
}
