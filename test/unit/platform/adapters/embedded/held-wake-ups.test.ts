import assert from 'node:assert/strict'
import { test } from 'node:test'
import { heldWakeUps } from '../../../../../lib/platform/adapters/embedded/held-wake-ups.ts'
import { manualClock } from '../../../../contracts/manual-clock.ts'

const open = new AbortController().signal

test('who waits is woken at once, and no one else is', async () => {
  const clock = manualClock()
  const held = heldWakeUps(clock)
  const [here, there] = ['a', 'b'].map(place => held.wait(place, held.count(), 10_000, open))
  await held.send('a')
  assert.equal(await here, true)
  await clock.advance(10_000)
  assert.equal(await there, false)
})

test('a wake-up before the wait is not lost, and counts once', async () => {
  const clock = manualClock()
  const held = heldWakeUps(clock)
  const before = held.count()
  await held.send('a')
  assert.equal(await held.wait('a', before, 10_000, open), true)
  const again = held.wait('a', held.count(), 10_000, open)
  await clock.advance(10_000)
  assert.equal(await again, false)
})

test('a wait ends with its signal', async () => {
  const held = heldWakeUps(manualClock())
  const gone = new AbortController()
  const waiting = held.wait('a', 0, 10_000, gone.signal)
  gone.abort()
  assert.equal(await waiting, false)
  assert.equal(await held.wait('a', 0, 10_000, gone.signal), false)
})

test('of very many places some are woken for nothing, and none is missed', async () => {
  const held = heldWakeUps(manualClock())
  await held.send('first')
  const before = held.count()
  for (let place = 0; place < 10_000; place++) await held.send(`${place}`)
  assert.equal(await held.wait('1', before, 10_000, open), true)
  assert.equal(await held.wait('9999', before, 10_000, open), true)
  assert.equal(await held.wait('9999', held.count(), 10_000, AbortSignal.abort()), false)
})
