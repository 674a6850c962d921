import type { AuditPlace, AuditRecord, AuditStore } from '../../ports/audit.ts'
import type { Clock } from '../../ports/clock.ts'
import { sortableNumber } from './item-keys.ts'
import { bytes, type Item, number, numberOf, type Table, text, textOf } from './table.ts'

/**
 * An item per request in the partition of its month, in the order of time: a write unit for one of at most 1 KB. DynamoDB deletes them some time after
 * they have expired.
 */
export const dynamoAudit = (table: Table, clock: Pick<Clock, 'now'>): AuditStore => ({
  add: async record => {
    await table.put({
      pk: text(partition(monthOf(record.startedAt))),
      sk: text(sortKey(record)),
      ttl: number(Math.ceil(record.expires / 1000)),
      body: bytes(record.body),
    })
  },

  page: async ({ before, since, limit }) => {
    const found: AuditRecord[] = []
    const last = monthOf(before?.startedAt ?? clock.now())
    const values = {
      ':from': text(sortableNumber(since)),
      ':to': text(before ? sortKey(before) : '~'),
      ':now': number(Math.floor(clock.now() / 1000)),
    }
    for (let month = last; month >= monthOf(since); month--) {
      const query = {
        ...{ pk: partition(month), where: '#sk BETWEEN :from AND :to', filter: '#ttl > :now', values },
        // One more than the limit, as BETWEEN includes the upper end, which is skipped.
        ...{ pageSize: limit - found.length + 1, newestFirst: true },
      }
      for await (const item of table.query(query)) {
        if (before && textOf(item, 'sk') === sortKey(before)) continue
        found.push(recordOf(item))
        if (found.length === limit) return found
      }
    }
    return found
  },
})

/** Months since the year 0, in UTC. */
const monthOf = (ms: number): number => {
  const date = new Date(ms)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

const partition = (month: number): string =>
  `audit#${Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`

const sortKey = ({ startedAt, name }: AuditPlace): string => `${sortableNumber(startedAt)}#${name}`

const recordOf = (item: Item): AuditRecord => {
  const [started, name = ''] = textOf(item, 'sk').split('#')
  return { startedAt: Number(started), name, body: item.body!.B!, expires: numberOf(item, 'ttl')! * 1000 }
}
