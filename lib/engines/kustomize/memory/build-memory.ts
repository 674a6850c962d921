import { Accumulator } from '../accumulator.ts'
import type { BuildResult } from '../build-result.ts'
import { printableData } from '../printable-data.ts'
import { Printed } from '../printed.ts'
import type { ReadLog } from '../read-log.ts'
import { Resource, type ResourceChange } from '../resource.ts'
import type { BuildSchema } from '../schema/build-schema.ts'
import type { BuildCache, KeptDirectory, KeptResource } from './build-cache.ts'
import { type DependentChange, type Outcomes, StepMemory } from './step-memory.ts'
import type { Trace, TracedTree } from './traced-tree.ts'

/**
 * Runs the steps of a build, or skips them. Keys identify what a step does: they consist of strings and booleans only (JSON maps some
 * distinct numbers to the same text).
 */
export interface BuildMemory {
  /** The result of a directory. The key covers everything that determines it except the tree. */
  directory(key: unknown, step: () => Promise<Accumulator>): Promise<Accumulator>
  /** Resources read from a file or generated. The key covers everything that determines them except the tree. */
  resources(key: unknown, step: () => Resource[]): Resource[]
  /** A change to resources, each by itself. Equal keys make the same change to equal resources. */
  step(key: unknown, change: ResourceChange): ResourceChange
  /** The same for a change that depends on more than its resource. */
  dependentStep(key: unknown, change: DependentChange): ResourceChange
  print(resource: Resource): Printed
}

export const noMemory: BuildMemory = {
  directory: (_, step) => step(),
  resources: (_, step) => step(),
  step: (_, change) => change,
  dependentStep:
    (_, { make }) =>
    resource =>
      make(resource, { dependOn: () => undefined, dependOnUnknown: () => undefined }),
  print: resource => new Printed(printableData(resource)),
}

/** The parts of a build that its memory inspects. */
interface BuildParts {
  readonly schema: BuildSchema
  readonly log: ReadLog
  readonly warnings: string[]
}

/** A part of a build in progress. */
interface OpenPart {
  readonly steps: StepMemory
  /** Keys of the parts that it uses. */
  readonly using: Set<string>
}

/** Skips the steps of a build whose result is cached, as long as queries of the tree have the same results. */
export class CachedMemory implements BuildMemory {
  private readonly cache: BuildCache
  private readonly tree: TracedTree
  private readonly parts: BuildParts
  /** The outermost first. */
  private readonly open: OpenPart[] = []

  constructor(cache: BuildCache, tree: TracedTree, parts: BuildParts) {
    this.cache = cache
    this.tree = tree
    this.parts = parts
  }

  /**
   * A whole build. undefined if its tree turns out to contain its own schema: kustomize then behaves differently depending on earlier steps,
   * and nothing may be skipped.
   */
  async whole(build: () => Promise<BuildResult>): Promise<BuildResult | undefined> {
    const { cache } = this
    const { schema, log } = this.parts
    try {
      const { result, trace, outcomes, within } = await this.part(cache.outcomes, build)
      if (schema.isBuiltIn) {
        cache.outcomes = outcomes
        cache.whole = log.outsideReads === 0 ? { trace, result } : undefined
        this.forgetAllBut(within)
        return result
      }
    } catch (error) {
      if (schema.isBuiltIn) throw error
    } finally {
      cache.tree = this.tree.files
    }
    cache.clear()
    return undefined
  }

  async directory(name: unknown, step: () => Promise<Accumulator>): Promise<Accumulator> {
    const key = `directory ${keyText(name)}`
    const kept = this.cache.directories.get(key)
    if (kept && this.tree.holds(kept.trace)) {
      this.note(key, ...kept.within)
      return this.restored(kept)
    }
    const { log, warnings } = this.parts
    const outsideReadsBefore = log.outsideReads
    const warningsBefore = warnings.length
    const { result, trace, outcomes, within } = await this.part(kept?.outcomes ?? new Map(), step)
    this.note(key, ...within)
    // Anything outside may change while the tree stays the same.
    if (log.outsideReads === outsideReadsBefore)
      this.cache.directories.set(key, {
        trace,
        within,
        warnings: warnings.slice(warningsBefore),
        resources: keep(result.resources.list),
        specs: result.specs,
        vars: result.vars.list(),
        outcomes,
      })
    return result
  }

  resources(name: unknown, step: () => Resource[]): Resource[] {
    const key = `resources ${keyText(name)}`
    this.note(key)
    const kept = this.cache.resources.get(key)
    if (kept && this.tree.holds(kept.trace)) {
      this.replay(kept.trace)
      return this.resumed(kept.resources)
    }
    const outsideReadsBefore = this.parts.log.outsideReads
    const { result, trace } = this.tree.tracing(step)
    if (this.parts.log.outsideReads === outsideReadsBefore)
      this.cache.resources.set(key, { trace, resources: keep(result) })
    return result
  }

  step(key: unknown, change: ResourceChange): ResourceChange {
    return this.steps.step(keyText(key), change)
  }

  dependentStep(key: unknown, change: DependentChange): ResourceChange {
    return this.steps.dependentStep(keyText(key), change)
  }

  print(resource: Resource): Printed {
    const { printed } = this.cache
    const { snapshot: point } = resource
    const known = point && printed.get(point)
    if (known) return known
    const print = new Printed(printableData(resource))
    if (point) printed.set(point, print)
    return print
  }

  private get steps(): StepMemory {
    return this.open.at(-1)!.steps
  }

  /** Runs a part of the build, with its previous outcomes. */
  private async part<T>(
    before: Outcomes,
    step: () => Promise<T>,
  ): Promise<{ result: T; trace: Trace; outcomes: Outcomes; within: readonly string[] }> {
    const part: OpenPart = { steps: new StepMemory(before), using: new Set() }
    this.open.push(part)
    try {
      const traced = await this.tree.tracingAll(step)
      return { ...traced, outcomes: part.steps.outcomes, within: [...part.using] }
    } finally {
      this.open.pop()
    }
  }

  private note(...keys: string[]): void {
    const { using } = this.open.at(-1)!
    for (const key of keys) using.add(key)
  }

  private forgetAllBut(keys: readonly string[]): void {
    const used = new Set(keys)
    for (const kept of [this.cache.directories, this.cache.resources])
      for (const key of kept.keys()) if (!used.has(key)) kept.delete(key)
  }

  private restored({ trace, warnings, resources, specs, vars }: KeptDirectory): Accumulator {
    this.replay(trace)
    this.parts.warnings.push(...warnings)
    const restored = new Accumulator()
    restored.resources.list = this.resumed(resources)
    restored.specs = specs
    for (const one of vars) restored.vars.add(one)
    return restored
  }

  /** Counts what was read then as read now. */
  private replay(trace: Trace): void {
    this.tree.replay(trace)
    for (const [path, bytes] of trace.reads) if (bytes) this.parts.log.add(path, bytes)
  }

  private resumed(kept: readonly KeptResource[]): Resource[] {
    return kept.map(({ object, origin }) => Resource.at(object, this.parts.schema, origin))
  }
}

const keep = (resources: readonly Resource[]): KeptResource[] =>
  resources.map(resource => ({ object: resource.releaseSnapshot(), origin: resource.origin }))

/** Keys consist of strings and booleans, which JSON maps to distinct texts. */
const keyText = (key: unknown): string => JSON.stringify(key)
