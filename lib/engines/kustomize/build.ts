import { Budget } from '../../foundations/budget/budget.ts'
import { spendOnJson } from '../yaml/tree-size.ts'
import { UnsupportedData, YamlError } from '../yaml/yaml-error.ts'
import type { BuildContext } from './build-context.ts'
import type { BuildResult, BuiltResource } from './build-result.ts'
import { buildTree } from './build-tree.ts'
import type { FileSystem } from './file-system.ts'
import type { Helm, HelmOptions } from './generators/helm.ts'
import { KustomizeError } from './kustomize-error.ts'
import { Loader, type LoadRestrictions } from './loader.ts'
import { BuildCache } from './memory/build-cache.ts'
import { type BuildMemory, CachedMemory, noMemory } from './memory/build-memory.ts'
import { TracedTree } from './memory/traced-tree.ts'
import type { PluginOptions } from './plugins/exec/plugin-runner.ts'
import { type ExternalPlugins, noExternalPlugins } from './plugins/external-plugins.ts'
import { ReadLog } from './read-log.ts'
import { FetchedRemotes, RemoteStatusError, type Remotes } from './remotes.ts'
import type { Resource } from './resource.ts'
import { BuildSchema } from './schema/build-schema.ts'

export type { BuildResult, BuiltResource, Helm, Remotes }
export { BuildCache, RemoteStatusError }

export interface BuildOptions {
  /** Order of the output: as accumulated ('none', the default), or sorted by kind ('legacy'). */
  readonly reorder?: 'none' | 'legacy'
  /** Whether a kustomization may read files outside of its directory ('none', the default: anything within the root). */
  readonly loadRestrictions?: LoadRestrictions
  /** The tree's root as messages show it; '/' by default. */
  readonly shownRoot?: string
  /** Programs that may generate and transform; none if absent. */
  readonly plugins?: PluginOptions
  /** Fetches files and repositories that kustomizations refer to by URL; they are refused if absent. */
  readonly remotes?: Remotes
  /** Renders charts; they are refused if absent. */
  readonly helm?: HelmOptions
  /** Labels every resource with the kustomize version that this build matches. */
  readonly managedByLabel?: boolean
  /**
   * Keeps the results of unchanged files and bases for later builds of the same directory. Has no effect with plugins or on trees with
   * links.
   */
  readonly cache?: BuildCache
  /** Limits the cost of the build, and records it. If absent, nothing is limited. */
  readonly budget?: Budget
}

/**
 * Builds the kustomization in a directory of a tree, as `kustomize build` does. Reads nothing but the tree. Throws a KustomizeError with
 * kustomize's message and the file and field of the error, or BudgetExceeded.
 */
export const build = (fs: FileSystem, path: string, options: BuildOptions = {}): Promise<BuildResult> => {
  const { cache, plugins, budget = new Budget() } = options
  if (cache && !plugins && !fs.realPath) return rebuild(fs, path, options, budget, cache)
  return buildWith(newParts(fs, budget), path, options, noMemory)
}

/** Objects created per build. */
interface BuildParts {
  readonly fs: FileSystem
  readonly log: ReadLog
  readonly warnings: string[]
  readonly schema: BuildSchema
  readonly budget: Budget
}

const newParts = (fs: FileSystem, budget: Budget, digests?: WeakMap<Uint8Array, string>): BuildParts => ({
  fs,
  budget,
  log: new ReadLog(budget, digests),
  warnings: [],
  schema: new BuildSchema(),
})

/** Builds using the cache of the previous build, and updates it. */
const rebuild = async (
  fs: FileSystem,
  path: string,
  options: BuildOptions,
  budget: Budget,
  cache: BuildCache,
): Promise<BuildResult> => {
  const { reorder, loadRestrictions, shownRoot, managedByLabel } = options
  cache.use(JSON.stringify([path, reorder, loadRestrictions, shownRoot, managedByLabel]))
  const tree = new TracedTree(fs, cache.tree)
  if (cache.whole && tree.holds(cache.whole.trace)) return cache.whole.result
  if (!cache.hasOwnSchema) {
    const parts = newParts(tree, budget, cache.digests)
    const memory = new CachedMemory(cache, tree, parts)
    const result = await memory.whole(() => buildWith(parts, path, options, memory))
    if (result) return result
  }
  const parts = newParts(fs, budget)
  try {
    return await buildWith(parts, path, options, noMemory)
  } finally {
    cache.hasOwnSchema = !parts.schema.isBuiltIn
  }
}

const buildWith = async (
  { fs, log, warnings, schema, budget }: BuildParts,
  path: string,
  options: BuildOptions,
  memory: BuildMemory,
): Promise<BuildResult> => {
  const root = new Loader(
    {
      fs,
      log,
      restrictions: options.loadRestrictions,
      shownRoot: `${(options.shownRoot ?? '').replace(/\/$/, '')}/`,
      remotes: options.remotes && new FetchedRemotes(options.remotes),
    },
    '',
  )
  const context: BuildContext = {
    schema,
    budget,
    memory,
    warn: warning => warnings.push(warning),
    reorder: options.reorder,
    managedByLabel: options.managedByLabel ?? false,
    plugins: options.plugins ? await programs(options.plugins) : noExternalPlugins,
    helm: options.helm,
  }
  const resources = await withinKustomizeErrors(path, budget, () => buildTree(root.start(path), context))
  return { resources: resources.map(resource => toBuilt(resource, memory, budget)), filesRead: log.digests(), warnings }
}

/** Programs as plugins; the code that runs them is only loaded if there are any. */
const programs = async (options: PluginOptions): Promise<ExternalPlugins> =>
  (await import('./plugins/exec/exec-plugins.ts')).execPlugins(options)

/**
 * YAML errors that no step has wrapped are still errors of the tree. If a build exceeded its budget, that is why it
 * failed, whatever error a step reported: some steps try several things, and some treat any error as a result.
 */
const withinKustomizeErrors = async <T>(path: string, budget: Budget, step: () => Promise<T>): Promise<T> => {
  try {
    const result = await step()
    if (budget.exceeded) throw budget.exceeded
    return result
  } catch (error) {
    if (budget.exceeded) throw budget.exceeded
    if (error instanceof YamlError || error instanceof UnsupportedData)
      throw new KustomizeError(error.message, { file: path }, error)
    throw error
  }
}

const toBuilt = (resource: Resource, memory: BuildMemory, budget: Budget): BuiltResource => {
  const printed = memory.print(resource)
  spendOnJson(budget, printed.object, resource.origin.file)
  return {
    object: printed.object,
    origin: resource.origin,
    get yaml() {
      return printed.yaml
    },
  }
}

/** All resources as one YAML stream: the output of `kustomize build`. */
export const printResources = (resources: readonly BuiltResource[]): string =>
  resources.map(({ yaml }) => yaml).join('---\n')
