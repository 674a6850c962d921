import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Clock } from '../../lib/platform/ports/clock.ts'

/** What every clock must do. */
export function describeClock(name: string, clock: Clock): void {
  describe(`clock: ${name}`, () => {
    test('reports the time in milliseconds since the epoch', () => {
      assert.ok(Math.abs(clock.now() - Date.now()) < 1000)
    })

    test('sleeps for the requested time, no shorter', async () => {
      const start = clock.now()
      await clock.sleep(30)
      assert.ok(clock.now() - start >= 30)
      await clock.sleep(0)
      await clock.sleep(-5)
    })

    test('wakes with the reason of the signal, before or during the sleep', async () => {
      const reason = new Error('enough')
      await assert.rejects(clock.sleep(60_000, AbortSignal.abort(reason)), reason)
      const stop = new AbortController()
      const asleep = clock.sleep(2 ** 40, stop.signal)
      stop.abort(reason)
      await assert.rejects(asleep, reason)
    })
  })
}
