import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noUsage, type UsageOf } from '../../../../lib/foundations/rules/usage.ts'
import { dayOf } from '../../../../lib/platform/ports/usage.ts'
import {
  clusterOf,
  condition,
  failed,
  objectOf,
  ready,
  unitOn,
  unreachable,
} from '../../foundations/fleet/fleet-parts.ts'
import { by } from '../store/world.ts'
import { fleetWorld, namesOf, sources } from './fleet-world.ts'

test('units are found by state, cluster, kind, label and a part of the name, counted by state, and paged', async () => {
  const { ask, add, namespace, clock } = await fleetWorld()
  await namespace('apps')
  const prod = clusterOf('prod')
  await add({ ...prod, metadata: { ...prod.metadata, labels: { region: 'eu' } } })
  await add(objectOf('GitRepository', 'app', sources))
  const twoHoursAgo = new Date(clock.now() - 2 * 3_600_000).toISOString().replace('.000', '')
  const conditions = [{ ...ready, lastTransitionTime: twoHoursAgo }]
  for (let i = 0; i < 5; i++) {
    const unit = unitOn(
      i < 3 ? 'prod' : 'other',
      `web-${i}`,
      i === 1 ? { conditions: [failed('BuildFailed', 'no')] } : i === 2 ? { conditions } : {},
    )
    await add({ ...unit, metadata: { ...unit.metadata, labels: { team: i % 2 ? 'odd' : 'even' } } })
  }
  const { json: all } = await ask('/fleet/units')
  assert.deepEqual(namesOf(all), ['web-0', 'web-1', 'web-2', 'web-3', 'web-4'])
  assert.deepEqual([all.total, all.counts.ready, all.counts.failed, all.refused], [5, 4, 1, []])
  assert.deepEqual(all.items[1], {
    ...{ kind: 'Kustomization', namespace: 'apps', name: 'web-1', clusters: ['Cluster/apps/prod'] },
    ...{ labels: { team: 'odd' }, state: 'failed', message: 'BuildFailed: no', reason: 'BuildFailed' },
    ...{ since: '2026-11-27T14:00:00Z', source: 'GitRepository/apps/app' },
  })
  const found = async (query: string) => namesOf((await ask(`/fleet/units?${query}`)).json)
  assert.deepEqual(await found('state=failed,stalled'), ['web-1'])
  assert.deepEqual(await found('cluster=Secret/apps/other'), ['web-3', 'web-4'])
  assert.deepEqual(await found('search=APPS/WEB-4'), ['web-4'])
  assert.deepEqual(await found('labelSelector=team%3Dodd'), ['web-1', 'web-3'])
  assert.deepEqual(await found('kind=HelmRelease'), [])
  assert.deepEqual(await found('namespace=default'), [])
  assert.deepEqual(await found('clusterSelector=region%20in%20(eu,us)'), ['web-0', 'web-1', 'web-2'])
  assert.deepEqual(await found('clusterSelector=region%3Dasia'), [])
  assert.deepEqual(await found('clusterSelector=!region'), [], 'what has no Cluster has no labels')
  assert.deepEqual(await found('age=%3C1h'), ['web-0', 'web-1', 'web-3', 'web-4'])
  assert.deepEqual(await found('age=%3E1h'), ['web-2'])
  for (const wrong of ['age=1h', 'age=%3C1', 'age=%3E-1h', 'clusterSelector=%3D%3D'])
    assert.equal((await ask(`/fleet/units?${wrong}`)).status, 400, wrong)
  assert.deepEqual(await found('sort=state'), ['web-1', 'web-0', 'web-2', 'web-3', 'web-4'])
  const { json: failing } = await ask('/fleet/units?state=failed')
  assert.deepEqual([failing.total, failing.counts.total], [1, 5], 'counts tell what other states have')
  const paged: string[] = []
  for (let token: string | undefined = '0'; token !== undefined; ) {
    const { json } = await ask(`/fleet/units?limit=2&continue=${token}`)
    paged.push(...namesOf(json))
    token = json.continue
  }
  assert.deepEqual(paged, ['web-0', 'web-1', 'web-2', 'web-3', 'web-4'])
})

