import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyContactTime, steadyLatency } from '../../../../lib/reconcile/cluster/steady-status.ts'

test('a latency stays until it has doubled or halved', () => {
  assert.equal(steadyLatency(undefined, 19.6), '20ms')
  assert.equal(steadyLatency('20ms', 39), '20ms')
  assert.equal(steadyLatency('20ms', 10), '20ms')
  assert.equal(steadyLatency('20ms', 41), '41ms')
  assert.equal(steadyLatency('20ms', 9), '9ms')
  assert.equal(steadyLatency('20ms', 1200), '1.2s')
})

test('below ten milliseconds a difference is nothing to write about, and no latency is 0', () => {
  assert.equal(steadyLatency('1ms', 9.5), '1ms')
  assert.equal(steadyLatency('1ms', 0.2), '1ms')
  assert.equal(steadyLatency('4ms', 0.2), '4ms')
  assert.equal(steadyLatency(undefined, 0.2), '1ms')
})

test('a latency that nobody could have written is replaced', () => {
  assert.equal(steadyLatency('fast', 12), '12ms')
})

test('the last contact is rounded to the hour', () => {
  const stored = '2026-11-27T06:00:00Z'
  const at = Date.parse(stored)
  assert.equal(steadyContactTime(undefined, at), stored)
  assert.equal(steadyContactTime(stored, at + 3_599_000), stored)
  assert.equal(steadyContactTime(stored, at + 3_600_000), '2026-11-27T07:00:00Z')
  // A clock that was ahead is corrected.
  assert.equal(steadyContactTime(stored, at - 3_600_000), '2026-11-27T05:00:00Z')
})
