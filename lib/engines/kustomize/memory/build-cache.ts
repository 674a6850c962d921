import type { BuildResult } from '../build-result.ts'
import type { FieldSpecs } from '../default-field-specs.ts'
import type { ObjectSnapshot } from '../object-snapshot.ts'
import type { Printed } from '../printed.ts'
import type { ResourceOrigin } from '../resource.ts'
import type { Var } from '../vars/var-set.ts'
import type { Outcomes } from './step-memory.ts'
import type { Trace } from './traced-tree.ts'

/** An object at the end of a part of a build. */
export interface KeptResource {
  readonly object: ObjectSnapshot
  readonly origin: ResourceOrigin
}

/** The result of a directory's kustomization, and everything it depends on. */
export interface KeptDirectory {
  readonly trace: Trace
  readonly warnings: readonly string[]
  /** Keys of the parts that its build used. */
  readonly within: readonly string[]
  readonly resources: readonly KeptResource[]
  readonly specs: FieldSpecs
  readonly vars: readonly Var[]
  readonly outcomes: Outcomes
}

/** The resources of a file or generator, and the files they depend on. */
export interface KeptResources {
  readonly trace: Trace
  readonly resources: readonly KeptResource[]
}

/**
 * The cache that a build leaves for the next build of the same directory: its result, for an unchanged tree; the results of unchanged files,
 * generators and bases; and the results of changes to objects, for objects that go through the same changes again. Takes about as much
 * memory as three copies of the objects. Use one per directory that is built repeatedly with the same options.
 */
export class BuildCache {
  /** The options of the cached builds. */
  private settings: string | undefined
  readonly directories = new Map<string, KeptDirectory>()
  readonly resources = new Map<string, KeptResources>()
  /** The whole build, and the outcomes of its last changes. */
  whole: { readonly trace: Trace; readonly result: BuildResult } | undefined
  outcomes: Outcomes = new Map()
  /** Objects that were printed, after all changes. */
  printed = new WeakMap<ObjectSnapshot, Printed>()
  /** The files of the last build, and digests of files. */
  tree: ReadonlyMap<string, Uint8Array | undefined> = new Map()
  readonly digests = new WeakMap<Uint8Array, string>()
  /** The tree contains a schema of its own, which everything else would depend on: nothing is cached. */
  hasOwnSchema = false

  /** Discards builds with other options. */
  use(settings: string): void {
    if (this.settings !== settings) this.clear()
    this.settings = settings
  }

  clear(): void {
    this.directories.clear()
    this.resources.clear()
    this.whole = undefined
    this.outcomes = new Map()
  }
}
