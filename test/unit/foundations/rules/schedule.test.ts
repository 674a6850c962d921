import assert from 'node:assert/strict'
import { test } from 'node:test'
import { backOff, withJitter } from '../../../../lib/foundations/rules/schedule.ts'

test('KS-052 spreads intervals to both sides by the percentage', () => {
  assert.deepEqual(
    [0, 0.5, 0.999].map(fraction => withJitter(600_000, 5, fraction)),
    [570_000, 600_000, 629_940],
  )
  assert.equal(withJitter(600_000, 0, 0.9), 600_000)
})

test('KS-056 waits as long again as a failure has lasted, from 750 ms up to 15 minutes', () => {
  assert.deepEqual(
    [0, 3_000, 60_000, 86_400_000].map(failingFor => backOff(failingFor, 0)),
    [750, 3_000, 60_000, 900_000],
  )
  assert.equal(backOff(60_000, 0.5), 63_000)
})
