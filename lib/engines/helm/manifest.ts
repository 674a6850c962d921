import type { ManifestHead } from './manifest-head.ts'

/** A document that a template made. */
export interface Manifest {
  /** The template, by its path below the root chart. */
  readonly path: string
  readonly kind: string
  readonly head: ManifestHead
  readonly content: string
}
