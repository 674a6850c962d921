import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { brokenTrees } from '../../../differential/broken-trees.ts'
import { harmOf } from '../../../differential/survives.ts'

test('refuses damaged trees with an error of its own, in bounded time, and harms nothing', async () => {
  await fc.assert(
    fc.asyncProperty(brokenTrees, async tree => assert.equal(await harmOf(tree), undefined)),
    { seed: 4, numRuns: 60 },
  )
})
