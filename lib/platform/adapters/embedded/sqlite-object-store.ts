import { describeRef, type ObjectRef } from '../../../foundations/kinds/object.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Lease } from '../../ports/leases.ts'
import {
  type ChangeEvent,
  type ListQuery,
  type ObjectChange,
  type ObjectPage,
  type ObjectStore,
  type ReferrerQuery,
  type RefPage,
  type StoredObject,
  StoreError,
  type WatchQuery,
} from '../../ports/objects.ts'
import { collectionOf } from '../collection-name.ts'
import { dueAfter } from '../due-after.ts'
import { pageToken, readPageToken } from '../page-token.ts'
import { wakeUps } from '../wake-ups.ts'
import { type ChangeLogLimit, changeLog } from './change-log.ts'
import type { CurrentObjects } from './current-objects.ts'
import type { Database } from './database.ts'
import type { Writer } from './group-commit.ts'
import { knownEmpty } from './known-empty.ts'
import { type NamespaceBound, namespaceUsage } from './namespace-usage.ts'
import { type Head, objectTables, type PageRows } from './object-tables.ts'
import { refOfRow, storedOf } from './records.ts'
import { mergedPages, type RowPage } from './row-page.ts'

export interface SqliteObjectStore extends ObjectStore {
  /** Ends all watches. */
  close(): void
}

export interface SqliteObjectStoreOptions {
  readonly database: Database
  readonly writer: Writer
  readonly clock: Clock
  /** A cache of recently read or written objects; the schedule keeps its due times current. */
  readonly current: CurrentObjects
  /** Whether a lease is its object's current one, for fenced changes. */
  readonly isCurrent: (lease: Lease) => boolean
  readonly keepChanges?: ChangeLogLimit
  /** The limit for every namespace; absent = unlimited. */
  readonly namespaceBound?: NamespaceBound
}

/** How far back watches and continued listings can reach. */
const defaultKeepChanges: ChangeLogLimit = { changes: 20_000, ageMs: 15 * 60_000, bytes: 32 * 1024 * 1024 }
/** More rows than any page has. */
const unlimited = 2 ** 31
/** Each label of a term takes a page: with more labels, reading all objects is cheaper. */
const maxLabels = 8
/** Limit for counting labels to find the rarest. */
const counted = 1000
/** Maximum number of expired objects that one commit deletes, so that no commit takes long. */
const sweep = 500

