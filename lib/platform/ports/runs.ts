/**
 * Records of what passes have done, kept for months: written once or twice, read newest first, and expired after a time. They are not objects:
 * they have no versions, no watch and no log of changes, which would cost five times as much (docs/decisions/0028-runs.md).
 */
export interface RunStore {
  /** Stores a record. One of the same place is replaced. `keys` are what `RunQuery.key` finds it by. */
  add(record: RunRecord, keys?: readonly string[]): Promise<void>
  /** Replaces the record of a place that is stored already, of the same unit: cheaper than `add`. It is found by further keys, too. */
  replace(record: RunRecord, moreKeys?: readonly string[]): Promise<void>
  /** Counts one more pass with the same result, at this time; does nothing if the record no longer exists. Does not extend its expiry. */
  repeat(place: RunPlace, at: number): Promise<void>
  get(place: RunPlace): Promise<RunRecord | undefined>
  /** The newest first; fewer than the limit are the last ones. */
  page(query: RunQuery): Promise<readonly RunRecord[]>
}

export interface RunPlace {
  readonly namespace: string
  /** When the run began, in whole milliseconds since the epoch. */
  readonly startedAt: number
  readonly name: string
}

export interface RunRecord extends RunPlace {
  /** `Kind/name`: in the namespace of the record. */
  readonly unit: string
  /** Sealed. */
  readonly body: Uint8Array
  /** What `RunQuery.facts` selects by, in the clear; empty if unknown. */
  readonly facts: string
  /** Equal for failures of a unit that are alike; absent for other results. */
  readonly alike?: string
  /** Further passes that ended alike, and when the last one ended. */
  readonly repeats: number
  readonly repeatedAt?: number
  /** Milliseconds since the epoch: from then on it is not read any more. */
  readonly expires: number
}

export interface RunQuery {
  readonly namespace: string
  /** Only those of this unit. */
  readonly unit?: string
  /** Parts of the facts that must all be there: a filter that saves reads. Others may be among the result, so the caller checks each. */
  readonly facts?: readonly string[]
  /**
   * Only those that were added with this key: for those that few have. A platform that finds facts as fast may ignore it, and others may be among
   * the result, as with `facts`.
   */
  readonly key?: string
  /** Only those before this one, in the order of time and name. */
  readonly before?: Omit<RunPlace, 'namespace'>
  /** Only those that began at this time or later. */
  readonly since?: number
  readonly limit: number
}
