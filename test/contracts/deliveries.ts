import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DeliveryPlace, DeliveryRecord, NewDelivery } from '../../lib/platform/ports/deliveries.ts'
import { type OpenStoreWorld, within } from './store-world.ts'

const day = 24 * 60 * 60_000

/** What every platform must do with the record of webhooks' calls. */
export function describeDeliveries(name: string, open: OpenStoreWorld): void {
  const deliveryAt = (startedAt: number, more: Partial<NewDelivery> = {}): NewDelivery => ({
    receiver: 'receiver-a',
    name: `github-${startedAt}`,
    startedAt,
    body: Buffer.from(`body of ${startedAt}`),
    used: { verified: startedAt + 1, refused: 2 },
    expires: startedAt + day,
    ...more,
  })
  const namesOf = (records: readonly DeliveryPlace[]) => records.map(({ name }) => name)
  const plain = (record: DeliveryRecord | undefined) =>
    record && { ...record, body: Buffer.from(record.body).toString(), expires: undefined }

  describe(`deliveries: ${name}`, () => {
    test(
      'are read by name, of their own Receiver only',
      within(open, async ({ deliveries, clock, reopen }) => {
        const first = deliveryAt(clock.now())
        assert.equal(await deliveries.get(first), undefined)
        await deliveries.add(first)
        const { deliveries: again } = await reopen()
        assert.deepEqual(plain(await again.get(first)), plain({ ...first, outcomes: [] }))
        assert.equal(await again.get({ ...first, receiver: 'receiver-b' }), undefined)
      }),
    )

    test(
      'are paged from the newest on, within a time',
      within(open, async ({ deliveries, clock }) => {
        const start = clock.now()
        const names: string[] = []
        for (let i = 0; i < 11; i++) {
          const made = deliveryAt(start + i * 1000, { name: `github-${String(i).padStart(2, '0')}` })
          names.unshift(made.name)
          await deliveries.add(made)
        }
        await deliveries.add(deliveryAt(start + 10_000, { name: 'github-10-twin' }))
        names.unshift('github-10-twin')
        await deliveries.add(deliveryAt(start, { receiver: 'receiver-b' }))
        const read: DeliveryRecord[] = []
        for (let before: DeliveryRecord | undefined; ; before = read.at(-1)) {
          const page = await deliveries.page({ receiver: 'receiver-a', limit: 5, ...(before && { before }) })
          read.push(...page)
          if (page.length < 5) break
        }
        assert.deepEqual(namesOf(read), names)
        const between = { since: start + 2000, before: { startedAt: start + 4001, name: '' } }
        const found = await deliveries.page({ receiver: 'receiver-a', limit: 30, ...between })
        assert.deepEqual(namesOf(found), ['github-04', 'github-03', 'github-02'])
        assert.deepEqual(await deliveries.page({ receiver: 'nobody', limit: 30 }), [])
      }),
    )

    test(
      'take the outcomes of their objects, before they are stored themselves and after',
      within(open, async ({ deliveries, clock }) => {
        const made = deliveryAt(clock.now())
        const [early, late] = [
          { index: 1, ready: true, reason: 'Succeeded', revision: 'main@sha1:1', at: clock.now() + 1 },
          { index: 0, ready: false, reason: 'GitOperationFailed', at: clock.now() + 2 },
        ]
        await deliveries.addOutcome(made, early)
        assert.equal(await deliveries.get(made), undefined)
        assert.deepEqual(await deliveries.page({ receiver: made.receiver, limit: 5 }), [])
        await deliveries.add(made)
        await deliveries.addOutcome(made, late)
        assert.deepEqual((await deliveries.get(made))?.outcomes, [late, early])
        const mended = { ...late, ready: true, reason: 'Succeeded', at: clock.now() + 3 }
        await deliveries.addOutcome(made, mended)
        const [listed] = await deliveries.page({ receiver: made.receiver, limit: 5 })
        assert.deepEqual(listed?.outcomes, [mended, early])
      }),
    )

    test(
      'are gone when their time is over, and their payloads before',
      within(open, async ({ deliveries, clock }) => {
        const payload = { body: Buffer.from('sealed'), expires: clock.now() + day / 2 }
        const made = deliveryAt(clock.now(), { payload })
        await deliveries.add(made)
        assert.equal(Buffer.from((await deliveries.payload(made))!).toString(), 'sealed')
        await clock.advance(day / 2 + 2000)
        assert.equal(await deliveries.payload(made), undefined)
        assert.notEqual(await deliveries.get(made), undefined)
        await deliveries.add(deliveryAt(clock.now(), { name: 'kept' }))
        await clock.advance(day / 2 + 2000)
        assert.equal(await deliveries.get(made), undefined)
        assert.deepEqual(namesOf(await deliveries.page({ receiver: made.receiver, limit: 5 })), ['kept'])
      }),
    )

    test(
      'a processed request is known to its Receiver until it expires',
      within(open, async ({ deliveries, clock }) => {
        assert.equal(await deliveries.wasProcessed('receiver-a', 'x'), false)
        await deliveries.markProcessed('receiver-a', 'x', clock.now() + day)
        await deliveries.markProcessed('receiver-a', 'x', clock.now() + day)
        assert.equal(await deliveries.wasProcessed('receiver-a', 'x'), true)
        assert.equal(await deliveries.wasProcessed('receiver-b', 'x'), false)
        await clock.advance(day + 2000)
        assert.equal(await deliveries.wasProcessed('receiver-a', 'x'), false)
      }),
    )
  })
}
