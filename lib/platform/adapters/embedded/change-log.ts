import { RecentlyUsed } from '../../../foundations/budget/recently-used.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ChangeEvent } from '../../ports/objects.ts'
import type { Database } from './database.ts'
import { type RecordRow, storedOf } from './records.ts'
import { firstRows } from './row-page.ts'

export interface ChangeLog {
  /** Changes of a collection after one version and up to another, the oldest first. Returns one batch: more may follow. */
  read(collection: string, namespace: string | undefined, after: number, upTo: number): readonly ChangeEvent[]
  /** Whether all changes of the collection after the version are still in the log. */
  reaches(collection: string, version: number): boolean
  /**
   * Called with each change, within its transaction: from time to time drops the changes beyond the limit. `bytes` is the size of the logged
   * change. Returns whether it checked the limit: a good moment for other housekeeping.
   */
  trim(lastVersion: number, bytes: number): boolean
}

export interface ChangeLogLimit {
  /** Maximum number of changes, over all collections. */
  readonly changes: number
  readonly ageMs: number
  /** Maximum total size of their bodies. */
  readonly bytes: number
}

interface ChangeRow extends RecordRow {
  readonly deletes: number
  readonly replaces: number | null
  readonly before: string | null
}

const batch = 200
/** Maximum size of a batch in characters of bodies: each watch holds its current batch in memory. */
const batchSize = 250_000
/** Cached reads: the watchers of a collection are usually at the same version and share the same events. */
const remembered = 8
/** How often the log is trimmed and its latest version recorded with the time. */
const trimEvery = { changes: 1000, ageMs: 60_000, partOfBytes: 1 / 16 }

/**
 * The log in the hub's database, in which a record stays until its change is beyond `limit`. All calls are synchronous,
 * within the caller's transaction.
 */
export function changeLog({ sql }: Database, clock: Clock, limit: ChangeLogLimit): ChangeLog {
  const select = (where: string) =>
    sql.prepare(`
      SELECT r.*, p.body AS before FROM records r LEFT JOIN records p ON p.version = r.replaces
      WHERE r.collection = ? AND r.version > ? AND r.version <= ? ${where} ORDER BY r.version LIMIT ${batch}`)
  const readAll = select('')
  const readNamespace = select('AND r.namespace = ?')

  const forgotten = new Map(
    sql
      .prepare('SELECT collection, version FROM forgotten')
      .all()
      .map(row => [row.collection as string, row.version as number]),
  )
  const mark = sql.prepare('INSERT INTO marks VALUES (?, ?)')
  const lastMarkBy = sql.prepare('SELECT max(version) AS version FROM marks WHERE at <= ?')
  const unmark = sql.prepare('DELETE FROM marks WHERE version <= ?')
  // Left by a clock that was ahead: such marks would keep their changes for as long as the clock was off.
  const unmarkFuture = sql.prepare('DELETE FROM marks WHERE at > ?')
  const lastForgotten = sql.prepare('SELECT max(version) AS version FROM forgotten')
  const collectionsBetween = sql.prepare(
    'SELECT collection, max(version) AS version FROM records WHERE version > ? AND version <= ? GROUP BY collection',
  )
  const forget = sql.prepare('INSERT OR REPLACE INTO forgotten VALUES (?, ?)')
  const dropReplaced = sql.prepare(
    'DELETE FROM records WHERE version IN (SELECT replaces FROM records WHERE version > ? AND version <= ?)',
  )
  const dropDeleted = sql.prepare('DELETE FROM records WHERE deletes = 1 AND version > ? AND version <= ?')
  const recent = new RecentlyUsed<readonly ChangeEvent[]>(remembered)
  let trimmedTo = (lastForgotten.get() as { version: number | null }).version ?? 0
  let marked = { version: trimmedTo, at: Number.NEGATIVE_INFINITY }
  /** Total bytes ever logged, now and at some earlier versions, the oldest first. */
  const found = sql
    .prepare('SELECT max(version) AS version, sum(octet_length(body)) AS bytes FROM records WHERE version > ?')
    .get(trimmedTo) as { readonly version: number | null; readonly bytes: number | null }
  let logged = found.bytes ?? 0
  const sizes = [{ version: found.version ?? trimmedTo, logged }]
  let markedBytes = logged

  /** The version after which the log has as many bytes as the limit allows. */
  const tooLarge = (lastVersion: number): number => {
    sizes.push({ version: lastVersion, logged })
    const last = sizes.findLastIndex(size => logged - size.logged >= limit.bytes)
    if (last < 0) return 0
    return sizes.splice(0, last + 1).at(-1)!.version
  }

  return {
    read: (collection, namespace, after, upTo) => {
      const place = JSON.stringify([collection, namespace, after, upTo])
      const known = recent.peek(place)
      if (known) return known
      const rows =
        namespace === undefined
          ? readAll.iterate(collection, after, upTo)
          : readNamespace.iterate(collection, after, upTo, namespace)
      const events = firstRows<ChangeRow>(rows, batchSize, sizeOf).rows.map(eventOf)
      recent.set(place, events)
      return events
    },

    reaches: (collection, version) => version >= (forgotten.get(collection) ?? 0),

    trim: (lastVersion, bytes) => {
      const now = clock.monotonic()
      logged += bytes
      const isTime =
        lastVersion - marked.version >= trimEvery.changes ||
        now - marked.at >= trimEvery.ageMs ||
        logged - markedBytes >= limit.bytes * trimEvery.partOfBytes
      if (!isTime) return false
      marked = { version: lastVersion, at: now }
      markedBytes = logged
      unmarkFuture.run(clock.now())
      mark.run(clock.now(), lastVersion)
      const tooOld = (lastMarkBy.get(clock.now() - limit.ageMs) as { version: number | null }).version ?? 0
      const upTo = Math.max(tooOld, lastVersion - limit.changes, tooLarge(lastVersion))
      if (upTo <= trimmedTo) return true
      for (const row of collectionsBetween.all(trimmedTo, upTo)) {
        forget.run(row.collection!, row.version!)
        forgotten.set(row.collection as string, row.version as number)
      }
      dropReplaced.run(trimmedTo, upTo)
      dropDeleted.run(trimmedTo, upTo)
      unmark.run(upTo)
      trimmedTo = upTo
      return true
    },
  }
}

const sizeOf = ({ body, before }: ChangeRow): number => body.length + (before?.length ?? 0)

const eventOf = (row: ChangeRow): ChangeEvent => ({
  type: row.deletes ? 'deleted' : row.replaces === null ? 'created' : 'updated',
  object: storedOf(row),
  ...(row.before !== null && { before: row.before }),
})
