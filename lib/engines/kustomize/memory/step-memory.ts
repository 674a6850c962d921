import type { ObjectSnapshot } from '../object-snapshot.ts'
import type { Resource, ResourceChange } from '../resource.ts'

/** Records what a change depends on besides its resource. */
export interface DependencyTracker {
  /** A dependency that can be compared later. */
  dependOn(key: string): void
  /** A dependency that can't be compared: the change is always made again. */
  dependOnUnknown(): void
}

/** A change that depends on more than its resource. */
export interface DependentChange {
  make(resource: Resource, tracker: DependencyTracker): void
  /** Equal as long as the dependency is unchanged. */
  fingerprint(key: string): string
}

/** The outcome of a change from one snapshot, and the fingerprints of its dependencies. */
interface Outcome {
  readonly to: ObjectSnapshot
  readonly fingerprints: ReadonlyMap<string, string> | undefined
}

/** The outcomes of a kustomization's changes: by change, and by starting snapshot. */
export type Outcomes = ReadonlyMap<string, ReadonlyMap<ObjectSnapshot, Outcome>>

/** Changes resources, and skips changes that the previous run of the same kustomization made. */
export class StepMemory {
  private readonly before: Outcomes
  private readonly now = new Map<string, Map<ObjectSnapshot, Outcome>>()

  constructor(before: Outcomes) {
    this.before = before
  }

  /** The outcomes for the next run. */
  get outcomes(): Outcomes {
    return this.now
  }

  /** A change that is skipped if possible. Equal keys make the same change to equal resources. */
  step(key: string, change: ResourceChange): ResourceChange {
    const { before, now } = this.tables(key)
    return resource => {
      const from = resource.snapshot
      const known = from && before?.get(from)
      if (known) {
        resource.skipTo(change, known.to)
        now.set(from, known)
      } else {
        change(resource)
        if (from && !resource.isEmpty) now.set(from, { to: resource.takeSnapshot(), fingerprints: undefined })
      }
    }
  }

  /** The same for a change with dependencies: it is skipped as long as they are unchanged. */
  dependentStep(key: string, { make, fingerprint }: DependentChange): ResourceChange {
    const { before, now } = this.tables(key)
    const change: ResourceChange = resource =>
      make(resource, { dependOn: () => undefined, dependOnUnknown: () => undefined })
    const holds = ({ fingerprints = new Map() }: Outcome): boolean => {
      for (const [dependency, earlier] of fingerprints) if (fingerprint(dependency) !== earlier) return false
      return true
    }
    return resource => {
      const from = resource.snapshot
      const known = from && before?.get(from)
      if (known && holds(known)) {
        resource.skipTo(change, known.to)
        now.set(from, known)
        return
      }
      const fingerprints = new Map<string, string>()
      let isRepeatable = true
      make(resource, {
        dependOn: dependency => fingerprints.set(dependency, fingerprint(dependency)),
        dependOnUnknown() {
          isRepeatable = false
        },
      })
      if (from && isRepeatable && !resource.isEmpty) now.set(from, { to: resource.takeSnapshot(), fingerprints })
    }
  }

  private tables(key: string) {
    let now = this.now.get(key)
    if (!now) {
      now = new Map()
      this.now.set(key, now)
    }
    return { before: this.before.get(key), now }
  }
}
