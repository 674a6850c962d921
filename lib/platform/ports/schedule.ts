import type { ObjectRef } from '../../foundations/kinds/object.ts'

/**
 * The due index over the object store: which objects must be reconciled by now. It backs up the queue: it has the
 * objects of lost messages, so every object that must be reconciled again has a due time at all times.
 */
export interface Schedule {
  /** Objects due at or before a time (ms since the epoch), the longest overdue first (in a sharded index: per shard). */
  dueBy(time: number, limit: number): Promise<readonly DueObject[]>
  /**
   * All objects due at or before a time, in pages. Reports each object once, with its due time in the index when the page was read, even if the
   * index lags behind concurrent writes.
   */
  pagesDueBy(time: number, pageSize: number): AsyncIterable<readonly DueObject[]>
  /** The earliest due time, or undefined: an idle process may sleep until then. */
  nextDue(): Promise<number | undefined>
  /** An object's own due time; undefined if it has none or does not exist. */
  dueOf(ref: ObjectRef): Promise<number | undefined>
  /** Changes an object's due time without changing the object (no new version, no watch event). Ignores unknown objects. */
  setDue(ref: ObjectRef, due: number | undefined, unless?: SeenBefore): Promise<void>
  /**
   * Postpones an object that is due by `dueBy`, or has no due time, until `until`. Resolves to false and changes nothing if the object is due
   * later: it has been reconciled since the call. With `dueAt`, it must be due at exactly that time.
   */
  claim(ref: ObjectRef, until: number, dueBy: number, dueAt?: number): Promise<boolean>
}

/** Guards against postponing an object because of a state that is no longer current. */
export interface SeenBefore {
  /** Changes nothing if another version is stored. */
  readonly version?: string
  /** The due time to replace. If another one is stored, the earlier of both stays. */
  readonly dueSeen?: number
}

export interface DueObject {
  readonly ref: ObjectRef
  readonly due: number
  /** The fairness group committed with it, if the platform's index has it: saves reading the object. */
  readonly group?: string
}
