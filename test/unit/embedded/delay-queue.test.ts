import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { delayQueue } from '../../../lib/platform/adapters/embedded/delay-queue.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

test('hands out every item once, at its time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: -5, max: 50 }), { maxLength: 30 }), async delays => {
      const clock = manualClock(1000)
      const seen: [number, number][] = []
      const line = delayQueue<number>(clock, index => seen.push([index, clock.now() - 1000]))
      for (const [index, delay] of delays.entries()) line.add(index, clock.now() + delay)
      await clock.advance(60)
      const expected = delays.map((delay, index) => [index, Math.max(delay, 0)])
      assert.deepEqual(
        seen.toSorted(([a], [b]) => a - b),
        expected,
      )
    }),
    { numRuns: 50 },
  )
})

test('hands out nothing after it was closed', async () => {
  const clock = manualClock()
  const seen: string[] = []
  const line = delayQueue<string>(clock, item => seen.push(item))
  line.add('a', clock.now() + 10)
  line.close()
  line.add('b', clock.now())
  await clock.advance(100)
  assert.deepEqual(seen, [])
})
