import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { RolloutRun } from '../../../../lib/foundations/kinds/rollout-run.ts'
import { observeUnit } from '../../../../lib/reconcile/rollout/unit-state.ts'

const artifact = { revision: 'v2', digest: 'sha256:2', path: 'a', url: 'http://hub/a', lastUpdateTime: '' }
const run = {
  metadata: { namespace: 'apps', name: 'web-2' },
  spec: { sources: [{ kind: 'GitRepository', namespace: 'apps', name: 'app', artifact }] },
} as unknown as RolloutRun
const runs = { target: run, previous: undefined, all: new Map([['apps/web-2', run]]) }

const stateOf = (undo: string | undefined): string => {
  const annotations = {
    'keelson.dev/pin': 'apps/web-2@2026-01-01T00:00:00.000Z',
    ...(undo && { 'keelson.dev/undo': undo }),
  }
  const unit = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'web', namespace: 'apps', annotations },
    spec: { sourceRef: { kind: 'GitRepository', name: 'app' } },
  }
  return observeUnit(unit as unknown as KubernetesObject, runs, Date.parse('2026-01-01T00:01:00Z')).state
}

test('a unit that a user has undone is left alone; one that went back by itself from the revision of its pin has failed', () => {
  assert.equal(stateOf(undefined), 'progressing')
  assert.equal(stateOf('sha256:1'), 'ready')
  assert.equal(stateOf('sha256:1 sha256:b 1 v2'), 'failed')
  assert.equal(stateOf('sha256:0 sha256:a 1 v1'), 'progressing', 'it went back from the revision before')
})
