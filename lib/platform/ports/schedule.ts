import type { ObjectRef } from '../../foundations/kinds/object.ts'

/**
 * The due index over the object store: which objects must be looked at by now. It is the net under the queue: a lost
 * message is found here, so every object that is to be looked at again has a due time at all times.
 */
export interface Schedule {
  /** Objects due at or before a time (ms since the epoch), the longest overdue first (a sharded index: per shard). */
  dueBy(time: number, limit: number): Promise<readonly DueObject[]>
  /**
   * All objects due at or before a time, in pages. Each is told once, with the due time that the index had when its page was read, even
   * where the index lags behind writes that are made meanwhile.
   */
  pagesDueBy(time: number, pageSize: number): AsyncIterable<readonly DueObject[]>
  /** The earliest due time, or undefined: how long an idle process may sleep. */
  nextDue(): Promise<number | undefined>
  /** An object's own due time; undefined for one that is never due by itself, or not there. */
  dueOf(ref: ObjectRef): Promise<number | undefined>
  /**
   * Moves an object's due time without touching the object (no new version, no watch event); unknown objects are ignored.
   */
  setDue(ref: ObjectRef, due: number | undefined, unless?: SeenBefore): Promise<void>
  /**
   * Puts off an object that is due by a time, or never by itself, until another. Resolves to false, and nothing happens, when it
   * is due only later: somebody has looked at it since it was called. With `dueAt` it must be due at that very time.
   */
  claim(ref: ObjectRef, until: number, dueBy: number, dueAt?: number): Promise<boolean>
}

/** Who puts an object off must not put off what it has not seen. */
export interface SeenBefore {
  /** Nothing happens once another version is stored. */
  readonly version?: string
  /** The due time to be replaced. When another one is stored by now, the earlier of both stays. */
  readonly dueSeen?: number
}

export interface DueObject {
  readonly ref: ObjectRef
  readonly due: number
  /** The fairness group that was committed with it, where the platform's index has it: spares reading the object. */
  readonly group?: string
}
