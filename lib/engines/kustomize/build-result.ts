import type { JsonObject } from '../yaml/json-value.ts'
import type { FileRead } from './read-log.ts'
import type { ResourceOrigin } from './resource.ts'

/** An object of the output. Builds with the same cache share it: it must not be modified. */
export interface BuiltResource {
  /** The object as the API server reads it. */
  readonly object: JsonObject
  /** The object as kustomize prints it. Created on first use. */
  readonly yaml: string
  readonly origin: ResourceOrigin
}

export interface BuildResult {
  readonly resources: readonly BuiltResource[]
  /** Every file of the tree that the result depends on, sorted by path. */
  readonly filesRead: readonly FileRead[]
  /** Deprecated fields and the like, worded as in kustomize. */
  readonly warnings: readonly string[]
}
