import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { clusterOf, failed, objectOf, unitOn } from '../../foundations/fleet/fleet-parts.ts'
import { by } from '../store/world.ts'
import { fleetWorld, namesOf, sources } from './fleet-world.ts'

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

test('clusters are grouped by a label that the viewer chooses, and what is worst comes first', async () => {
  const { ask, add, namespace } = await fleetWorld()
  await namespace('apps')
  const regions = ['eu', 'us', 'eu', 'us', undefined, ...Array.from({ length: 9 }, () => 'eu')]
  for (const [at, region] of regions.entries()) {
    const one = clusterOf(`c${at}`)
    const labels = { ...(region && { region }), name: `c${at}` }
    await add({ ...one, metadata: { ...one.metadata, labels } })
    await add(unitOn(`c${at}`, `web-${at}`, at === 3 ? { conditions: [failed('BuildFailed', 'no such file')] } : {}))
  }
  const { json: plain } = await ask('/fleet/summary')
  assert.deepEqual([plain.labels, plain.groups], [[{ label: 'region', values: 2 }], undefined], 'no label of one each')
  assert.deepEqual(plain.clusters, { total: 14, ready: 14, unreachable: 0, failing: 1 })
  const { json } = await ask('/fleet/summary?groupBy=region&limit=1')
  interface Group {
    readonly value?: string
    readonly clusters: number
    readonly units: { readonly total: number; readonly failed: number }
    readonly rows: readonly { readonly cluster: string }[]
  }
  assert.deepEqual(
    json.groups.map(({ value, clusters, units, rows }: Group) => [
      ...[value, clusters, units.total, units.failed, rows.length],
      rows[0]?.cluster,
    ]),
    [
      ['us', 2, 2, 1, 2, 'Cluster/apps/c3'],
      ['eu', 11, 11, 0, 8, 'Cluster/apps/c0'],
      [undefined, 1, 1, 0, 1, 'Cluster/apps/c4'],
    ],
  )
  assert.equal(json.rows.length, 1)
  await add(unitOn('unknown', 'web'))
  const chosen = async (selector: string): Promise<readonly string[]> => {
    const { json } = await ask(`/fleet/clusters?clusterSelector=${encodeURIComponent(selector)}`)
    return json.items.map(({ access }: { readonly access: string }) => access)
  }
  assert.deepEqual(await chosen('region=us'), ['Secret/apps/c1', 'Secret/apps/c3'])
  assert.deepEqual(await chosen('!region'), ['Secret/apps/c4', 'Secret/apps/unknown'])
})

test('units, clusters, sources and Rollouts are counted, of what the caller may list', async () => {
  const { ask, add, hub, namespace, grant } = await fleetWorld()
  for (const name of ['red', 'blue']) {
    await namespace(name)
    await grant(name, name)
    await add(objectOf('GitRepository', 'app', { ...sources, namespace: name }))
    for (const at of [1, 2]) await add(unitOn(`cluster-${at}`, `web-${at}`, { namespace: name }))
  }
  const stages = [{ name: 'all' }]
  const rollout = {
    ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Rollout', metadata: { name: 'web', namespace: 'red' } },
    spec: { sources: [{ kind: 'GitRepository', name: 'app' }], stages },
  }
  await hub.create(rollout as KubernetesObject, by('test'))
  const { json: all } = await ask('/fleet/counts')
  assert.deepEqual(all, { units: 4, clusters: 4, sources: 2, rollouts: 1, refused: [] })
  const { json: own } = await ask('/fleet/counts?permitted=true', 'blue')
  assert.deepEqual({ ...own, refused: [] }, { units: 2, clusters: 2, sources: 1, rollouts: 0, refused: [] })
  const { json: none } = await ask('/fleet/counts?namespace=red', 'blue')
  assert.equal(none.units + none.clusters + none.sources + none.rollouts, 0)
})

test('a caller learns where they may list a resource, and no namespace besides', async () => {
  const { ask, namespace, grant } = await fleetWorld()
  for (const name of ['blue', 'green', 'red']) await namespace(name)
  await grant('jane', 'green')
  await grant('jane', 'blue')
  const permitted = async (resource: string, user?: string) =>
    (await ask(`/fleet/namespaces?resource=${resource}`, user)).json
  assert.deepEqual(await permitted('kustomizations.kustomize.toolkit.fluxcd.io', 'jane'), {
    everywhere: false,
    items: ['blue', 'green'],
  })
  assert.deepEqual(await permitted('secrets', 'jane'), { everywhere: false, items: [] })
  assert.deepEqual(await permitted('kustomizations.kustomize.toolkit.fluxcd.io', 'nobody'), {
    everywhere: false,
    items: [],
  })
  assert.deepEqual(await permitted('kustomizations.kustomize.toolkit.fluxcd.io'), { everywhere: true, items: [] })
  for (const wrong of ['', 'a/b', 'Run', 'secrets&namespace=red'])
    assert.equal((await ask(`/fleet/namespaces?resource=${wrong}`, 'jane')).status, 400, wrong)
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
