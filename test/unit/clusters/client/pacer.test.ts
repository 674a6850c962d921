import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pacer } from '../../../../lib/clusters/client/pacer.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

test('requests begin evenly spaced, however many come at once; time without any is not saved up', async () => {
  const clock = manualClock(0)
  const paced = pacer(4, clock, new AbortController().signal)
  const beganAt: number[] = []
  const send = () => paced(async () => beganAt.push(clock.monotonic()))
  const first = [send(), send(), send()]
  await clock.advance(1000)
  await Promise.all(first)
  assert.deepEqual(beganAt, [0, 250, 500])
  await clock.advance(10_000)
  const second = [send(), send()]
  await clock.advance(1000)
  await Promise.all(second)
  assert.deepEqual(beganAt.slice(3), [11_000, 11_250])
})

test('what waits fails when the pass is aborted, and is never sent', async () => {
  const clock = manualClock(0)
  const aborted = new AbortController()
  const paced = pacer(1, clock, aborted.signal)
  let sent = 0
  const send = () => paced(async () => ++sent)
  await send()
  const waiting = send()
  aborted.abort(new Error('the pass is over'))
  await assert.rejects(waiting, /the pass is over/)
  assert.equal(sent, 1)
})
