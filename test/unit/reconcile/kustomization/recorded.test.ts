import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsCorpus } from '../../../conformance/corpus.ts'
import { readScenario, replay } from './replay.ts'

/** A sample of what was recorded of kustomize-controller; the conformance suite replays all that a hub alone can. */
const scenarios: Readonly<Record<string, string>> = {
  'ks-apply-basic': 'applies, records and tells of two ConfigMaps',
  'ks-source-missing': 'waits for a source that is missing',
  'ks-path-missing': 'names a path that is not in the source',
  'ks-generate-not-k8s': 'names a file that holds no Kubernetes object',
  'ks-prune': 'prunes what left the build',
  'ks-revision-same-content': 'counts up the history when a revision builds the same',
  'ks-depends-missing': 'waits for a dependency',
  'ks-suspend-resume': 'rests while suspended',
  'ks-deletion-mirrorprune-prune-true': 'removes its objects when it is deleted',
  'ks-deletion-wait-timeout': 'lets go after waiting for the end of its objects',
  'ks-health-self': 'does not wait for itself',
  'ks-postbuild-from': 'substitutes variables of ConfigMaps and Secrets',
  'ks-watched-optional-deleted': 'reacts to a watched ConfigMap that comes, changes and goes',
}

for (const [id, promise] of Object.entries(scenarios)) {
  test(`${promise}, as Flux (${id})`, needsCorpus('flux/kustomization'), async () => {
    for (const { seen, expected } of await replay(readScenario(id))) assert.deepEqual(seen, expected)
  })
}
