import assert from 'node:assert/strict'
import { test } from 'node:test'
import { explain } from '../../../../lib/foundations/fleet/explain.ts'
import { undoneMessage } from '../../../../lib/foundations/fleet/object-state.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const condition = (type: string, status: string, reason: string, message: string) => ({
  ...{ type, status, reason, message },
  lastTransitionTime: '2026-11-28T00:00:00Z',
})
const unit = (...conditions: readonly ReturnType<typeof condition>[]) =>
  ({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'web', namespace: 'apps' },
    status: { conditions },
  }) as unknown as KubernetesObject

const pinned = condition('Pinned', 'True', 'Undone', 'jane has undone it')
const detailsOf = async (object: KubernetesObject) =>
  new Map((await explain(object, { now: 0, read: async () => undefined })).details.map(([name, text]) => [name, text]))

test('why: a unit that was undone says so, once', async () => {
  const byUser = await detailsOf(unit(condition('Ready', 'True', 'ReconciliationSucceeded', 'Applied'), pinned))
  assert.equal(byUser.get('undone'), 'jane has undone it')
  const byItself = await detailsOf(unit(condition('Ready', 'False', 'Undone', 'it has failed'), pinned))
  assert.deepEqual(
    [byItself.get('reason'), byItself.get('undone'), byItself.get('next')],
    ['Undone: it has failed', undefined, 'drift is corrected, until another revision or spec is applied'],
  )
})

test('a pin of a Rollout is no undo', () => {
  assert.equal(undoneMessage(unit(pinned)), 'jane has undone it')
  assert.equal(undoneMessage(unit(condition('Pinned', 'True', 'Pinned', 'RolloutRun apps/web-2 holds it'))), undefined)
})
