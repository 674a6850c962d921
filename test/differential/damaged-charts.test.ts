import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasHelmOracle, helmOracle } from '../bed/helm-oracle.ts'
import { endingOf } from './chart-harm.ts'
import { otherVerdict } from './chart-verdicts.ts'
import { type DamagedChart, damagedChart, soundChart } from './damaged-charts.ts'

const CHARTS = 150

const damaged = (): DamagedChart[] => Array.from({ length: CHARTS }, (_, seed) => damagedChart(soundChart(seed), seed))

test(`${CHARTS} damaged charts do no harm`, async () => {
  let refused = 0
  for (const [seed, chart] of damaged().entries()) {
    const { harm, refusal } = await endingOf(chart)
    assert.equal(harm, undefined, `seed ${seed}: ${harm}`)
    if (refusal !== undefined) refused++
  }
  assert.ok(refused > CHARTS / 4 && refused < CHARTS, `${refused} of them are refused`)
})

test('Helm refuses those that we refuse, and takes the others', {
  skip: !hasHelmOracle() && "Helm's libraries are not built: `npm run fuzz -- helm-damaged` builds them",
}, async () => {
  await using oracle = await helmOracle()
  for (const [seed, chart] of damaged().entries()) {
    const difference = await otherVerdict(oracle, chart, await endingOf(chart))
    assert.equal(difference, undefined, `seed ${seed}: ${difference}`)
  }
})
