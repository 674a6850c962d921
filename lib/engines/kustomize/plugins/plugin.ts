import type { Budget } from '../../../foundations/budget/budget.ts'
import type { HelmOptions } from '../generators/helm.ts'
import type { ErrorPlace } from '../kustomize-error.ts'
import type { Loader } from '../loader.ts'
import type { Origin } from '../origin.ts'
import type { Change, Resource } from '../resource.ts'
import type { ResourceMap } from '../resource-map.ts'
import type { Schema } from '../schema/schema.ts'

/** A step over all resources that a kustomization has gathered. */
export interface Transformer {
  /** Told in annotations when the kustomization asks for it. */
  readonly origin?: Origin
  /** Who asks for it: where to look when it fails. */
  readonly place?: ErrorPlace
  run(map: ResourceMap): void | Promise<void>
}

/** Makes resources. */
export interface Generator {
  readonly origin?: Origin
  readonly place?: ErrorPlace
  generate(): readonly Resource[] | Promise<readonly Resource[]>
}

/** What a step gets to be set up with. */
export interface PluginEnvironment {
  readonly loader: Loader
  readonly schema: Schema
  readonly budget: Budget
  /** Path of the file that asks for the step. */
  readonly file: string
  /** Who renders charts, when they may be rendered. */
  readonly helm?: HelmOptions | undefined
}

/** Makes a change of single resources one that a memory may spare (BuildMemory.step). */
export type MakeStep = (key: unknown, change: Change) => Change

export interface TransformerEnvironment extends PluginEnvironment {
  readonly step: MakeStep
  /** Reads resources, or remembers them (BuildMemory.resources). */
  readonly read: (key: unknown, read: () => Resource[]) => Resource[]
}
