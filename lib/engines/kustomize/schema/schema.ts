import type { JsonObject } from '../../yaml/json-value.ts'

/** The facts about kinds that a build needs: their scope, and how their lists are merged. */
export interface Schema {
  /** True only for kinds that are known to be cluster-scoped. */
  isClusterScoped(apiVersion: string, kind: string): boolean
  /** undefined for unknown kinds: their lists are replaced as a whole. */
  typeOf(apiVersion: string, kind: string): TypeSchema | undefined
  /** The type described by an OpenAPI schema in a document's comment. */
  described(schema: JsonObject): TypeSchema | undefined
}

export interface TypeSchema {
  field(name: string): TypeSchema | undefined
  elements(): TypeSchema | undefined
  /** A list that patches merge into, by these keys of its elements; without keys, elements are plain values. undefined: replaced. */
  readonly mergeKeys: readonly string[] | undefined
}
