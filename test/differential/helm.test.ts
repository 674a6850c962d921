import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasHelmOracle, helmOracle } from '../bed/helm-oracle.ts'
import { generatedChart } from './charts.ts'
import { differenceFromHelm } from './helm-difference.ts'

const CHARTS = 300

test(`${CHARTS} charts made by chance come out as from Helm (HR-154)`, {
  skip: !hasHelmOracle() && "Helm's libraries are not built: `npm run fuzz -- helm` builds them",
}, async () => {
  await using oracle = await helmOracle()
  const tally = { rendered: 0, refused: 0 }
  for (let seed = 0; seed < CHARTS; seed++) {
    const difference = await differenceFromHelm(oracle, generatedChart(seed), tally)
    assert.equal(difference, undefined, `seed ${seed}: ${difference}`)
  }
  assert.ok(tally.rendered > CHARTS / 4, `only ${tally.rendered} of them rendered`)
})
