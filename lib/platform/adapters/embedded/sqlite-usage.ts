import { type UsageOf, usageFields } from '../../../foundations/rules/usage.ts'
import type { Clock } from '../../ports/clock.ts'
import { dayOf, type UsageDay, type UsageStore, usageDays } from '../../ports/usage.ts'
import type { Database } from './database.ts'
import type { Writer } from './group-commit.ts'

const columns = usageFields.map(field => field.toLowerCase())

/** Sums in a table of the hub's database. */
export const sqliteUsage = ({ sql }: Database, writer: Writer, clock: Pick<Clock, 'now'>): UsageStore => {
  const add = sql.prepare(
    `INSERT INTO usage (namespace, day, cluster, ${columns.join(', ')}) VALUES (?, ?, ?, ${columns.map(() => '?').join(', ')})
     ON CONFLICT DO UPDATE SET ${columns.map(column => `${column} = ${column} + excluded.${column}`).join(', ')}`,
  )
  const read = sql.prepare('SELECT * FROM usage WHERE namespace = ? AND day >= ? ORDER BY day, cluster')
  const forget = sql.prepare('DELETE FROM usage WHERE day < ?')
  let forgotten = ''
  return {
    checksPerRecord: 1,
    add: async ({ namespace, cluster, day }, usage) => {
      await writer.write(() => {
        add.run(namespace, day, cluster, ...usageFields.map(field => usage[field]))
        if (forgotten === day) return
        forget.run(dayOf(clock.now() - usageDays * 86_400_000))
        forgotten = day
      })
    },
    read: async (namespace, since) =>
      writer
        .read(() => read.all(namespace, since))
        .map(row => {
          const { day, cluster } = row as unknown as UsageDay
          const sums = usageFields.map(field => [field, row[field.toLowerCase()]])
          return { namespace, day, cluster, ...Object.fromEntries(sums) } as UsageDay & UsageOf
        }),
  }
}
