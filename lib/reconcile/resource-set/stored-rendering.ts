import type { RenderedStep } from '../../engines/resource-set/render.ts'
import type { ResourceSetSpec } from '../../foundations/kinds/resource-set.ts'
import type { SealedBuilds } from '../kept-builds/sealed-builds.ts'

/** What a ResourceSet has applied: objects at their place, with its labels and the data that they copied. */
export interface StoredRendering {
  /** How they were applied: in which steps, and whether to wait for them. */
  readonly spec: ResourceSetSpec
  readonly steps: readonly RenderedStep[]
  /** The number of input sets that they were rendered with. */
  readonly inputs: number
}

export type RenderingStore = SealedBuilds<StoredRendering>
