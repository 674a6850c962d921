import type { JsonObject } from '../yaml/json-value.ts'
import type { FileRead } from './read-log.ts'
import type { ResourceOrigin } from './resource.ts'

/** An object of the output. Builds with one cache share it: it may not be changed. */
export interface BuiltResource {
  /** The object as the API server will read it. */
  readonly object: JsonObject
  /** The object as kustomize prints it. Written when first asked for. */
  readonly yaml: string
  readonly origin: ResourceOrigin
}

export interface BuildResult {
  readonly resources: readonly BuiltResource[]
  /** Every file of the tree that the result depends on, sorted by path. */
  readonly filesRead: readonly FileRead[]
  /** Deprecated fields and the like, in kustomize's words. */
  readonly warnings: readonly string[]
}
