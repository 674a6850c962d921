import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { clusterOf, failed, unitOn } from '../../foundations/fleet/fleet-parts.ts'
import { by } from '../store/world.ts'
import { fleetWorld, namesOf } from './fleet-world.ts'

test('an answer is right when the changes since the last question are no longer known: all is read again', async () => {
  const { hub, ask, add, namespace, clock } = await fleetWorld({
    keepChanges: { changes: 4, ageMs: 3_600_000, bytes: 1_000_000 },
  })
  await namespace('apps')
  for (const name of ['gone', 'stays']) await add(unitOn('prod', name))
  const before = await ask('/fleet/units')
  assert.deepEqual(namesOf(before.json), ['gone', 'stays'])
  const kind = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' }
  const { resourceVersion } = (await hub.list({ ...kind, limit: 1 })) as { resourceVersion: string }
  await hub.delete({ ...kind, namespace: 'apps', name: 'gone' }, {})
  for (let i = 0; i < 10; i++) {
    await clock.advance(61_000)
    await add(unitOn('prod', `new-${i}`))
  }
  const { signal } = new AbortController()
  const watch = hub.watch({ ...kind, after: resourceVersion, signal, untilNow: true })[Symbol.asyncIterator]()
  await assert.rejects(watch.next(), { reason: 'Expired' })
  for (const _ of ['reloaded', 'followed']) {
    const { json } = await ask('/fleet/units?limit=50')
    assert.deepEqual(namesOf(json).includes('gone'), false)
    assert.equal(json.total, 11)
  }
})

test('CL-002 a Cluster that is read counts its units by state, as they are now, without a write', async () => {
  const { hub, ask, add, namespace, grant } = await fleetWorld()
  await namespace('apps')
  await add(clusterOf('prod'))
  for (const name of ['a', 'b']) await add(unitOn('prod', name))
  await add(unitOn('prod', 'c', { conditions: [failed('BuildFailed', 'no such file')] }))
  await add(unitOn('other', 'd'))
  const path = '/apis/fleet.keelson.dev/v1alpha1/namespaces/apps/clusters'
  const none = { total: 0, ready: 0, progressing: 0, failed: 0, stalled: 0, suspended: 0 }
  const before = await ask(`${path}/prod`)
  assert.deepEqual(before.json.status.units, { ...none, total: 3, ready: 2, failed: 1 })
  const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'apps', name: 'b' }
  await hub.patch(ref, { type: 'merge', patch: { spec: { suspend: true } } }, by('test'))
  const after = await ask(`${path}/prod`)
  assert.deepEqual(after.json.status.units, { ...none, total: 3, ready: 1, failed: 1, suspended: 1 })
  assert.equal(after.json.metadata.resourceVersion, before.json.metadata.resourceVersion)
  assert.equal((await ask(path)).json.items[0].status.units, undefined, 'lists agree with watches')

  // Whoever may read the Cluster alone learns nothing of its units.
  const rules = [{ apiGroups: ['fleet.keelson.dev'], resources: ['clusters'], verbs: ['get', 'list'] }]
  const rbac = 'rbac.authorization.k8s.io'
  const role = { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'clusters', namespace: 'apps' }, rules }
  await hub.create(role as KubernetesObject, by('test'))
  await hub.create(
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: 'clusters', namespace: 'apps' } },
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'clusters' },
      subjects: ['guest', 'reader'].map(name => ({ apiGroup: rbac, kind: 'User', name })),
    } as KubernetesObject,
    by('test'),
  )
  await grant('reader', 'apps')
  assert.equal((await ask(`${path}/prod`, 'reader')).json.status.units.total, 3)
  assert.deepEqual((await ask(`${path}/prod`, 'guest')).json.status.units, none)
})
