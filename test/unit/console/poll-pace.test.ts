import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pollMsAfter } from '../../../lib/console/model/poll-pace.ts'

test('where reads cost money, a page that nobody uses reads once a minute: some 1,500 times a day', () => {
  const day = 24 * 3_600_000
  let reads = 0
  for (let now = 0; now < day; now += pollMsAfter(now)) reads++
  assert.ok(reads > 1_000 && reads < 1_550, `${reads} reads`)
  assert.equal(pollMsAfter(0), 5_000)
})
