import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import type { Database } from './database.ts'
import { collectionOf, type RecordRow } from './records.ts'
import { firstRows, mergedPages, type RowPage } from './row-page.ts'

/** Where an object stands. */
export interface Head {
  readonly version: number
  readonly due: number | null
  readonly expires: number | null
  /** Bytes of the body. */
  readonly size: number
  /** JSON list. */
  readonly refers_to: string
  /** JSON list. */
  readonly labels: string
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
  /** Only what has this label now, and what has changed since the version. */
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
  /** Up to a size, or one row that is larger. */
  page(page: PageRows): RowPage
  referrers(target: string, after: readonly [string, string, string], limit: number): readonly Place[]
  head(ref: ObjectRef): Head | undefined
  /** Objects whose time has passed, with their last bodies. */
  expired(now: number, limit: number): readonly (RecordRow & Pick<Head, 'labels'>)[]
  /** Adds a state and gives its version. */
  addRecord(record: NewRecord): number
  setHead(ref: ObjectRef, head: NewHead): void
  dropHead(ref: ObjectRef): void
  addReference(target: string, ref: ObjectRef): void
  dropReference(target: string, ref: ObjectRef): void
  addLabel(label: string, ref: ObjectRef): void
  dropLabel(label: string, ref: ObjectRef): void
  /** How many objects have a label, counted up to a limit. */
  labelled(collection: string, label: string, limit: number): number
}

interface NewHead {
  readonly version: number
  readonly due: number | undefined
  readonly expires: number | undefined
  /** JSON list. */
  readonly labels: string
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
  // What has not changed since the version stands as it did...
  const unchanged = (place: (table: string) => string, heads: 'h' | 'l') =>
    sql.prepare(`
      SELECT ${columns('r')}, h.due, h.expires FROM ${headsBy[heads]} CROSS JOIN records r ON r.version = h.version
      WHERE ${heads}.collection = :collection AND h.version <= :version AND ${place(heads)}
        AND (h.expires IS NULL OR h.expires > :now)
      ORDER BY ${heads}.namespace, ${heads}.name LIMIT :limit`)
  // ...and of what has, this is the state that its first change since replaced.
  const changed = (place: (table: string) => string) =>
    sql.prepare(`
      SELECT ${columns('p')}, NULL AS due, NULL AS expires FROM records r JOIN records p ON p.version = r.replaces
      WHERE r.collection = :collection AND r.version > :version AND p.version <= :version AND ${place('p')}
      ORDER BY p.namespace, p.name LIMIT :limit`)
  const anywhere = (table: string) => `(${table}.namespace, ${table}.name) > (:afterNamespace, :afterName)`
  const inNamespace = (table: string) => `${table}.namespace = :afterNamespace AND ${table}.name > :afterName`
  const pageOf = (place: (table: string) => string) => ({
    all: unchanged(place, 'h'),
    labelled: unchanged(place, 'l'),
    changed: changed(place),
  })
  const pages = { everywhere: pageOf(anywhere), namespace: pageOf(inNamespace) }
  const referrers = sql.prepare(`
    SELECT collection, namespace, name FROM refers
    WHERE target = ? AND (collection, namespace, name) > (?, ?, ?) ORDER BY collection, namespace, name LIMIT ?`)
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
  const labelled = sql.prepare(
    'SELECT count(*) AS count FROM (SELECT 1 FROM labels WHERE collection = ? AND label = ? LIMIT ?)',
  )

  return {
    lastVersion: () => (lastVersion.get() as { seq: number }).seq,
    current: (ref, now) => current.get(...keyOf(ref), now) as unknown as RecordRow | undefined,
    page: ({ collection, version, namespace, after: [afterNamespace, afterName], now, limit, label }) => {
      const { all, labelled, changed } = pages[namespace === undefined ? 'everywhere' : 'namespace']
      const place = { collection, version, afterNamespace: namespace ?? afterNamespace, afterName, limit }
      const unchanged =
        label === undefined ? all.iterate({ ...place, now }) : labelled.iterate({ ...place, now, label })
      return mergedPages([bounded(unchanged), bounded(changed.iterate(place))])
    },
    referrers: (target, after, limit) => referrers.all(target, ...after, limit) as unknown as Place[],
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
    labelled: (collection, label, limit) => (labelled.get(collection, label, limit) as { count: number }).count,
  }
}

/**
 * Characters of bodies in one page. A listing holds a page several times over (rows, objects, text, what is not sent yet) while its client
 * takes it, and a hundred clients of one tenant that read nothing hold as many: with a million they came to more than 1 GB.
 */
const pageSize = 250_000

const bounded = (rows: Iterable<unknown>): RowPage => firstRows<RecordRow>(rows, pageSize, ({ body }) => body.length)

/** Of a record, what a RecordRow needs. */
const columns = (table: string) =>
  ['version', 'collection', 'namespace', 'name', 'refers_to', 'body'].map(column => `${table}.${column}`).join(', ')

/** Heads as a collection has them in order, or as a label has. */
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
