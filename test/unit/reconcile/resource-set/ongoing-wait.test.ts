/** Which of the waits that passes have left is gone on with. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition } from '../../../../lib/foundations/kinds/object.ts'
import type { ResourceSet } from '../../../../lib/foundations/kinds/resource-set.ts'
import { isOutdated, type OngoingWait, ongoingWait } from '../../../../lib/reconcile/resource-set/ongoing-wait.ts'

const began = Date.parse('2026-01-01T00:00:00Z')
const wait: OngoingWait = { digest: 'sha256:1', step: '', since: began + 1_500, startedAt: began, generation: 1 }
const left = { find: async () => wait, keep: async () => assert.fail('nothing is kept') }

const setWhoseReady = (status: Condition['status'], since: number): ResourceSet => ({
  apiVersion: 'fluxcd.controlplane.io/v1',
  kind: 'ResourceSet',
  metadata: { name: 'app', namespace: 'default', generation: 1 },
  spec: {},
  status: {
    conditions: [
      { type: 'Ready', status, reason: 'Progressing', message: '', lastTransitionTime: new Date(since).toISOString() },
    ],
  },
})

test('a wait is continued while Ready is Unknown', async () =>
  assert.equal(await ongoingWait(setWhoseReady('Unknown', began), left, began + 5_000), wait))

for (const status of ['True', 'False'] as const)
  test(`a wait of a run that ended with Ready=${status} is over`, async () =>
    assert.equal(await ongoingWait(setWhoseReady(status, began), left, began + 5_000), undefined))

test('a wait from before the present run is over', async () =>
  assert.equal(await ongoingWait(setWhoseReady('Unknown', began + 3_000), left, began + 5_000), undefined))

test('a wait that begins in the future starts over: the clock was wrong', async () =>
  assert.equal(await ongoingWait(setWhoseReady('Unknown', began), left, began - 3_600_000), undefined))

test('a wait for the objects of an earlier generation is outdated', () => {
  const set = setWhoseReady('Unknown', began)
  assert.equal(isOutdated(wait, set), false)
  assert.equal(isOutdated(wait, { ...set, metadata: { ...set.metadata, generation: 2 } }), true)
})
