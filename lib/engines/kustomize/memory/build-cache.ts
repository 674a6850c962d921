import type { BuildResult } from '../build-result.ts'
import type { FieldSpecs } from '../default-field-specs.ts'
import type { KnownObject } from '../known-object.ts'
import type { Printed } from '../printed.ts'
import type { ResourceOrigin } from '../resource.ts'
import type { Var } from '../vars/var-set.ts'
import type { Outcomes } from './step-memory.ts'
import type { Trace } from './traced-tree.ts'

/** An object as a part of a build left it. */
export interface KeptResource {
  readonly object: KnownObject
  readonly origin: ResourceOrigin
}

/** What a directory's kustomization came to, and all that decided it. */
export interface KeptDirectory {
  readonly trace: Trace
  readonly warnings: readonly string[]
  /** Keys of what its build made use of. */
  readonly within: readonly string[]
  readonly resources: readonly KeptResource[]
  readonly specs: FieldSpecs
  readonly vars: readonly Var[]
  readonly outcomes: Outcomes
}

/** What a file with resources, or a generator, came to, and the files that decided it. */
export interface KeptResources {
  readonly trace: Trace
  readonly resources: readonly KeptResource[]
}

/**
 * What one build leaves to the next of the same directory: its result, for a tree in which nothing changed; what unchanged files,
 * generators and bases came to; and where changes led to, for objects that go the same way again. Takes about as much memory as three
 * copies of the objects; one for each directory that is built again and again, with the same options.
 */
export class BuildCache {
  /** Options of the builds that this is of. */
  private settings: string | undefined
  readonly directories = new Map<string, KeptDirectory>()
  readonly resources = new Map<string, KeptResources>()
  /** The whole build, and where its last changes led to. */
  whole: { readonly trace: Trace; readonly result: BuildResult } | undefined
  outcomes: Outcomes = new Map()
  /** Objects that were printed, at the end of their way. */
  printed = new WeakMap<KnownObject, Printed>()
  /** The files of the last build, and digests of files. */
  tree: ReadonlyMap<string, Uint8Array | undefined> = new Map()
  readonly digests = new WeakMap<Uint8Array, string>()
  /** The tree brings a schema of its own, on which everything else would depend: nothing is kept. */
  hasOwnSchema = false

  /** Forgets builds with other options. */
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
