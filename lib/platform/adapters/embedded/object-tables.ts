import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import { collectionOf } from '../collection-name.ts'
import type { Database } from './database.ts'
import type { RecordRow } from './records.ts'
import { firstRows, mergedPages, type RowPage } from './row-page.ts'

/** The current state of an object. */
export interface Head {
  readonly version: number
  readonly due: number | null
  readonly expires: number | null
  /** Size of the body in bytes. */
  readonly size: number
  /** JSON array. */
  readonly refers_to: string
  /** JSON array. */
  readonly labels: string
}

export interface PageRows {
  readonly collection: string
  /** Lists the state as of this version... */
  readonly version: number
  readonly namespace: string | undefined
  /** ...of objects after this one. */
  readonly after: readonly [namespace: string, name: string]
  readonly now: number
  readonly limit: number
  /** Only objects that have this label now, or have changed since the version. */
  readonly label?: string
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
  /** Limited by size, which a single row may exceed. */
  page(page: PageRows): RowPage
  /** Of one collection, if given. */
  referrers(
    target: string,
    after: readonly [string, string, string],
    limit: number,
    collection?: string,
  ): readonly Place[]
  head(ref: ObjectRef): Head | undefined
  /** Objects that have expired, with their last bodies. */
  expired(now: number, limit: number): readonly (RecordRow & Pick<Head, 'labels'>)[]
  /** Adds a state; returns its version. */
  addRecord(record: NewRecord): number
  setHead(ref: ObjectRef, head: NewHead): void
  dropHead(ref: ObjectRef): void
  addReference(target: string, ref: ObjectRef): void
  dropReference(target: string, ref: ObjectRef): void
  addLabel(label: string, ref: ObjectRef): void
  dropLabel(label: string, ref: ObjectRef): void
  /** The number of objects with a label, counted up to a limit. */
  countLabel(collection: string, label: string, limit: number): number
}

interface NewHead {
  readonly version: number
  readonly due: number | undefined
  readonly expires: number | undefined
  /** JSON array. */
  readonly labels: string
}

export interface Place {
  readonly collection: string
  readonly namespace: string
  readonly name: string
}

