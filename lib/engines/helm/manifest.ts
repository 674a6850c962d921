import type { ManifestHead } from './manifest-head.ts'

/** A document rendered from a template. */
export interface Manifest {
  /** Path of the template, starting at the root chart. */
  readonly path: string
  readonly kind: string
  readonly head: ManifestHead
  readonly content: string
}
