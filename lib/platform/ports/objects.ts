import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Lease } from './leases.ts'

/**
 * Where the hub's records live: one record per object, with a log of changes to watch. The store knows nothing of
 * Kubernetes semantics (generation, finalizers, field managers are the hub's) and never sees Secret data in the clear.
 */
export interface ObjectStore {
  get(ref: ObjectRef): Promise<StoredObject | undefined>
  /**
   * Ordered by namespace, then name. A page has fewer objects than its limit, or than there are without one, where they are large: only
   * one without `continue` is the last. Every page of one listing shows the collection as of the first page's version;
   * fails with StoreError `expired` when the log no longer reaches back to it (the caller lists anew).
   */
  list(query: ListQuery): Promise<ObjectPage>
  /**
   * One atomic change; resolves when it would survive a loss of power. Fails with a StoreError, and then nothing has changed:
   * `exists` (create of what is there), `missing` (update of what is not), `conflict` (another version is stored),
   * `fenced` (the lease given is no longer the object's current one), `bounded` (the namespace holds all that it may), `full` (no space is left; the message says where).
   */
  commit(change: Change): Promise<StoredObject>
  /**
   * Changes of a collection after a version, in order, each exactly once, until the signal aborts (then it just ends).
   * Fails with StoreError `expired` when the log no longer reaches back that far (the caller lists anew).
   */
  watch(query: WatchQuery): AsyncIterable<ChangeEvent>
  /**
   * Records which declared that they refer to the target: in pages, in stable order. A platform may answer from an index
   * that lags behind `commit` by moments: a new referrer looks at its target by itself anyway.
   */
  referrers(target: string, page: PageRequest): Promise<RefPage>
}

/** The objects of one kind. */
export interface Collection {
  readonly group: string
  readonly kind: string
}

export interface StoredObject {
  readonly ref: ObjectRef
  /** A decimal integer below 2^63; grows with each change of its collection, so versions of one collection can be compared. */
  readonly version: string
  /** The object as JSON text, or sealed by the hub. */
  readonly body: string
  /** What this object refers to (`source=...`): the keys under which `referrers` finds it. */
  readonly refersTo: readonly string[]
  /**
   * When the loop is to look at this object next: milliseconds since the epoch; undefined = never by itself.
   * Known of an object's current state only: past states in an old listing or in a watch may come without.
   */
  readonly due?: number
  /** The record is gone from this time on (ms since the epoch), as Events are after their hour. A watch may not see it go. */
  readonly expires?: number
}

export type Change =
  | ({ readonly op: 'create' } & Written)
  /** `expect` is the version that must be stored now. */
  | ({ readonly op: 'update'; readonly expect: string } & Written)
  | {
      readonly op: 'delete'
      readonly ref: ObjectRef
      readonly expect: string
      readonly body: string
      readonly fence?: Lease
    }

interface Written {
  readonly ref: ObjectRef
  readonly body: string
  readonly refersTo: readonly string[]
  /** The object's labels as `key=value`, by which `list` narrows down; to be left out where they are nobody's business. */
  readonly labels?: readonly string[]
  /** When the loop is to look at the object next; null = never by itself, absent = as it is stored (a new object: never). */
  readonly due?: number | null
  /**
   * The due time that `due` is meant to replace. When another one is stored by now, somebody has asked for a look since:
   * the earlier of both stays.
   */
  readonly dueSeen?: number
  /** Fairness group of the messages for this object: what the due index may tell along with it. Absent = as it is stored. */
  readonly group?: string
  readonly expires?: number
  /** The change only happens as far as the namespace's bound allows; a platform without bounds takes it. */
  readonly isBounded?: boolean
  /** When given, the change only happens while this lease is the object's current one. */
  readonly fence?: Lease
}

export interface PageRequest {
  readonly limit?: number
  /** Opaque; from the page before. */
  readonly continue?: string
}

export interface ListQuery extends PageRequest, Collection {
  /** Absent = all namespaces. */
  readonly namespace?: string
  /**
   * Only objects that have, of each of these lists, one label. It spares reading what is not wanted, and may leave in objects
   * that changed since the listing began or were written without their labels: the caller looks at each.
   */
  readonly labels?: readonly (readonly string[])[]
}

export interface ObjectPage {
  readonly items: readonly StoredObject[]
  /** The collection's version that this listing shows: where a watch may start without missing or repeating a change. */
  readonly version: string
  readonly continue?: string
  /** Objects that belong here and could not be read, on a platform that may lose a part of one. */
  readonly damaged?: readonly ObjectRef[]
}

export interface RefPage {
  readonly refs: readonly ObjectRef[]
  readonly continue?: string
}

export interface WatchQuery extends Collection {
  readonly namespace?: string
  readonly after: string
  readonly signal: AbortSignal
}

export interface ChangeEvent {
  readonly type: 'created' | 'updated' | 'deleted'
  /** After the change; for a deletion the last state, at the deletion's version. */
  readonly object: StoredObject
  /** The body before an update or deletion: a filtered watch must tell whether an object entered or left its filter. */
  readonly before?: string
}

export type StoreErrorCode = 'exists' | 'missing' | 'conflict' | 'fenced' | 'expired' | 'full' | 'bounded'

export class StoreError extends Error {
  readonly code: StoreErrorCode
  constructor(code: StoreErrorCode, message: string) {
    super(message)
    this.name = 'StoreError'
    this.code = code
  }
}