test('an answer includes what was written before the question: what is new, changed and gone', async () => {
  const { hub, ask, add, namespace } = await fleetWorld()
  await namespace('apps')
  assert.equal((await ask('/fleet/units')).json.total, 0)
  for (let i = 0; i < 10; i++) {
    await add(unitOn('prod', `web-${i}`))
    const [a, b] = await Promise.all([ask('/fleet/units'), ask('/fleet/summary')])
    assert.deepEqual([a.json.total, b.json.units.total], [i + 1, i + 1])
  }
  const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'apps', name: 'web-3' }
  await hub.patch(ref, { type: 'merge', patch: { spec: { suspend: true } } }, by('test'))
  assert.equal((await ask('/fleet/units?state=suspended')).json.items[0].name, 'web-3')
  await hub.delete(ref, {})
  assert.equal((await ask('/fleet/units')).json.total, 9)
})

test('clusters are listed with their units and what is wrong; versions with where they run', async () => {
  const { ask, add, namespace } = await fleetWorld()
  await namespace('apps')
  const applied = { status: { lastAppliedRevision: 'main@sha1:1' } }
  await add(clusterOf('dead', { conditions: [unreachable('https://dead:6443')] }))
  await add(unitOn('dead', 'a', { conditions: [unreachable('https://dead:6443')] }))
  await add(unitOn('live', 'b', applied))
  const { json } = await ask('/fleet/clusters')
  const [dead, live] = json.items
  assert.deepEqual([dead.name, dead.state, dead.ready, dead.units.failed], ['dead', 'failed', 'False', 1])
  assert.match(dead.failing[0].message, /^ClusterUnreachable: /)
  assert.deepEqual([live.access, live.name, live.units.ready], ['Secret/apps/live', undefined, 1])
  const { json: versions } = await ask('/fleet/versions')
  assert.deepEqual(versions.items, [
    {
      ...{ what: 'GitRepository/apps/app', version: 'main@sha1:1' },
      ...{ clusters: ['Secret/apps/live'], units: ['Kustomization/apps/b'] },
    },
  ])
  const { json: summary } = await ask('/fleet/summary')
  assert.deepEqual([summary.causes[0].object, summary.causes[0].units.total], ['Cluster/apps/dead', 1])
})

test('clusters and versions come in pages, and name the first of many units', async () => {
  const { ask, add, namespace } = await fleetWorld()
  await namespace('apps')
  for (let i = 0; i < 25; i++)
    await add(
      unitOn('one', `web-${i}`, {
        status: { lastAppliedRevision: 'main@sha1:1' },
        conditions: [failed('BuildFailed', 'no')],
      }),
    )
  await add(clusterOf('two'))
  await add(unitOn('two', 'db', { status: { lastAppliedRevision: 'main@sha1:2' } }))
  const { json: first } = await ask('/fleet/clusters?limit=1')
  const { json: second } = await ask(`/fleet/clusters?limit=1&continue=${first.continue}`)
  assert.deepEqual([first.total, first.items.length, first.continue], [2, 1, '1'])
  assert.deepEqual(
    [second.items.map(({ access }: { access: string }) => access), second.continue],
    [['Secret/apps/two'], undefined],
  )
  const [one] = first.items
  assert.deepEqual([one.failing.length, one.moreFailing, one.units.failed], [20, 5, 25])
  const namesIn = (json: { items: { access: string }[] }) => json.items.map(({ access }) => access)
  assert.deepEqual(namesIn((await ask('/fleet/clusters?search=TWO')).json), ['Secret/apps/two'])
  assert.deepEqual(namesIn((await ask('/fleet/clusters?cluster=Cluster/apps/two')).json), ['Secret/apps/two'])
  assert.deepEqual(namesIn((await ask('/fleet/clusters?cluster=Cluster/apps/tw')).json), [])
  const { json: versions } = await ask('/fleet/versions?names=3&limit=1')
  assert.deepEqual([versions.total, versions.continue], [2, '1'])
  const [{ units, moreUnits, clusters, moreClusters }] = versions.items
  assert.deepEqual([units.length, moreUnits, clusters.length, moreClusters], [3, 22, 1, undefined])
  assert.deepEqual((await ask('/fleet/versions?search=nothing')).json.items, [])
})

