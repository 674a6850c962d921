import type { Value } from '../../template/values/value.ts'
import type { DraftVersion } from './drafts.ts'

export type JsonType = 'null' | 'boolean' | 'number' | 'integer' | 'string' | 'array' | 'object'

export interface Pattern {
  readonly source: string
  matches(text: string): boolean
}

export interface Format {
  readonly name: string
  /** The problem with a text; undefined if it is valid. */
  problemOf(text: string): string | undefined
}

/** A compiled schema, whose references are schemas. Filled during compilation, since schemas may contain themselves. */
export interface Schema {
  /** Its URL with a JSON pointer. */
  readonly location: string
  version: DraftVersion
  /** The enclosing schema with an id. */
  resource: Schema
  /** Of a resource: the possible targets of `$dynamicRef`. */
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

  /** Schemas of the first items, one for each. */
  prefixItems?: readonly Schema[]
  /** The schema of the remaining items. */
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
