import assert from 'node:assert/strict'
import { test } from 'node:test'
import { needsCorpus } from '../../../conformance/corpus.ts'
import { readScenario, replay } from './replay.ts'

/** A sample of what was recorded of kustomize-controller; the whole corpus is replayed on real clusters elsewhere. */
const scenarios: Readonly<Record<string, string>> = {
  'ks-apply-basic': 'applies, records and tells of two ConfigMaps',
  'ks-source-missing': 'waits for a source that is missing',
  'ks-source-not-ready': 'waits for a source without an artifact',
  'ks-path-missing': 'names a path that is not in the source',
  'ks-path-changed': 'prunes what the old path had applied',
  'ks-generate-subdir-kustomization': 'generates a kustomization file down to folders with their own',
  'ks-generate-not-k8s': 'names a file that holds no Kubernetes object',
  'ks-empty-build': 'is healthy with nothing to apply',
  'ks-build-error': 'tells in the words of kustomize why a build fails',
  'ks-components-url': 'refuses a component that is a URL',
  'ks-prune': 'prunes what left the build',
  'ks-prune-false': 'leaves what left the build, when asked to',
  'ks-revision-same-content': 'counts up the history when a revision builds the same',
  'ks-drift-corrected': 'corrects drift when asked to reconcile',
  'ks-depends-missing': 'waits for a dependency',
  'ks-depends-deleted': 'notices that a dependency is gone',
  'ks-suspend-resume': 'rests while suspended',
  'ks-suspended-from-start': 'does nothing for what is suspended from the start',
  'ks-deletion-suspended': 'removes nothing when it is deleted while suspended',
  'ks-deletion-mirrorprune-prune-true': 'removes its objects when it is deleted',
  'ks-deletion-orphan-prune-true': 'leaves its objects when told to',
  'ks-deletion-wait-timeout': 'lets go after waiting for the end of its objects',
  'ks-health-self': 'does not wait for itself',
  'ks-health-switch-off': 'forgets the health when nothing is checked any more',
  'ks-health-bad-api-version': 'refuses a health check of no API version',
  'ks-postbuild-from': 'substitutes variables of ConfigMaps and Secrets',
  'ks-watched-optional-deleted': 'reacts to a watched ConfigMap that comes, changes and goes',
}

for (const [id, promise] of Object.entries(scenarios)) {
  test(`${promise}, as Flux (${id})`, needsCorpus('flux/kustomization'), async () => {
    for (const { seen, expected } of await replay(readScenario(id))) assert.deepEqual(seen, expected)
  })
}
