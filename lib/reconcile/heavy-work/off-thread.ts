import { CelError } from '../../engines/cel/cel-error.ts'
import type { Data } from '../../engines/cel/expression.ts'
import type { HealthExpressions, HealthStatus } from '../../engines/cel/health-expressions.ts'
import type { FileSystem } from '../../engines/kustomize/file-system.ts'
import type { Helm } from '../../engines/kustomize/generators/helm.ts'
import type { PluginRequest } from '../../engines/kustomize/plugins/exec/plugin-runner.ts'
import type { RemoteTarget } from '../../engines/kustomize/remote-target.ts'
import { RemoteStatusError } from '../../engines/kustomize/remotes.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import { openWith } from '../../engines/sops/data-key.ts'
import type { MasterKey, MasterKeyType } from '../../engines/sops/master-key.ts'
import type { Limits } from '../../foundations/budget/budget.ts'
import type { KustomizationSpec } from '../../foundations/kinds/kustomization.ts'
import type { InputSet, ResourceSetSpec } from '../../foundations/kinds/resource-set.ts'
import type { OffThread, OffThreadOptions, OffThreadTask } from '../../platform/ports/off-thread.ts'
import type { Manifest, Rendered } from '../kustomization/build/build-cache.ts'
import type { RenderPorts } from '../kustomization/build/render-folder.ts'
import type { Decryptor } from '../kustomization/decryption/decryptor.ts'
import type { KustomizationSettings } from '../kustomization/settings.ts'

/*
 * Runs heavy work on another thread, where `tasks.ts` does it. Source trees and downloads stay on this thread, which handles the requests of the other one.
 */

export interface BuildInput {
  readonly folder: string
  readonly spec: KustomizationSpec
  readonly settings: BuildSettings
  /** The requests that the other thread may make. */
  readonly hasRemotes: boolean
  readonly hasPlugins: boolean
  readonly hasCharts: boolean
  readonly decryption?: { readonly keyTypes: readonly MasterKeyType[]; readonly verifyMac: boolean } | undefined
}

type BuildSettings = Pick<KustomizationSettings, 'noRemoteBases' | 'pluginGroups' | 'buildLimits'>

export interface SubstituteInput {
  readonly manifests: readonly Manifest[]
  readonly variables: ReadonlyMap<string, string>
  readonly strict: boolean
  readonly limits: Limits
}

export interface ExpandInput {
  readonly spec: ResourceSetSpec
  readonly inputs: readonly InputSet[]
  readonly limits: Limits
  /** Milliseconds since the epoch. */
  readonly now: number
}

export interface EvaluateInput {
  readonly text: string
  readonly data: Data
  readonly limits: Limits
}

export interface HealthInput {
  readonly expressions: HealthExpressions
  readonly object: Data
  readonly limits: Limits
}

/** The result of an evaluation, or the fields of its CelError. */
export type Evaluated<T> =
  | { readonly value: T }
  | { readonly celError: Pick<CelError, 'stage' | 'message' | 'messageWithoutValues'> }

const resultOf = <T>(evaluated: Evaluated<T>): T => {
  if ('value' in evaluated) return evaluated.value
  const { stage, message, messageWithoutValues } = evaluated.celError
  throw new CelError(stage, message, undefined, messageWithoutValues)
}

/** A server's refusal, which kustomize distinguishes from other failures. */
export interface Refusal {
  readonly status: number
  readonly statusText: string
}

const orRefusal = (error: unknown): Refusal => {
  if (!(error instanceof RemoteStatusError)) throw error
  return { status: error.status, statusText: error.statusText }
}

interface BuildSource extends Pick<BuildInput, 'folder' | 'spec'> {
  readonly files: FileSystem
  readonly settings: BuildSettings
}

interface BuildPorts extends Pick<RenderPorts, 'remotes' | 'plugins'> {
  /** Downloads charts; the thread renders them. */
  readonly helm?: Pick<Helm, 'pull'> | undefined
  readonly decryptor?: Decryptor | undefined
}

/** Like `renderSource`. Keys stay on this thread: the other thread requests each data key. */
export const buildOffThread = (
  thread: OffThread,
  { files, folder, spec, settings: { noRemoteBases, pluginGroups, buildLimits } }: BuildSource,
  { remotes, plugins, helm, decryptor }: BuildPorts,
  options: OffThreadOptions,
): Promise<Rendered> => {
  const trees = [files]
  const known = (tree: number): FileSystem => trees[tree]!
  const { services, verifyMac = false } = decryptor?.options ?? {}
  const input: BuildInput = {
    ...{ folder, spec, settings: { noRemoteBases, pluginGroups, buildLimits } },
    hasRemotes: remotes !== undefined,
    hasPlugins: plugins !== undefined,
    hasCharts: helm !== undefined,
    decryption: services && { keyTypes: Object.keys(services) as MasterKeyType[], verifyMac },
  }
  const task: OffThreadTask = {
    name: 'build',
    input,
    syncCalls: {
      read: (tree: number, path: string) => known(tree).read(path),
      list: (tree: number, path: string) => known(tree).list(path),
      ...(plugins && { locate: (path: string) => plugins.locate(path) }),
    },
    asyncCalls: {
      ...(remotes && {
        file: (url: string) => remotes.file(url).catch(orRefusal),
        repository: async (target: RemoteTarget) => trees.push(await remotes.repository(target)) - 1,
      }),
      ...(helm && { pullChart: helm.pull }),
      ...(plugins && { runPlugin: (request: PluginRequest) => plugins.run(request) }),
      ...(services && { openKey: (key: MasterKey) => openWith(services, key, options.signal) }),
    },
  }
  return thread.run(task, options) as Promise<Rendered>
}

/** Like `substituteAll`: the variables of one build. */
export const substituteOffThread = (
  thread: OffThread,
  input: SubstituteInput,
  options: OffThreadOptions,
): Promise<readonly Manifest[]> => thread.run({ name: 'substitute', input }, options) as Promise<readonly Manifest[]>

/**
 * Like `render` of a ResourceSet: the objects of its steps; `now` is the clock of its templates, in milliseconds since
 * the epoch.
 */
export const expandOffThread = (
  thread: OffThread,
  input: ExpandInput,
  options: OffThreadOptions,
): Promise<readonly RenderedStep[]> =>
  thread.run({ name: 'expand', input }, options) as Promise<readonly RenderedStep[]>

/** A CEL expression over data: throws CelError, as on this thread. */
export const evaluateOffThread = async (
  thread: OffThread,
  input: EvaluateInput,
  options: OffThreadOptions,
): Promise<boolean> => resultOf((await thread.run({ name: 'evaluate', input }, options)) as Evaluated<boolean>)

/** The health of an object by CEL expressions: throws CelError, as on this thread. */
export const evaluateHealthOffThread = async (
  thread: OffThread,
  input: HealthInput,
  options: OffThreadOptions,
): Promise<HealthStatus> => resultOf((await thread.run({ name: 'judge', input }, options)) as Evaluated<HealthStatus>)
