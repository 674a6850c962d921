import { Accumulator } from '../accumulator.ts'
import type { FieldSpecs } from '../default-field-specs.ts'
import type { ReadLog } from '../read-log.ts'
import type { Resource } from '../resource.ts'
import type { BuildSchema } from '../schema/build-schema.ts'
import type { Var } from '../vars/var-set.ts'
import { KeptResources } from './kept-resources.ts'
import { sameBytes, type Trace, type TracedTree } from './traced-tree.ts'

/** What a directory's kustomization came to, and all that decided it. */
interface KeptDirectory {
  readonly trace: Trace
  readonly warnings: readonly string[]
  readonly builtInRead: boolean
  /** Keys of what its build made use of. */
  readonly within: readonly string[]
  readonly resources: KeptResources
  readonly specs: FieldSpecs
  readonly vars: readonly Var[]
}

interface KeptFile {
  readonly bytes: Uint8Array
  readonly resources: KeptResources
}

/**
 * What one build leaves to the next of the same directory: what unchanged files and bases came to. Holds about three
 * copies of the objects; one for each directory that is built again and again, with the same options.
 */
export class BuildCache {
  readonly directories = new Map<string, KeptDirectory>()
  readonly files = new Map<string, KeptFile>()
}

/** Does a build's steps, or spares them. */
export interface BuildMemory {
  directory(key: string, step: () => Promise<Accumulator>): Promise<Accumulator>
  file(key: string, bytes: Uint8Array, step: () => Resource[]): Resource[]
  /** The build is done. */
  end(): void
}

export const noMemory: BuildMemory = {
  directory: (_, step) => step(),
  file: (_, __, step) => step(),
  end: () => undefined,
}

/** Spares the steps of a build whose outcome the cache has, as long as the tree answers what it answered then. */
export class CachedMemory implements BuildMemory {
  private readonly cache: BuildCache
  private readonly tree: TracedTree
  private readonly build: { readonly schema: BuildSchema; readonly log: ReadLog; readonly warnings: string[] }
  /** Keys that the open steps made use of, outermost first. */
  private readonly using: Set<string>[] = [new Set()]

  constructor(cache: BuildCache, tree: TracedTree, build: CachedMemory['build']) {
    this.cache = cache
    this.tree = tree
    this.build = build
  }

  async directory(name: string, step: () => Promise<Accumulator>): Promise<Accumulator> {
    const key = `directory ${name}`
    const kept = this.build.schema.isBuiltIn ? this.cache.directories.get(key) : undefined
    if (kept && this.tree.holds(kept.trace)) {
      this.note(key, ...kept.within)
      return this.restored(kept)
    }
    const { schema, log, warnings } = this.build
    const outsideReadsBefore = log.outsideReads
    const warningsBefore = warnings.length
    this.using.push(new Set())
    let within: string[] = []
    const { result, trace } = await this.tree.tracing(step).finally(() => {
      within = [...this.using.pop()!]
      this.note(key, ...within)
    })
    // What is outside may change while the tree stays as it is.
    if (schema.isBuiltIn && log.outsideReads === outsideReadsBefore)
      this.cache.directories.set(key, {
        trace,
        within,
        warnings: warnings.slice(warningsBefore),
        builtInRead: schema.builtInRead,
        resources: new KeptResources(result.resources.list),
        specs: result.specs,
        vars: result.vars.list(),
      })
    return result
  }

  file(name: string, bytes: Uint8Array, step: () => Resource[]): Resource[] {
    const key = `file ${name}`
    this.note(key)
    const kept = this.cache.files.get(key)
    if (kept && sameBytes(kept.bytes, bytes)) return kept.resources.copies(this.build.schema)
    const resources = step()
    this.cache.files.set(key, { bytes, resources: new KeptResources(resources) })
    return resources
  }

  /** Forgets what this build had no use for. */
  end(): void {
    const [used] = this.using
    for (const kept of [this.cache.directories, this.cache.files])
      for (const key of kept.keys()) if (!used!.has(key)) kept.delete(key)
  }

  private note(...keys: string[]): void {
    for (const key of keys) this.using.at(-1)!.add(key)
  }

  private restored({ trace, warnings, builtInRead, resources, specs, vars }: KeptDirectory): Accumulator {
    const { schema, log } = this.build
    this.tree.replay(trace)
    for (const [path, bytes] of trace.reads) if (bytes) log.add(path, bytes)
    this.build.warnings.push(...warnings)
    schema.builtInRead ||= builtInRead
    const restored = new Accumulator()
    restored.resources.list = resources.copies(schema)
    restored.specs = specs
    for (const one of vars) restored.vars.add(one)
    return restored
  }
}
