import type { Limits } from '../../budget/budget.ts'
import type { KustomizationSpec } from '../../kinds/kustomization.ts'
import type { InputSet, ResourceSetSpec } from '../../kinds/resource-set.ts'
import type { FileSystem } from '../../kustomize/file-system.ts'
import type { RemoteTarget } from '../../kustomize/remote-target.ts'
import { RemoteStatusError, type Remotes } from '../../kustomize/remotes.ts'
import type { OffThread, OffThreadOptions } from '../../ports/off-thread.ts'
import type { RenderedStep } from '../../resource-set/render.ts'
import type { Manifest, Rendered } from '../kustomization/build/build-cache.ts'

/*
 * How reconcilers give work to a thread of its own; `tasks.ts` is the other end. Trees and what is fetched stay here, and are asked for.
 */

export interface BuildInput {
  readonly folder: string
  readonly spec: KustomizationSpec
  readonly settings: { readonly noRemoteBases: boolean; readonly buildLimits: Limits }
}

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

/** A server's refusal, which kustomize tells from other failures. */
export interface Refusal {
  readonly status: number
  readonly statusText: string
}

const orRefusal = (error: unknown): Refusal => {
  if (!(error instanceof RemoteStatusError)) throw error
  return { status: error.status, statusText: error.statusText }
}

export const buildOffThread = (
  thread: OffThread,
  files: FileSystem,
  input: BuildInput,
  remotes: Remotes | undefined,
  options: OffThreadOptions,
): Promise<Rendered> => {
  const trees = [files]
  const known = (tree: number): FileSystem => trees[tree]!
  const task = {
    name: 'build',
    input,
    answers: {
      read: (tree: number, path: string) => known(tree).read(path),
      list: (tree: number, path: string) => known(tree).list(path),
    },
    promises: {
      ...(remotes && {
        file: (url: string) => remotes.file(url).catch(orRefusal),
        repository: async (target: RemoteTarget) => trees.push(await remotes.repository(target)) - 1,
      }),
    },
  }
  return thread.run(task, options) as Promise<Rendered>
}

export const substituteOffThread = (
  thread: OffThread,
  input: SubstituteInput,
  options: OffThreadOptions,
): Promise<readonly Manifest[]> =>
  thread.run({ name: 'substitute', input, answers: {}, promises: {} }, options) as Promise<readonly Manifest[]>

export const expandOffThread = (
  thread: OffThread,
  input: ExpandInput,
  options: OffThreadOptions,
): Promise<readonly RenderedStep[]> =>
  thread.run({ name: 'expand', input, answers: {}, promises: {} }, options) as Promise<readonly RenderedStep[]>
