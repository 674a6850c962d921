import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AuditPlace, AuditRecord } from '../../lib/platform/ports/audit.ts'
import { type OpenStoreWorld, within } from './store-world.ts'

const day = 24 * 60 * 60_000

/** What every platform must do with the record of requests. */
export function describeAudit(name: string, open: OpenStoreWorld): void {
  const recordAt = (startedAt: number, name = 'a', expires = startedAt + 90 * day): AuditRecord => ({
    ...{ startedAt, name, expires },
    body: Buffer.from(`body of ${startedAt} ${name}`),
  })
  const plain = (records: readonly AuditRecord[]) =>
    records.map(({ startedAt, name, body }) => [startedAt, name, Buffer.from(body).toString()])

  describe(`audit: ${name}`, () => {
    test(
      'is paged from the newest on, over months, within a time',
      within(open, async ({ auditRecords, clock, reopen }) => {
        const now = clock.now()
        // Two of one millisecond follow each other by name.
        const all = [
          ...[recordAt(now, 'b'), recordAt(now, 'a'), recordAt(now - 1), recordAt(now - day)],
          ...[recordAt(now - 33 * day), recordAt(now - 34 * day), recordAt(now - 80 * day)],
        ]
        for (const record of all.toReversed()) await auditRecords.add(record)
        const { auditRecords: again } = await reopen()
        const read: AuditRecord[] = []
        for (let before: AuditPlace | undefined; ; before = read.at(-1)) {
          const page = await again.page({ since: now - 89 * day, limit: 3, ...(before && { before }) })
          read.push(...page)
          if (page.length < 3) break
        }
        assert.deepEqual(plain(read), plain(all))
        const within = await again.page({ since: now - 34 * day, before: { startedAt: now, name: '' }, limit: 10 })
        assert.deepEqual(plain(within), plain(all.slice(2, 6)))
        assert.deepEqual(await again.page({ since: now + 1, limit: 10 }), [])
      }),
    )

    test(
      'is not read any more once it has expired',
      within(open, async ({ auditRecords, clock }) => {
        const now = clock.now()
        await auditRecords.add(recordAt(now - 1, 'kept'))
        await auditRecords.add(recordAt(now, 'short', now + 60_000))
        assert.equal((await auditRecords.page({ since: now - day, limit: 5 })).length, 2)
        await clock.advance(61_000)
        const left = await auditRecords.page({ since: now - day, limit: 5 })
        assert.deepEqual(
          left.map(({ name }) => name),
          ['kept'],
        )
      }),
    )
  })
}
