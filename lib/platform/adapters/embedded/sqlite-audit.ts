import type { AuditRecord, AuditStore } from '../../ports/audit.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Database } from './database.ts'
import type { Writer } from './group-commit.ts'

/** Beyond these many the oldest are deleted: some 50 MB. */
const defaultBound = 100_000

/** What one write deletes at most; it adds one. */
const deletedAtOnce = 20

/** Records of requests in a table of the hub's database. */
export const sqliteAudit = (
  { sql }: Database,
  writer: Writer,
  clock: Pick<Clock, 'now'>,
  bound = defaultBound,
): AuditStore => {
  const put = sql.prepare('INSERT INTO audit (started, name, expires, body) VALUES (?, ?, ?, ?)')
  // Rows are numbered in the order in which they came, so the number of the last one says how many there are beyond the bound.
  const drop = sql.prepare(
    `DELETE FROM audit WHERE id IN (SELECT id FROM audit ORDER BY id LIMIT ${deletedAtOnce}) AND (expires <= ? OR id <= ?)`,
  )
  const page = sql.prepare(
    `SELECT started, name, expires, body FROM audit WHERE started >= :since AND (started, name) < (:started, :name) AND expires > :now
       ORDER BY started DESC, name DESC LIMIT :limit`,
  )
  return {
    add: async ({ startedAt, name, expires, body }) => {
      await writer.write(() => {
        const { lastInsertRowid } = put.run(startedAt, name, expires, body)
        drop.run(clock.now(), Number(lastInsertRowid) - bound)
      })
    },
    page: async ({ before = last, since, limit }) =>
      writer.read(() => {
        const { startedAt: started, name } = before
        return (page.all({ since, started, name, now: clock.now(), limit }) as unknown as Row[]).map(recordOf)
      }),
  }
}

const last = { startedAt: Number.MAX_SAFE_INTEGER, name: '' }

interface Row {
  readonly started: number
  readonly name: string
  readonly expires: number
  readonly body: Uint8Array
}

const recordOf = ({ started, name, expires, body }: Row): AuditRecord => ({ startedAt: started, name, expires, body })
