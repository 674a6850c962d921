import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyContactTime, steadyLatency } from '../../../../lib/reconcile/cluster/steady-status.ts'

test('a latency stays until it is four times as long, or a quarter', () => {
  assert.equal(steadyLatency(undefined, 19.6), '20ms')
  assert.equal(steadyLatency('20ms', 80), '20ms')
  assert.equal(steadyLatency('20ms', 81), '81ms')
  assert.equal(steadyLatency('200ms', 50), '200ms')
  assert.equal(steadyLatency('200ms', 49), '49ms')
  assert.equal(steadyLatency('20ms', 1200), '1.2s')
})

test('below fifty milliseconds a difference is nothing to write about, and no latency is 0', () => {
  assert.equal(steadyLatency('1ms', 49.5), '1ms')
  assert.equal(steadyLatency('40ms', 0.2), '40ms')
  assert.equal(steadyLatency(undefined, 0.2), '1ms')
})

test('a latency that nobody could have written is replaced', () => {
  assert.equal(steadyLatency('fast', 12), '12ms')
})

test('the last contact is rounded to six hours', () => {
  const stored = '2026-11-27T06:00:00Z'
  const at = Date.parse(stored)
  const kept = 6 * 3_600_000
  assert.equal(steadyContactTime(undefined, at), stored)
  assert.equal(steadyContactTime(stored, at + kept - 1000), stored)
  assert.equal(steadyContactTime(stored, at + kept), '2026-11-27T12:00:00Z')
  // A clock that was ahead is corrected.
  assert.equal(steadyContactTime(stored, at - kept), '2026-11-27T00:00:00Z')
})
