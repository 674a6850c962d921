import type { Budget } from '../../../foundations/budget/budget.ts'
import type { HelmOptions } from '../generators/helm.ts'
import type { ErrorPlace } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'
import type { Origin } from '../origin.ts'
import type { Resource, ResourceChange } from '../resource.ts'
import type { ResourceMap } from '../resource-map.ts'
import type { Schema } from '../schema/schema.ts'

/** A step over all accumulated resources of a kustomization. */
export interface Transformer {
  /** Recorded in annotations if the kustomization requests it. */
  readonly origin?: Origin
  /** What requested the step, for errors. */
  readonly place?: ErrorPlace
  run(map: ResourceMap): void | Promise<void>
}

/** Generates resources. */
export interface Generator {
  readonly origin?: Origin
  readonly place?: ErrorPlace
  generate(): readonly Resource[] | Promise<readonly Resource[]>
}

/** The environment in which a step is set up. */
export interface PluginEnvironment {
  readonly loader: Loader
  readonly schema: Schema
  readonly budget: Budget
  /** Path of the file that requests the step. */
  readonly file: string
  /** Renders charts, if that is enabled. */
  readonly helm?: HelmOptions | undefined
}

/** Makes a change of single resources skippable by a memory (BuildMemory.step). */
export type MakeStep = (key: unknown, change: ResourceChange) => ResourceChange

export interface TransformerEnvironment extends PluginEnvironment {
  readonly step: MakeStep
  /** Reads resources, or takes them from memory (BuildMemory.resources). */
  readonly read: (key: unknown, read: () => Resource[]) => Resource[]
}
