import assert from 'node:assert/strict'
import { test } from 'node:test'
import { delayQueue } from '../../../lib/platform/adapters/embedded/delay-queue.ts'
import { inProcessQueue } from '../../../lib/platform/adapters/embedded/in-process-queue.ts'
import { processLeases } from '../../../lib/platform/adapters/embedded/process-leases.ts'
import { systemClock } from '../../../lib/platform/adapters/embedded/system-clock.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const day = 24 * 3_600_000
const ref = { group: 'apps.example.com', kind: 'Widget', namespace: 'default', name: 'a' }

for (const [direction, step] of [
  ['back', -day],
  ['forward', day],
] as const) {
  test(`a delayed message arrives at its time if the clock is set ${direction} before`, async () => {
    const clock = manualClock()
    const seen: string[] = []
    const line = delayQueue<string>(clock, item => seen.push(item))
    line.add('soon', clock.monotonic() + 10)
    clock.set(step)
    await clock.advance(9)
    assert.deepEqual(seen, [])
    await clock.advance(1)
    assert.deepEqual(seen, ['soon'])
  })

  test(`a message is delivered again after its pause if the clock is set ${direction} before`, async () => {
    const clock = manualClock()
    const queue = inProcessQueue({ clock, random: { ...systemRandom, fraction: () => 0.5 }, firstRetryMs: 1000 })
    let deliveries = 0
    queue.consume('source', { concurrency: 1 }, async () => {
      if (deliveries++ === 0) throw new Error('once more')
    })
    await queue.send([{ stage: 'source', ref }])
    await clock.advance(1)
    clock.set(step)
    await clock.advance(998)
    assert.equal(deliveries, 1)
    await clock.advance(2)
    assert.equal(deliveries, 2)
    await queue.close()
  })

  test(`a lease lasts for its whole time if the clock is set ${direction} before`, async () => {
    const clock = manualClock()
    const leases = processLeases(clock, 1)
    assert.ok(await leases.acquire(ref, 1000))
    clock.set(step)
    await clock.advance(999)
    assert.equal(await leases.acquire(ref, 1000), undefined)
    await clock.advance(1)
    assert.ok(await leases.acquire(ref, 1000))
  })
}

test('a sleep of the system clock does not depend on the time of day', async t => {
  let now = Date.now()
  t.mock.method(Date, 'now', () => now)
  const asleep = systemClock.sleep(20)
  now -= day
  await asleep
})
