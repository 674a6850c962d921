import type { JsonObject } from '../../yaml/json-value.ts'

/** What a build must know of kinds: whether they have namespaces, and how their lists are merged. */
export interface Schema {
  /** True only for kinds that are known to have no namespace. */
  isClusterScoped(apiVersion: string, kind: string): boolean
  /** undefined for unknown kinds: their lists are replaced as a whole. */
  typeOf(apiVersion: string, kind: string): TypeSchema | undefined
  /** The type that a piece of OpenAPI describes, as comments in documents may have it. */
  described(schema: JsonObject): TypeSchema | undefined
}

export interface TypeSchema {
  field(name: string): TypeSchema | undefined
  elements(): TypeSchema | undefined
  /** A list that patches merge into, by these keys of its elements; no keys: elements are plain values. undefined: replaced. */
  readonly mergeKeys: readonly string[] | undefined
}
