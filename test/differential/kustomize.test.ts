import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { kustomizeOracle } from '../bed/kustomize-oracle.ts'
import { differenceFromKustomize } from './kustomize-difference.ts'
import { kustomizeTrees } from './kustomize-trees.ts'

test('builds generated trees to the same bytes as the real kustomize', async () => {
  await using oracle = await kustomizeOracle()
  const tally = { built: 0, failed: 0 }
  await fc.assert(
    fc.asyncProperty(kustomizeTrees, async tree =>
      assert.equal(await differenceFromKustomize(oracle, tree, tally), undefined),
    ),
    { seed: 582, numRuns: 60 },
  )
  assert.ok(tally.built > tally.failed / 2, `most trees could not be built: ${JSON.stringify(tally)}`)
})
