import type { ObjectRef } from '../../kinds/object.ts'
import type { Database } from './database.ts'
import { collectionOf, type RecordRow } from './records.ts'

/** Where an object stands. */
export interface Head {
  readonly version: number
  readonly due: number | null
  readonly expires: number | null
  /** JSON list. */
  readonly refers_to: string
}

export interface PageRows {
  readonly collection: string
  /** The state as of this version... */
  readonly version: number
  readonly namespace: string | undefined
  /** ...of what comes after this place. */
  readonly after: readonly [namespace: string, name: string]
  readonly now: number
  readonly limit: number
}

export interface NewRecord {
  readonly ref: ObjectRef
  readonly replaces: number | undefined
  readonly deletes: boolean
  readonly refersTo: string
  readonly body: string
}

export interface ObjectTables {
  lastVersion(): number
  current(ref: ObjectRef, now: number): RecordRow | undefined
  page(page: PageRows): readonly RecordRow[]
  referrers(target: string, after: readonly [string, string, string], limit: number): readonly Place[]
  head(ref: ObjectRef): Head | undefined
  /** Objects whose time has passed, with their last bodies. */
  expired(now: number, limit: number): readonly RecordRow[]
  /** Adds a state and gives its version. */
  addRecord(record: NewRecord): number
  setHead(ref: ObjectRef, head: { version: number; due: number | undefined; expires: number | undefined }): void
  dropHead(ref: ObjectRef): void
  addReference(target: string, ref: ObjectRef): void
  dropReference(target: string, ref: ObjectRef): void
}

export interface Place {
  readonly collection: string
  readonly namespace: string
  readonly name: string
}

/** The SQL of the object store: one prepared statement per question, nothing decided here. */
export function objectTables({ sql }: Database): ObjectTables {
  const lastVersion = sql.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'records'`)
  const current = sql.prepare(`
    SELECT r.*, h.due, h.expires FROM heads h JOIN records r ON r.version = h.version
    WHERE h.collection = ? AND h.namespace = ? AND h.name = ? AND (h.expires IS NULL OR h.expires > ?)`)
  // What has not changed since the version stands as it did; what has, is the state that its first change since replaced.
  // Each half is cut to a page by itself: else all that is left of a large collection would be sorted for every page.
  const page = (place: (table: string) => string) =>
    sql.prepare(`
      SELECT * FROM (
        SELECT r.*, h.due, h.expires FROM heads h CROSS JOIN records r ON r.version = h.version
        WHERE h.collection = :collection AND h.version <= :version AND ${place('h')} AND (h.expires IS NULL OR h.expires > :now)
        ORDER BY h.namespace, h.name LIMIT :limit)
      UNION ALL
      SELECT * FROM (
        SELECT p.*, NULL, NULL FROM records r JOIN records p ON p.version = r.replaces
        WHERE r.collection = :collection AND r.version > :version AND p.version <= :version AND ${place('p')}
        ORDER BY p.namespace, p.name LIMIT :limit)
      ORDER BY namespace, name LIMIT :limit`)
  const pageOfAll = page(table => `(${table}.namespace, ${table}.name) > (:afterNamespace, :afterName)`)
  const pageOfNamespace = page(table => `${table}.namespace = :afterNamespace AND ${table}.name > :afterName`)
  const referrers = sql.prepare(`
    SELECT collection, namespace, name FROM refers
    WHERE target = ? AND (collection, namespace, name) > (?, ?, ?) ORDER BY collection, namespace, name LIMIT ?`)
  const head = sql.prepare(`
    SELECT h.version, h.due, h.expires, r.refers_to FROM heads h JOIN records r ON r.version = h.version
    WHERE h.collection = ? AND h.namespace = ? AND h.name = ?`)
  const expired = sql.prepare(`
    SELECT r.*, h.due, h.expires FROM heads h JOIN records r ON r.version = h.version WHERE h.expires <= ? LIMIT ?`)
  const addRecord = sql.prepare(`
    INSERT INTO records (collection, namespace, name, replaces, deletes, refers_to, body) VALUES (?, ?, ?, ?, ?, ?, ?)`)
  const setHead = sql.prepare('INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?)')
  const dropHead = sql.prepare('DELETE FROM heads WHERE collection = ? AND namespace = ? AND name = ?')
  const addReference = sql.prepare('INSERT OR IGNORE INTO refers VALUES (?, ?, ?, ?)')
  const dropReference = sql.prepare(
    'DELETE FROM refers WHERE target = ? AND collection = ? AND namespace = ? AND name = ?',
  )

  return {
    lastVersion: () => (lastVersion.get() as { seq: number }).seq,
    current: (ref, now) => current.get(...keyOf(ref), now) as unknown as RecordRow | undefined,
    page: ({ collection, version, namespace, after: [afterNamespace, afterName], now, limit }) =>
      (namespace === undefined ? pageOfAll : pageOfNamespace).all({
        collection,
        version,
        afterNamespace: namespace ?? afterNamespace,
        afterName,
        now,
        limit,
      }) as unknown as RecordRow[],
    referrers: (target, after, limit) => referrers.all(target, ...after, limit) as unknown as Place[],
    head: ref => head.get(...keyOf(ref)) as unknown as Head | undefined,
    expired: (now, limit) => expired.all(now, limit) as unknown as RecordRow[],
    addRecord: ({ ref, replaces, deletes, refersTo, body }) =>
      Number(addRecord.run(...keyOf(ref), replaces ?? null, deletes ? 1 : 0, refersTo, body).lastInsertRowid),
    setHead: (ref, { version, due, expires }) => void setHead.run(...keyOf(ref), version, due ?? null, expires ?? null),
    dropHead: ref => void dropHead.run(...keyOf(ref)),
    addReference: (target, ref) => void addReference.run(target, ...keyOf(ref)),
    dropReference: (target, ref) => void dropReference.run(target, ...keyOf(ref)),
  }
}

const keyOf = (ref: ObjectRef): [collection: string, namespace: string, name: string] => [
  collectionOf(ref),
  ref.namespace,
  ref.name,
]
