import type { ObjectRef } from '../../foundations/kinds/object.ts'
import type { Lease } from './leases.ts'

/**
 * Stores the hub's records: one per object, with a log of changes to watch. The store has no Kubernetes semantics (generation,
 * finalizers and field managers are the hub's) and never receives Secret data unencrypted.
 */
export interface ObjectStore {
  get(ref: ObjectRef): Promise<StoredObject | undefined>
  /**
   * Ordered by namespace, then name. If objects are large, a page may have fewer than its limit: only a page without `continue` is the
   * last. Every page of one list shows the collection as of the first page's version; fails with StoreError `expired` if the log no
   * longer reaches back to it (the caller starts over).
   */
  list(query: ListQuery): Promise<ObjectPage>
  /**
   * One atomic change; resolves once it is durable. Fails with a StoreError if nothing was changed:
   * `exists` (the object to create exists), `missing` (the object to change does not), `conflict` (another version is stored),
   * `fenced` (the lease is no longer the object's current one), `bounded` (the namespace is at its limit), `full` (no space left; the message says where).
   */
  commit(change: ObjectChange): Promise<StoredObject>
  /**
   * Changes of a collection after a version, in order, each exactly once, until the signal aborts, which ends it without an error.
   * Fails with StoreError `expired` if the log no longer reaches back that far (the caller lists again).
   */
  watch(query: WatchQuery): AsyncIterable<ChangeEvent>
  /**
   * Records that declare a reference to the target: in pages, in stable order. A platform may use an index that lags behind `commit`
   * by moments: a new referrer reads its target by itself anyway.
   */
  referrers(target: string, query: ReferrerQuery): Promise<RefPage>
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
  /** What this object refers to (`source=...`): the keys by which `referrers` finds it. */
  readonly refersTo: readonly string[]
  /**
   * When the loop must reconcile this object next: milliseconds since the epoch; undefined = never by itself.
   * Only known for an object's current state: past states in an old list or in a watch may lack it.
   */
  readonly due?: number
  /**
   * The record no longer exists from this time on (ms since the epoch), like Events after an hour. A watch need not
   * report that.
   */
  readonly expires?: number
}

export type ObjectChange =
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
  /** The object's labels as `key=value`, by which `list` filters; omitted if they must not be stored in the clear. */
  readonly labels?: readonly string[]
  /** When the loop must reconcile the object next; null = never by itself, absent = unchanged (for a new object: never). */
  readonly due?: number | null
  /** The due time that `due` replaces. If another one is stored, a reconciliation has been requested since, and the earlier of both stays. */
  readonly dueSeen?: number
  /** Fairness group of the messages for this object, which the due index may store. Absent = unchanged. */
  readonly group?: string
  readonly expires?: number
  /** The change fails if it would exceed the limit of the namespace; platforms without limits ignore this. */
  readonly isBounded?: boolean
  /** If given, the change only happens while this lease is the object's current one. */
  readonly fence?: Lease
}

export interface PageRequest {
  readonly limit?: number
  /** Opaque; from the previous page. */
  readonly continue?: string
}

export interface ListQuery extends PageRequest, Collection {
  /** Absent = all namespaces. */
  readonly namespace?: string
  /**
   * Only objects that have at least one label of each list. A filter to save reads: the result may include objects that changed since the listing
   * began or were written without labels, so the caller checks each.
   */
  readonly labels?: readonly (readonly string[])[]
}

export interface ObjectPage {
  readonly items: readonly StoredObject[]
  /** The collection's version that this listing shows: a watch from there neither misses nor repeats a change. */
  readonly version: string
  readonly continue?: string
  /** Objects that could not be read, on a platform that stores parts of objects separately. */
  readonly damaged?: readonly ObjectRef[]
}

export interface ReferrerQuery extends PageRequest {
  /** Only objects of this kind. */
  readonly of?: Collection
}

export interface RefPage {
  readonly refs: readonly ObjectRef[]
  readonly continue?: string
}

export interface WatchQuery extends Collection {
  readonly namespace?: string
  readonly after: string
  readonly signal: AbortSignal
  /** Ends the watch after the changes that were committed before it began. It may begin earlier than other watches may: where the log still has them. */
  readonly untilNow?: boolean
}

export interface ChangeEvent {
  readonly type: 'created' | 'updated' | 'deleted'
  /** After the change; for a deletion the last state, at the deletion's version. */
  readonly object: StoredObject
  /** The body before an update or deletion, so that a filtered watch knows whether an object has entered or left its filter. */
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