/** The SQL of the object store: one prepared statement per query, no decisions. */
export function objectTables({ sql }: Database): ObjectTables {
  const lastVersion = sql.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'records'`)
  const current = sql.prepare(`
    SELECT r.*, h.due, h.expires FROM heads h JOIN records r ON r.version = h.version
    WHERE h.collection = ? AND h.namespace = ? AND h.name = ? AND (h.expires IS NULL OR h.expires > ?)`)
  // Objects that have not changed since the version are as they were...
  const unchanged = (place: (table: string) => string, heads: 'h' | 'l') =>
    sql.prepare(`
      SELECT ${columns('r')}, h.due, h.expires FROM ${headsBy[heads]} CROSS JOIN records r ON r.version = h.version
      WHERE ${heads}.collection = :collection AND h.version <= :version AND ${place(heads)}
        AND (h.expires IS NULL OR h.expires > :now)
      ORDER BY ${heads}.namespace, ${heads}.name LIMIT :limit`)
  // ...and for the others, the state that their first change since replaced.
  const changed = (place: (table: string) => string) =>
    sql.prepare(`
      SELECT ${columns('p')}, NULL AS due, NULL AS expires FROM records r JOIN records p ON p.version = r.replaces
      WHERE r.collection = :collection AND r.version > :version AND p.version <= :version AND ${place('p')}
      ORDER BY p.namespace, p.name LIMIT :limit`)
  const anywhere = (table: string) => `(${table}.namespace, ${table}.name) > (:afterNamespace, :afterName)`
  const inNamespace = (table: string) => `${table}.namespace = :afterNamespace AND ${table}.name > :afterName`
  const pageOf = (place: (table: string) => string) => ({
    all: unchanged(place, 'h'),
    withLabel: unchanged(place, 'l'),
    changed: changed(place),
  })
  const pages = { everywhere: pageOf(anywhere), namespace: pageOf(inNamespace) }
  const referrers = sql.prepare(`
    SELECT collection, namespace, name FROM refers
    WHERE target = ? AND (collection, namespace, name) > (?, ?, ?) ORDER BY collection, namespace, name LIMIT ?`)
  const referrersOfKind = sql.prepare(`
    SELECT collection, namespace, name FROM refers
    WHERE target = ? AND collection = ? AND (namespace, name) > (?, ?) ORDER BY namespace, name LIMIT ?`)
  const head = sql.prepare(`
    SELECT h.version, h.due, h.expires, h.labels, r.refers_to, octet_length(r.body) AS size FROM heads h JOIN records r ON r.version = h.version
    WHERE h.collection = ? AND h.namespace = ? AND h.name = ?`)
  const expired = sql.prepare(`
    SELECT r.*, h.due, h.expires, h.labels FROM heads h JOIN records r ON r.version = h.version WHERE h.expires <= ? LIMIT ?`)
  const addRecord = sql.prepare(`
    INSERT INTO records (collection, namespace, name, replaces, deletes, refers_to, body) VALUES (?, ?, ?, ?, ?, ?, ?)`)
  const setHead = sql.prepare('INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?, ?, ?)')
  const dropHead = sql.prepare('DELETE FROM heads WHERE collection = ? AND namespace = ? AND name = ?')
  const addReference = sql.prepare('INSERT OR IGNORE INTO refers VALUES (?, ?, ?, ?)')
  const dropReference = sql.prepare(
    'DELETE FROM refers WHERE target = ? AND collection = ? AND namespace = ? AND name = ?',
  )

  const addLabel = sql.prepare('INSERT OR IGNORE INTO labels (label, collection, namespace, name) VALUES (?, ?, ?, ?)')
  const dropLabel = sql.prepare('DELETE FROM labels WHERE label = ? AND collection = ? AND namespace = ? AND name = ?')
  const countLabel = sql.prepare(
    'SELECT count(*) AS count FROM (SELECT 1 FROM labels WHERE collection = ? AND label = ? LIMIT ?)',
  )

  return {
    lastVersion: () => (lastVersion.get() as { seq: number }).seq,
    current: (ref, now) => current.get(...keyOf(ref), now) as unknown as RecordRow | undefined,
    page: ({ collection, version, namespace, after: [afterNamespace, afterName], now, limit, label }) => {
      const { all, withLabel, changed } = pages[namespace === undefined ? 'everywhere' : 'namespace']
      const place = { collection, version, afterNamespace: namespace ?? afterNamespace, afterName, limit }
      const unchanged =
        label === undefined ? all.iterate({ ...place, now }) : withLabel.iterate({ ...place, now, label })
      return mergedPages([bounded(unchanged), bounded(changed.iterate(place))])
    },
    referrers: (target, after, limit, collection) => {
      const rows =
        collection === undefined
          ? referrers.all(target, ...after, limit)
          : referrersOfKind.all(target, collection, after[1], after[2], limit)
      return rows as unknown as Place[]
    },
    head: ref => head.get(...keyOf(ref)) as unknown as Head | undefined,
    expired: (now, limit) => expired.all(now, limit) as unknown as (RecordRow & Pick<Head, 'labels'>)[],
    addRecord: ({ ref, replaces, deletes, refersTo, body }) =>
      Number(addRecord.run(...keyOf(ref), replaces ?? null, deletes ? 1 : 0, refersTo, body).lastInsertRowid),
    setHead: (ref, { version, due, expires, labels }) =>
      void setHead.run(...keyOf(ref), version, due ?? null, expires ?? null, labels),
    dropHead: ref => void dropHead.run(...keyOf(ref)),
    addReference: (target, ref) => void addReference.run(target, ...keyOf(ref)),
    dropReference: (target, ref) => void dropReference.run(target, ...keyOf(ref)),
    addLabel: (label, ref) => void addLabel.run(label, ...keyOf(ref)),
    dropLabel: (label, ref) => void dropLabel.run(label, ...keyOf(ref)),
    countLabel: (collection, label, limit) => (countLabel.get(collection, label, limit) as { count: number }).count,
  }
}

/**
 * Maximum size of a page, in characters of bodies. A listing holds a page several times over (rows, objects, text, unsent data) while its client
 * reads, and a hundred clients of one tenant that never read hold as many: with a million characters they took more than 1 GB.
 */
const pageSize = 250_000

const bounded = (rows: Iterable<unknown>): RowPage => firstRows<RecordRow>(rows, pageSize, ({ body }) => body.length)

/** The columns of a RecordRow. */
const columns = (table: string) =>
  ['version', 'collection', 'namespace', 'name', 'refers_to', 'body'].map(column => `${table}.${column}`).join(', ')

/** Heads in the order of their collection, or of a label. */
const headsBy = {
  h: 'heads h',
  l: `labels l CROSS JOIN heads h
        ON l.label = :label AND h.collection = l.collection AND h.namespace = l.namespace AND h.name = l.name`,
}

const keyOf = (ref: ObjectRef): [collection: string, namespace: string, name: string] => [
  collectionOf(ref),
  ref.namespace,
  ref.name,
]
