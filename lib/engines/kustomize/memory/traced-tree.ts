import type { FileSystem } from '../file-system.ts'

/** The queries of the tree by a part of a build, and their results. */
export class Trace {
  readonly reads = new Map<string, Uint8Array | undefined>()
  /** Whether paths are directories: listings matter only to plugins, which see whole directories and prevent traces. */
  readonly directories = new Map<string, boolean>()

  /** Whether the queries have the same results in a tree. */
  holdsIn(tree: FileSystem): boolean {
    for (const [path, bytes] of this.reads) if (!sameBytes(tree.read(path), bytes)) return false
    for (const [path, is] of this.directories) if ((tree.list(path) !== undefined) !== is) return false
    return true
  }

  add(other: Trace): void {
    for (const [path, bytes] of other.reads) this.reads.set(path, bytes)
    for (const [path, is] of other.directories) this.directories.set(path, is)
  }
}

/** Queries a tree once per path. Unchanged files (`before`) return the earlier bytes. */
class QueriedTree implements FileSystem {
  readonly files = new Map<string, Uint8Array | undefined>()
  private readonly directories = new Map<string, readonly string[] | undefined>()
  private readonly tree: FileSystem
  private readonly before: ReadonlyMap<string, Uint8Array | undefined>

  constructor(tree: FileSystem, before: ReadonlyMap<string, Uint8Array | undefined>) {
    this.tree = tree
    this.before = before
  }

  read(path: string): Uint8Array | undefined {
    if (!this.files.has(path)) {
      const [before, now] = [this.before.get(path), this.tree.read(path)]
      this.files.set(path, sameBytes(before, now) ? before : now)
    }
    return this.files.get(path)
  }

  list(path: string): readonly string[] | undefined {
    if (!this.directories.has(path)) this.directories.set(path, this.tree.list(path))
    return this.directories.get(path)
  }
}

/** A tree that records its queries in every open trace. */
export class TracedTree implements FileSystem {
  private readonly tree: QueriedTree
  private readonly open: Trace[] = []

  constructor(tree: FileSystem, before: ReadonlyMap<string, Uint8Array | undefined>) {
    this.tree = new QueriedTree(tree, before)
  }

  /** All files that were queried so far. */
  get files(): ReadonlyMap<string, Uint8Array | undefined> {
    return this.tree.files
  }

  read(path: string): Uint8Array | undefined {
    const bytes = this.tree.read(path)
    this.open.at(-1)?.reads.set(path, bytes)
    return bytes
  }

  list(path: string): readonly string[] | undefined {
    const names = this.tree.list(path)
    this.open.at(-1)?.directories.set(path, names !== undefined)
    return names
  }

  holds(trace: Trace): boolean {
    return trace.holdsIn(this.tree)
  }

  /** Records known results as queries of this step. */
  replay(trace: Trace): void {
    this.open.at(-1)?.add(trace)
  }

  /** Records the queries of a step; surrounding steps record them as well. */
  tracing<T>(step: () => T): { result: T; trace: Trace } {
    const trace = this.begin()
    try {
      return { result: step(), trace }
    } finally {
      this.end(trace)
    }
  }

  /** The same for an asynchronous step. */
  async tracingAll<T>(step: () => Promise<T>): Promise<{ result: T; trace: Trace }> {
    const trace = this.begin()
    try {
      return { result: await step(), trace }
    } finally {
      this.end(trace)
    }
  }

  private begin(): Trace {
    const trace = new Trace()
    this.open.push(trace)
    return trace
  }

  private end(trace: Trace): void {
    this.open.pop()
    this.replay(trace)
  }
}

/** Whether two reads of a file found the same; undefined is a file that is missing. */
export const sameBytes = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a === b || (a !== undefined && b !== undefined && Buffer.compare(a, b) === 0)
