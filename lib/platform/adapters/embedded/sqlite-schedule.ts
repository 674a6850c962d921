import type { DueObject, Schedule } from '../../ports/schedule.ts'
import { collectionOf } from '../collection-name.ts'
import type { CurrentObjects } from './current-objects.ts'
import type { Database } from './database.ts'
import type { Writer } from './group-commit.ts'
import { refOfRow } from './records.ts'

export interface SqliteSchedule extends Schedule {
  /** Objects due after a time (ms since the epoch), which a clock that was ahead may have left. */
  dueAfter(time: number): Promise<readonly DueObject[]>
}

/** The due index beside the objects, in the same database. Drops an object from the cache when its due time changes. */
export function sqliteSchedule(
  { sql }: Database,
  writer: Writer,
  current: Pick<CurrentObjects, 'drop'>,
): SqliteSchedule {
  const dueBy = sql.prepare('SELECT collection, namespace, name, due FROM heads WHERE due <= ? ORDER BY due LIMIT ?')
  const pageOfDue = sql.prepare(
    `SELECT collection, namespace, name, due FROM heads
     WHERE due <= :time AND (due, collection, namespace, name) > (:due, :collection, :namespace, :name)
     ORDER BY due, collection, namespace, name LIMIT :pageSize`,
  )
  const dueAfter = sql.prepare('SELECT collection, namespace, name, due FROM heads WHERE due > ? ORDER BY due')
  const nextDue = sql.prepare('SELECT min(due) AS due FROM heads WHERE due IS NOT NULL')
  const dueOf = sql.prepare('SELECT due FROM heads WHERE collection = ? AND namespace = ? AND name = ?')
  const setDue = sql.prepare(
    `UPDATE heads
     SET due = CASE WHEN :dueSeen IS NULL OR due IS NULL OR due = :dueSeen THEN :due ELSE min(due, coalesce(:due, due)) END
     WHERE collection = :collection AND namespace = :namespace AND name = :name AND (:version IS NULL OR version = :version)`,
  )
  const claim = sql.prepare(
    `UPDATE heads SET due = :until
     WHERE collection = :collection AND namespace = :namespace AND name = :name
       AND (CASE WHEN :dueAt IS NULL THEN due IS NULL OR due <= :dueBy ELSE due = :dueAt END)`,
  )
  return {
    dueBy: async (time, limit) => (dueBy.all(time, limit) as unknown as DueRow[]).map(dueObject),
    dueAfter: async time => (dueAfter.all(time) as unknown as DueRow[]).map(dueObject),
    nextDue: async () => (nextDue.get() as { due: number | null }).due ?? undefined,
    dueOf: async ref => {
      const row = dueOf.get(collectionOf(ref), ref.namespace, ref.name) as { due: number | null } | undefined
      return row?.due ?? undefined
    },
    async *pagesDueBy(time, pageSize) {
      let after: DueRow = { due: Number.MIN_SAFE_INTEGER, collection: '', namespace: '', name: '' }
      for (;;) {
        const rows = pageOfDue.all({ time, pageSize, ...after }) as unknown as DueRow[]
        if (rows.length > 0) yield rows.map(dueObject)
        if (rows.length < pageSize) return
        after = { ...rows.at(-1)! }
      }
    },
    claim: async (ref, until, dueBy, dueAt) => {
      const row = { collection: collectionOf(ref), namespace: ref.namespace, name: ref.name }
      const { changes } = await writer.write(() => {
        current.drop(ref)
        return claim.run({ ...row, until, dueBy, dueAt: dueAt ?? null })
      })
      return Number(changes) > 0
    },
    setDue: async (ref, due, { version, dueSeen } = {}) => {
      await writer.write(() => {
        current.drop(ref)
        setDue.run({
          collection: collectionOf(ref),
          namespace: ref.namespace,
          name: ref.name,
          due: due ?? null,
          dueSeen: dueSeen ?? null,
          version: version === undefined ? null : Number(version),
        })
      })
    },
  }
}

interface DueRow {
  readonly collection: string
  readonly namespace: string
  readonly name: string
  readonly due: number
}

const dueObject = (row: DueRow): DueObject => ({ ref: refOfRow(row), due: row.due })