/** Objects and their change log in SQLite. Reads are short synchronous queries; changes are durable when they resolve. */
export function sqliteObjectStore(options: SqliteObjectStoreOptions): SqliteObjectStore {
  const { database, writer, clock, current, isCurrent, keepChanges = defaultKeepChanges } = options
  const tables = objectTables(database)
  const log = changeLog(database, clock, keepChanges)
  const usage = namespaceUsage(database, options.namespaceBound ?? { objects: 0, bytes: 0 })
  const changes = wakeUps()
  const unreferenced = knownEmpty()
  const empty = knownEmpty()
  let closed = false
  /** Whether the change being applied has written anything yet. */
  let hasWritten = false
  /** The last version that would survive a power failure: listings and watches show nothing beyond it. */
  let durable = tables.lastVersion()
  writer.onRollback(forget)

  return { get, list, watch, referrers, commit, close }

  async function get(ref: ObjectRef): Promise<StoredObject | undefined> {
    const known = current.get(ref)
    if (known) return known
    const row = writer.read(() => tables.current(ref, clock.now()))
    const stored = row && storedOf(row)
    if (stored) current.put(stored)
    return stored
  }

  async function list(query: ListQuery): Promise<ObjectPage> {
    const collection = collectionOf(query)
    const { namespace, limit = unlimited } = query
    if (!query.continue && empty.has(collection, namespace)) return { items: [], version: String(durable) }
    const [version, ...after] = query.continue
      ? readPageToken(query.continue, ['number', 'string', 'string'] as const)
      : ([durable, '', ''] as const)
    if (!log.reaches(collection, version))
      throw new StoreError('expired', `the listing of ${query.kind} is too old to continue: its version was compacted`)
    const place = { collection, version, namespace, after, now: clock.now(), limit: limit + 1 }
    const labels = narrowest(collection, query.labels ?? [])
    const { rows, isCut } = writer.read(() => (labels ? pageOfAny(labels, place) : tables.page(place)))
    if (rows.length === 0 && !query.continue && !labels) empty.add(collection, namespace)
    const items = rows.slice(0, limit).map(storedOf)
    const last = (isCut || rows.length > limit) && items.at(-1)?.ref
    return {
      items,
      version: String(version),
      ...(last && { continue: pageToken([version, last.namespace, last.name]) }),
    }
  }

  /** The term whose labels the fewest objects have; undefined if reading all objects is just as cheap. */
  function narrowest(collection: string, terms: readonly (readonly string[])[]): readonly string[] | undefined {
    const usable = terms.filter(labels => labels.length <= maxLabels)
    if (usable.length < 2) return usable[0]
    const [first] = usable
      .map(labels => ({ labels, count: sum(labels.map(label => tables.countLabel(collection, label, counted))) }))
      .sort((a, b) => a.count - b.count)
    return first!.labels
  }

  /** An object has at most one of the labels, as they are values of one key; but a changed object is found for each of them. */
  function pageOfAny(labels: readonly string[], place: PageRows): RowPage {
    return mergedPages(labels.map(label => tables.page({ ...place, label })))
  }

  async function referrers(target: string, page: ReferrerQuery): Promise<RefPage> {
    const { limit = unlimited, of } = page
    const collection = of && collectionOf(of)
    if (unreferenced.has(target, collection)) return { refs: [] }
    const after = page.continue
      ? readPageToken(page.continue, ['string', 'string', 'string'] as const)
      : (['', '', ''] as const)
    const rows = writer.read(() => tables.referrers(target, after, limit + 1, collection))
    if (rows.length === 0 && !page.continue) unreferenced.add(target, collection)
    const last = rows.length > limit && rows[limit - 1]
    return {
      refs: rows.slice(0, limit).map(refOfRow),
      ...(last && { continue: pageToken([last.collection, last.namespace, last.name]) }),
    }
  }

  async function* watch(query: WatchQuery): AsyncGenerator<ChangeEvent, void, undefined> {
    const collection = collectionOf(query)
    let after = Number(query.after)
    // A version from the future was issued before the data was reset to an earlier state.
    if (!(after <= tables.lastVersion())) throw new StoreError('expired', `version ${query.after} was not issued here`)
    const ended = () => closed || query.signal.aborted
    const end = query.untilNow ? durable : Number.POSITIVE_INFINITY
    while (!ended()) {
      if (!log.reaches(collection, after))
        throw new StoreError('expired', `version ${after} of ${query.kind} is too old: it was compacted`)
      const upTo = durable
      const events = writer.read(() => log.read(collection, query.namespace, after, upTo))
      for (const event of events) {
        yield event
        if (ended()) return
        after = Number(event.object.version)
      }
      if (events.length > 0) continue
      after = Math.max(after, upTo)
      if (after >= end) return
      await changes.sleep(collection, query.signal)
    }
  }

  async function commit(change: ObjectChange): Promise<StoredObject> {
    const [stored, ...cleared] = await writer.write(() => {
      hasWritten = false
      try {
        const applied = apply(change)
        const cleared = trimFor(applied) ? clearExpired() : []
        // Deletions of expired objects are logged as well.
        for (const one of cleared) trimFor(one)
        return [applied, ...cleared]
      } catch (error) {
        if (hasWritten) forget()
        throw error
      }
    })
    for (const { ref, version } of [stored!, ...cleared]) {
      durable = Math.max(durable, Number(version))
      const collection = collectionOf(ref)
      empty.delete(collection, ref.namespace)
      changes.wake(collection)
    }
    return stored!
  }

  function close(): void {
    closed = true
    changes.wakeAll()
  }

  /** Cached and counted state of changes that were undone is dropped. */
  function forget(): void {
    usage.forget()
    current.clear()
  }

  // The functions below run inside the writer's transactions.

  function apply(change: ObjectChange): StoredObject {
    const { ref, fence } = change
    if (fence && !isCurrent(fence))
      throw new StoreError('fenced', `${describeRef(ref)} was not written: lease ${fence.token} was lost`)
    const head = liveHead(ref)
    if (change.op === 'create') {
      if (head) throw new StoreError('exists', `${describeRef(ref)} already exists`)
      return put(change, undefined)
    }
    if (!head) throw new StoreError('missing', `${describeRef(ref)} does not exist`)
    if (String(head.version) !== change.expect)
      throw new StoreError('conflict', `${describeRef(ref)} is at version ${head.version}, not at ${change.expect}`)
    return change.op === 'update' ? put(change, head) : remove(ref, head, change.body)
  }

  function trimFor({ version, body }: StoredObject): boolean {
    return log.trim(Number(version), Buffer.byteLength(body))
  }

  /** Deletes an expired object first, so that its name is free. */
  function liveHead(ref: ObjectRef): Head | undefined {
    const head = tables.head(ref)
    if (!head || head.expires === null || head.expires > clock.now()) return head
    remove(ref, head, tables.current(ref, Number.NEGATIVE_INFINITY)!.body)
    return undefined
  }

  function clearExpired(): StoredObject[] {
    return tables
      .expired(clock.now(), sweep)
      .map(row =>
        remove(
          refOfRow(row),
          { ...row, due: row.due ?? null, expires: row.expires ?? null, size: Buffer.byteLength(row.body) },
          row.body,
        ),
      )
  }

  function put(change: Exclude<ObjectChange, { op: 'delete' }>, head: Head | undefined): StoredObject {
    const { ref, body, expires } = change
    const more = { objects: head ? 0 : 1, bytes: Buffer.byteLength(body) - (head?.size ?? 0) }
    const excess = change.isBounded && usage.excess(ref.namespace, more)
    if (excess) throw new StoreError('bounded', excess)
    hasWritten = true
    usage.add(ref.namespace, more)
    const due = dueAfter(change, head?.due ?? undefined)
    const refersTo = JSON.stringify(change.refersTo)
    const version = tables.addRecord({ ref, replaces: head?.version, deletes: false, refersTo, body })
    const labels = JSON.stringify(change.labels ?? [])
    tables.setHead(ref, { version, due, expires, labels })
    if (refersTo !== (head?.refers_to ?? '[]')) {
      for (const target of referencesOf(head)) tables.dropReference(target, ref)
      for (const target of change.refersTo) {
        tables.addReference(target, ref)
        unreferenced.delete(target, collectionOf(ref))
      }
    }
    if (labels !== (head?.labels ?? '[]')) {
      const before = new Set(labelsOf(head))
      const after = new Set(change.labels)
      for (const label of before.difference(after)) tables.dropLabel(label, ref)
      for (const label of after.difference(before)) tables.addLabel(label, ref)
    }
    const stored = {
      ref,
      version: String(version),
      body,
      refersTo: change.refersTo,
      ...(due !== undefined && { due }),
      ...(expires !== undefined && { expires }),
    }
    current.put(stored)
    return stored
  }

  function remove(ref: ObjectRef, head: Head, body: string): StoredObject {
    const refersTo = referencesOf(head)
    hasWritten = true
    current.drop(ref)
    usage.add(ref.namespace, { objects: -1, bytes: -head.size })
    const version = tables.addRecord({
      ref,
      replaces: head.version,
      deletes: true,
      refersTo: head.refers_to,
      body,
    })
    tables.dropHead(ref)
    for (const target of refersTo) tables.dropReference(target, ref)
    for (const label of labelsOf(head)) tables.dropLabel(label, ref)
    return { ref, version: String(version), body, refersTo }
  }
}

const labelsOf = (head: Head | undefined): string[] => (head ? (JSON.parse(head.labels) as string[]) : [])

const referencesOf = (head: Head | undefined): string[] => (head ? (JSON.parse(head.refers_to) as string[]) : [])

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
