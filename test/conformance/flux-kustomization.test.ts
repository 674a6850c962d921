import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isReplayable, readScenario, replay, scenarioIds } from '../unit/reconcile/kustomization/replay.ts'
import { needsCorpus } from './corpus.ts'

/** Recorded scenarios whose end differs from Flux's, and why. Each is replayed too, to see that it still does. */
const different: Readonly<Record<string, string>> = {
  'ks-bad-label-value': 'messages name the file that an object came from',
  'ks-immutable-configmap-no-force': 'all refusals are told at once, with their files',
  'ks-missing-namespace': 'all refusals are told at once, with their files',
  'ks-no-namespace': 'messages name the file that an object came from',
  'ks-postbuild-number-double-quoted': 'messages name the file that an object came from',
  'ks-postbuild-number-unquoted': 'messages name the file that an object came from',
  'ks-label-number': 'a label that is no string is refused, not dropped in silence',
  'ks-unknown-field': 'an unknown field is refused, not dropped in silence',
  'ks-path-escape': 'a path that leads out of the source is refused as such',
  'ks-components-outside': 'kustomize sees nothing outside of the source',
  'ks-depends-cycle': 'a dependency cycle is named',
  'ks-depends-self': 'a dependency cycle is named',
  'ks-depends-ready': 'dependents are started by news, not found not ready first',
  'ks-deletion-default-policy-changed':
    'the pass between change and deletion is seen, as nothing is left to chance here',
  'ks-interval-short': 'the recording leaves a count open',
  'ks-sa-missing': 'impersonation in the hub needs its RBAC: a later issue',
  'ks-depends-ready-expr': 'CEL: a later issue',
  'ks-health-expr-invalid': 'CEL: a later issue',
  'ks-health-expr-not-bool': 'CEL: a later issue',
  'ks-request-while-stalled': 'CEL: a later issue',
  'ks-patch-bad-op': 'messages name the file at fault',
  'ks-sops-no-decryption': "ciphertext is refused wherever it stands, not in a Secret's data only",
}

const corpus = needsCorpus('flux/kustomization')
const scenarios = corpus.skip ? [] : scenarioIds().map(readScenario).filter(isReplayable)

if (corpus.skip) test('does as kustomize-controller does', corpus, () => {})

for (const scenario of scenarios) {
  const { id, title } = scenario
  const reason = different[id]
  test(`${id}: ${title}${reason ? ` (differs: ${reason})` : ''}`, async () => {
    const steps = await replay(scenario)
    const seen = steps.map(step => step.seen)
    const expected = steps.map(step => step.expected)
    if (reason) assert.notDeepEqual(seen, expected, 'it no longer differs from Flux: take it off the list')
    else assert.deepEqual(seen, expected)
  })
}
