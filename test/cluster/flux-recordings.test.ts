import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { startBeds } from '../conformance/flux/beds.ts'
import { resultOf } from '../conformance/flux/result.ts'
import { type Scenario, scenariosBelow } from '../conformance/flux/scenario.ts'
import { hasWorkForRunner } from '../conformance/flux/scenario-runner.ts'
import { recordedHere } from './recorded.ts'

/**
 * What `node test/recorders/controllers.ts` has recorded of Flux's controllers, and a slice of what others have, about a
 * minute of it; `npm run conformance -- flux` replays all.
 * Another seed takes another slice: `KEELSON_SEED=7 npm test -- test/cluster/flux-recordings.test.ts`.
 */
const seed = process.env.KEELSON_SEED ?? '1'
const slice: Readonly<Record<string, number>> = {
  kustomization: 24,
  gitrepository: 4,
  ocirepository: 4,
  resourceset: 4,
}

const rank = (id: string): string => createHash('sha256').update(`${seed} ${id}`).digest('hex')

const beds = endWithTest(await startBeds())

/** Stories of Kustomizations that a runner reconciles; `npm run conformance -- flux --through-runner` replays all. */
const sliceOfRunner = 8

const does = (title: string, scenarios: readonly Scenario[], isThroughRunner = false): void => {
  describe(`does as Flux: ${title}`, { concurrency: 4 }, () => {
    for (const scenario of scenarios)
      test(`${scenario.id}: ${scenario.title}`, async () => {
        const { problem } = await resultOf(scenario, beds, isThroughRunner)
        assert.equal(problem, undefined)
      })
  })
}

does('recorded here', recordedHere())

for (const [area, count] of Object.entries(slice)) {
  const corpus = needsCorpus(`flux/${area}`)
  if (corpus.skip) {
    test(`does as Flux: ${area}`, corpus, () => {})
    continue
  }
  const scenarios = scenariosBelow(corpusFile(`flux/${area}`)).sort((a, b) => (rank(a.id) < rank(b.id) ? -1 : 1))
  does(`${area}, seed ${seed}`, scenarios.slice(0, count))
  if (area !== 'kustomization') continue
  const others = scenarios.slice(count).filter(hasWorkForRunner)
  does(`${area} through a runner, seed ${seed}`, others.slice(0, sliceOfRunner), true)
}