test('callers see what they may list, whoever asked before; who may list nothing sees nothing', async () => {
  const { ask, add, namespace, grant } = await fleetWorld()
  for (const name of ['red', 'blue']) {
    await namespace(name)
    await add(
      unitOn(`cluster-of-${name}`, `web-of-${name}`, { namespace: name, conditions: [failed('BuildFailed', name)] }),
    )
    await grant(name, name)
  }
  const about = ['summary', 'clusters', 'units', 'versions']
  // The first question is that of who may see everything.
  for (const question of about) assert.match(JSON.stringify((await ask(`/fleet/${question}`)).json), /red|items":\[\]/)
  for (const [own, other] of [
    ['red', 'blue'],
    ['blue', 'red'],
  ] as const)
    for (const question of about) {
      const mine = (await ask(`/fleet/${question}?namespace=${own}`, own)).json
      const permitted = (await ask(`/fleet/${question}?permitted=true`, own)).json
      const theirs = (await ask(`/fleet/${question}?namespace=${other}`, own)).json
      const all = (await ask(`/fleet/${question}`, own)).json
      for (const answer of [mine, permitted, all]) assert.equal(JSON.stringify(answer).includes(other), false)
      assert.equal(JSON.stringify(theirs).includes(`web-of-${other}`), false)
      assert.match(theirs.refused.join(), new RegExp(`User "${own}" cannot list resource "kustomizations"`))
      if (question === 'units')
        assert.deepEqual([namesOf(mine), namesOf(permitted), namesOf(all)], [[`web-of-${own}`], [`web-of-${own}`], []])
    }
  const { json } = await ask('/fleet/units?permitted=true', 'nobody')
  assert.deepEqual([json.total, json.items], [0, []])
})

test('an answer is cut to what the fleet is about: no values, no inventory, no last-applied', async () => {
  const { hub, ask, add, namespace } = await fleetWorld()
  await namespace('apps')
  const planted = 'pl4nted-v4lue'
  const inventory = { entries: [{ id: `apps_${planted}_apps_Deployment`, v: 'v1' }] }
  const unit = unitOn('prod', 'web', {
    spec: { postBuild: { substitute: { PASSWORD: planted } }, patches: [{ patch: planted }] },
    status: { inventory },
    conditions: [ready, condition('Drifted', 'True', 'Drifted', 'differs')],
  })
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': planted, note: planted }
  await add({ ...unit, metadata: { ...unit.metadata, annotations } })
  const stored = await hub.list({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' })
  assert.ok(JSON.stringify(stored).split(planted).length > 5)
  for (const question of ['summary', 'clusters', 'units', 'versions'])
    assert.equal(JSON.stringify((await ask(`/fleet/${question}`)).json).includes(planted), false)
  assert.deepEqual(namesOf((await ask('/fleet/units?drifted=true')).json), ['web'])
})

test('a parameter that is unknown or invalid is refused by name', async () => {
  const { ask } = await fleetWorld()
  for (const [query, message] of [
    ['units?limit=0', 'invalid limit=0: must be a whole number up to 5000'],
    ['units?limit=x', 'invalid limit=x: must be a whole number up to 5000'],
    ['units?sort=age', 'invalid sort=age: must be one of name, state, since'],
    ['units?drifted=yes', 'invalid drifted=yes: must be true or false'],
    ['versions?names=0', 'invalid names=0: must be a whole number up to 5000'],
    ['clusters?state=failed', 'unknown parameter state of /fleet/clusters'],
  ] as const) {
    const { status, json } = await ask(`/fleet/${query}`)
    assert.deepEqual([status, json.message], [400, message])
  }
})

test('usage is summed since a day, of the namespaces whose Runs the caller may list', async () => {
  const { ask, namespace, hub, usage, clock } = await fleetWorld()
  const today = dayOf(clock.now())
  const monthAgo = dayOf(clock.now() - 31 * 86_400_000)
  for (const name of ['red', 'blue']) {
    await namespace(name)
    const used = { ...noUsage, passes: 2, ms: 1500, requests: 10 }
    for (const [cluster, day] of [
      ['hub', today],
      [`Secret/${name}/prod`, today],
      [`Secret/${name}/prod`, monthAgo],
    ] as const)
      await usage.add({ namespace: name, cluster, day }, used)
    await hub.create(
      {
        ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata: { name, namespace: name } },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'keelson-view' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
      },
      by('test'),
    )
  }
  const sums = (json: { items: readonly UsageOf[] }) =>
    json.items.map(({ namespace, cluster, passes }) => `${namespace} ${cluster} ${passes}`).sort()
  const { json: own } = await ask('/fleet/usage', 'red')
  assert.deepEqual(sums(own), ['red Secret/red/prod 2', 'red hub 2'])
  assert.deepEqual([own.until, own.refused], [today, []])
  assert.deepEqual(sums((await ask(`/fleet/usage?since=${monthAgo}`, 'red')).json), [
    'red Secret/red/prod 4',
    'red hub 2',
  ])
  assert.equal(sums((await ask('/fleet/usage')).json).length, 4)
  const { json: refused } = await ask('/fleet/usage?namespace=blue', 'red')
  assert.deepEqual(refused.items, [])
  assert.match(refused.refused[0], /^runs\.fleet\.keelson\.dev is forbidden: User "red" cannot list resource "runs"/)
  assert.deepEqual((await ask('/fleet/usage', 'nobody')).json.items, [])
  const { status, json } = await ask('/fleet/usage?since=yesterday')
  assert.deepEqual(
    [status, json.message],
    [400, 'invalid since=yesterday: expected a day such as 2026-11-01, of the last 400'],
  )
})

test('sources are found by state, kind and name, with who needs them, of what the caller may list', async () => {
  const { ask, add, namespace, grant } = await fleetWorld()
  for (const name of ['apps', 'blue']) {
    await namespace(name)
    await add(objectOf('GitRepository', 'app', { ...sources, namespace: name }))
  }
  await add(objectOf('GitRepository', 'idle', sources))
  const sourceRef = { kind: 'GitRepository', name: 'app' }
  for (const name of ['a', 'b']) await add(objectOf('Kustomization', name, { spec: { sourceRef } }))
  const { json } = await ask('/fleet/sources?limit=2')
  assert.deepEqual([json.total, json.counts.total, json.continue], [3, 3, '2'])
  const users = (items: readonly { namespace: string; name: string; users: number }[]) =>
    items.map(({ namespace, name, users }) => [namespace, name, users])
  assert.deepEqual(users(json.items), [
    ['apps', 'app', 2],
    ['apps', 'idle', 0],
  ])
  assert.equal(json.items[0].url, 'https://example.com/app')
  const found = await ask('/fleet/sources?search=IDLE&kind=GitRepository&state=ready')
  assert.deepEqual(users(found.json.items), [['apps', 'idle', 0]])
  assert.deepEqual((await ask('/fleet/sources?kind=Bucket')).json.items, [])
  assert.equal((await ask('/fleet/sources?cluster=x')).status, 400)
  await grant('jane', 'blue')
  const hers = await ask('/fleet/sources?permitted=true', 'jane')
  assert.deepEqual(users(hers.json.items), [['blue', 'app', 0]])
  const theirs = await ask('/fleet/units?source=GitRepository/apps/app')
  assert.deepEqual(namesOf(theirs.json), ['a', 'b'])
  assert.deepEqual(namesOf((await ask('/fleet/units?source=GitRepository/blue/app')).json), [])
  assert.deepEqual(namesOf((await ask('/fleet/units?revision=none')).json), [])
})
