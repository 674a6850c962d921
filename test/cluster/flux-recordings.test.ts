import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endWithTest } from '../bed/teardown.ts'
import { corpusFile, needsCorpus } from '../conformance/corpus.ts'
import { startBeds } from '../conformance/flux/beds.ts'
import { replay } from '../conformance/flux/replay.ts'
import { scenarioIn } from '../conformance/flux/scenario.ts'

/** A slice of what was recorded of Flux's controllers; `npm run conformance -- flux` replays all of it. */
const slice: Readonly<Record<string, readonly string[]>> = {
  kustomization: [
    'ks-apply-basic',
    'ks-build-metadata',
    'ks-deletion-wait-timeout',
    'ks-depends-missing',
    'ks-depends-ready-expr',
    'ks-drift-corrected',
    'ks-finalizer-blocks-prune',
    'ks-kubeconfig-impersonate',
    'ks-kubectl-takeover',
    'ks-moved-between',
    'ks-prune-failed',
    'ks-sa-denied',
    'ks-suspend-resume',
  ],
  gitrepository: ['git-semver', 'git-url-changed'],
}

for (const [area, ids] of Object.entries(slice)) {
  const corpus = needsCorpus(`flux/${area}`)
  const beds = corpus.skip ? undefined : endWithTest(await startBeds())
  for (const id of ids)
    test(`does as Flux: ${id}`, corpus, async () => {
      assert.deepEqual(await replay(scenarioIn(corpusFile(`flux/${area}/${id}`)), beds!), [])
    })
}
