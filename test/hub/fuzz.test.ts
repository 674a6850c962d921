import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstHarm } from '../fuzz/hub.ts'

// A slice; `npm run fuzz -- hub --minutes 60` goes on with other seeds.
test('survives malicious requests', async () => {
  assert.equal(await firstHarm(1, 400), undefined)
})
