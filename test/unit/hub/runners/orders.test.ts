/** What users want to know of a unit is found out by its runner, and by no other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Comparison } from '../../../../lib/foundations/fleet/comparison.ts'
import { blindNote } from '../../../../lib/foundations/fleet/head-plan.ts'
import type { HelmChart } from '../../../../lib/foundations/kinds/helm-chart.ts'
import type { HelmRelease } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { PreviewedPlan } from '../../../../lib/foundations/kinds/plan.ts'
import { type OrderType, orderMs } from '../../../../lib/hub/runners/orders.ts'
import { digest, runnerWorld, unitOf } from './runner-world.ts'

const access = { kind: 'ConfigMap', namespace: 'ships', name: 'aurora' } as const

const plan: PreviewedPlan = {
  spec: {
    unit: { apiVersion: 'v1', kind: 'Other', name: 'other' },
    cluster: { kind: 'Secret', namespace: 'shops', name: 'berlin' },
    digest: digest('d'),
    counts: { created: 1 },
    revision: 'main@sha1:1',
  },
  changes: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a', action: 'created' }],
}

const comparison: Comparison = {
  ...{ comparedAt: '2026-11-29T08:00:00Z', desired: 'AppliedLast', revision: 'main@sha1:1' },
  ...{ counts: { configured: 1, unchanged: 2 }, moreChanges: 0, refused: ['a refusal'] },
  changes: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'a', action: 'configured' }],
}

const world = async () => {
  const it = await runnerWorld()
  const { caller, sync } = await it.runner('ships/aurora')
  const { metadata } = (await it.hub.get<KubernetesObject>(unitOf('ships')))!
  const unit = { ref: unitOf('ships'), uid: metadata.uid! }
  const place = (type: 'plan' | 'comparison' = 'plan', by = 'jane') =>
    it.orders.place(access, { ...unit, work: { type }, by })
  const find = (id: string, { type = 'plan', by = 'jane' }: { type?: OrderType; by?: string } = {}) =>
    it.orders.find(access, { id, uid: unit.uid, type, by })
  const handedOut = async () => {
    const { body } = await caller.send('ships/aurora', 'sync', { lease: sync.lease, known: sync.digest })
    assert.equal(body.copy, undefined, 'orders change nothing in the copy, so it is not sent again')
    return body.orders
  }
  const answer = (id: string, answer: unknown, more: object = {}) =>
    caller.send('ships/aurora', 'complete', { lease: sync.lease, ...unit, id, result: answer, ...more })
  return { ...it, caller, sync, unit, place, find, handedOut, answer }
}

test('a runner gets an order until it has answered, and the plan is about what the hub knows', async () => {
  const it = await world()
  assert.equal(await it.handedOut(), undefined)
  const id = await it.place()
  assert.deepEqual(await it.handedOut(), [{ id, ...it.unit, work: { type: 'plan' } }])
  assert.equal(await it.find(id), 'open')

  assert.equal((await it.answer(id, { found: { plan } })).status, 200)
  assert.equal(await it.handedOut(), undefined)
  const result = await it.find(id)
  assert.ok(typeof result === 'object' && 'found' in result)
  const found = (result.found as { readonly plan: PreviewedPlan }).plan
  assert.deepEqual(found.spec.unit, {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app' },
  })
  assert.deepEqual([found.spec.cluster, found.changes], [access, plan.changes])
  assert.equal((await it.hub.list({ group: 'fleet.keelson.dev', kind: 'Plan' })).items.length, 0)
  assert.equal((await it.answer(id, { found: { plan } })).status, 404, 'nobody waits for another one')
})

test('a comparison has what comparisons have, and nothing else', async () => {
  const it = await world()
  const id = await it.place('comparison')
  for (const wrong of [
    { plan },
    { ...comparison, counts: { configured: 'many' } },
    { ...comparison, changes: [1] },
    {},
  ])
    assert.ok([400, 422].includes((await it.answer(id, { found: wrong })).status), JSON.stringify(wrong))
  assert.equal((await it.answer(id, { found: { ...comparison, order: 'another' } })).status, 200)
  assert.deepEqual(await it.find(id, { type: 'comparison' }), { found: comparison })
})

test('the head of a pull request is there for its runner while it is to be planned, and the plan for the pull request', async () => {
  const it = await world()
  const other = await it.runner('shops/berlin')
  const path = 'gitrepository/ships/app-pr-1/x.tar.gz'
  const artifact = {
    path,
    digest: digest('a'),
    revision: 'pr',
    url: 'http://x',
    lastUpdateTime: '2026-11-29T08:00:00Z',
  }
  const read = async (by: typeof it.caller, cluster: string, lease: number) => {
    const name = `gitrepository/ships/app-pr-1/${'a'.repeat(64)}.tar.gz`
    return (await by.send(cluster, 'artifact', { lease, name })).status
  }
  assert.equal(await read(it.caller, 'ships/aurora', it.sync.lease), 404)
  const id = await it.orders.place(access, { id: 'named', ...it.unit, work: { type: 'head', artifact }, by: 'request' })
  assert.equal(id, 'named')
  assert.equal(await read(it.caller, 'ships/aurora', it.sync.lease), 200)
  assert.equal(await read(other.caller, 'shops/berlin', other.sync.lease), 404)
  await it.hub.patch(
    it.unit.ref,
    { type: 'merge', patch: { spec: { kubeConfig: { configMapRef: { name: 'other' } } } } },
    { fieldManager: 'test' },
  )
  assert.equal(await read(it.caller, 'ships/aurora', it.sync.lease), 404, 'the unit is on another cluster now')
  await it.hub.patch(
    it.unit.ref,
    { type: 'merge', patch: { spec: { kubeConfig: { configMapRef: { name: 'aurora' } } } } },
    { fieldManager: 'test' },
  )

  const head = {
    ...{ type: 'planned', counts: { configured: 2 }, refused: ['a refusal'] },
    changes: [
      {
        action: 'configured',
        kind: 'ConfigMap',
        name: 'default/a',
        origin: 'a.yaml',
        moreFields: 1,
        hasOthers: true,
        fields: [{ path: 'data.a', after: '1' }],
      },
    ],
    policies: [{ policy: 'small', action: 'Deny', message: 'too large', isOpen: false }],
  }
  for (const wrong of [
    {},
    { ...head, type: 'other' },
    { ...head, counts: { configured: 'many' } },
    { ...head, changes: 1 },
  ])
    assert.ok([400, 422].includes((await it.answer(id, { found: wrong })).status), JSON.stringify(wrong))
  const forged = {
    cluster: { kind: 'Secret', namespace: 'shops', name: 'berlin' },
    note: 'forged',
    onHub: { base: [], head: [] },
  }
  assert.equal((await it.answer(id, { found: { ...head, ...forged } })).status, 200)
  assert.equal(await read(it.caller, 'ships/aurora', it.sync.lease), 404, 'it is planned')
  await it.clock.advance(orderMs + 1)
  assert.deepEqual(await it.find(id, { type: 'head', by: 'request' }), { found: { ...head, cluster: access } })
  assert.equal(await it.find(id, { type: 'head' }), undefined, 'a user')
})

test('what is stored of an answer is sealed', async () => {
  const it = await world()
  const id = await it.place()
  await it.answer(id, { failed: 'planted-text' })
  assert.deepEqual(await it.find(id), { failed: 'planted-text' })
  const place = { group: 'results.runner', kind: 'Result', namespace: 'ships', name: `${it.unit.uid}.${id}` }
  const { body = '' } = (await it.platform.objects.get(place)) ?? {}
  assert.ok(body.length > 0 && !body.includes('planted') && !Buffer.from(body, 'base64').includes('planted'))
})

test('a release of a pull request is there for its runner alone, with both sides of its source and nothing else, and is stored sealed', async () => {
  const it = await world()
  const other = await it.runner('shops/berlin')
  const path = (source: string) => `gitrepository/ships/${source}/x.tar.gz`
  const artifact = (source: string, letter: string) => ({
    ...{ path: path(source), digest: digest(letter), revision: source, url: 'http://x' },
    lastUpdateTime: '2026-11-29T08:00:00Z',
  })
  const spec = { interval: '1h', values: { colour: 'planted-value' } } as HelmRelease['spec']
  const now = {
    ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmChart', metadata: { name: 'web' } },
    status: { artifact: artifact('kept', 'c') },
  } as unknown as HelmChart
  const chart = { now, spec: now.spec, base: artifact('app', 'a'), head: artifact('app-pr-1', 'b') }
  const release = { base: spec, head: spec, chart, configMaps: { base: [], head: [] } }
  const id = await it.orders.place(access, {
    ...{ id: 'named', ...it.unit, by: 'request' },
    work: { type: 'release', release },
  })
  assert.deepEqual(await it.handedOut(), [
    JSON.parse(JSON.stringify({ id, ...it.unit, work: { type: 'release', release } })),
  ])
  const stored = [
    { group: 'orders.runner', ...access },
    { group: 'releases.runner', kind: 'Release', namespace: 'ships', name: `${it.unit.uid}.${id}` },
  ]
  for (const place of stored) {
    const { body = '' } = (await it.platform.objects.get(place)) ?? {}
    assert.ok(body.length > 0 && !body.includes('planted') && !Buffer.from(body, 'base64').includes('planted'))
  }

  const read = async (source: string, letter: string, by = it.caller, [cluster, lease] = own) => {
    const name = `gitrepository/ships/${source}/${letter.repeat(64)}.tar.gz`
    return (await by.send(cluster, 'artifact', { lease, name })).status
  }
  const own: [string, number] = ['ships/aurora', it.sync.lease]
  assert.deepEqual([await read('app', 'a'), await read('app-pr-1', 'b')], [200, 200])
  assert.deepEqual(
    [await read('kept', 'c'), await read('app', 'b'), await read('app-pr-2', 'b')],
    [404, 404, 404],
    'artifacts that the order only mentions, or does not have',
  )
  assert.equal(await read('app-pr-1', 'b', other.caller, ['shops/berlin', other.sync.lease]), 404)

  const head = { type: 'planned', counts: {}, changes: [], refused: [], policies: [] }
  assert.equal(
    (await it.answer(id, { found: { ...head, note: blindNote, onHub: { base: [], head: [] } } })).status,
    200,
  )
  assert.equal(await read('app-pr-1', 'b'), 404, 'it is planned')
  await it.clock.advance(orderMs + 1)
  const named = { type: 'release', by: 'request' } as const
  assert.deepEqual(await it.find(id, named), { found: { ...head, cluster: access, note: blindNote } })

  const forged = await it.orders.place(access, { ...it.unit, by: 'request', work: { type: 'release', release } })
  await it.answer(forged, { found: { ...head, note: `${blindNote}, @everyone` } })
  assert.deepEqual(await it.find(forged, named), { found: { ...head, cluster: access } }, 'no other note')

  const large = { ...release, head: { ...spec, values: { text: 'x'.repeat(250_000) } } }
  const placing = it.orders.place(access, { ...it.unit, by: 'request', work: { type: 'release', release: large } })
  await assert.rejects(placing, { code: 413 })
})

test('a runner answers orders about its own units only, with what a Plan may have', async () => {
  const it = await world()
  const id = await it.place()
  const other = await it.runner('shops/berlin')
  const { metadata } = (await it.hub.get<KubernetesObject>(unitOf('shops')))!
  const foreign = { lease: other.sync.lease, id, result: { found: { plan } } }
  const send = async (about: object) =>
    (await other.caller.send('shops/berlin', 'complete', { ...foreign, ...about })).status
  assert.equal(await send(it.unit), 404, 'a unit of another runner')
  assert.equal(await send({ ref: unitOf('shops'), uid: metadata.uid }), 404, 'an order of another runner')
  for (const wrong of [{}, { found: {} }, { found: { plan: { spec: { digest: 1 } } } }, undefined])
    assert.ok([400, 422].includes((await it.answer(id, wrong)).status), JSON.stringify(wrong))
  assert.equal(await it.find(id), 'open')
  const named = { id, type: 'plan', by: 'jane' } as const
  assert.equal(await it.orders.find(access, { ...named, uid: 'another' }), undefined, 'another unit')
})

test('a result is for the user who has placed the order, and for what it was placed for', async () => {
  const it = await world()
  const id = await it.place()
  const others = [{ by: 'joe' }, { type: 'comparison' }] as const
  for (const other of others) assert.equal(await it.find(id, other), undefined)
  await it.answer(id, { found: { plan } })
  for (const other of others) assert.equal(await it.find(id, other), undefined)
  assert.ok(await it.find(id))
})

test('an order that nobody answers expires, and so does an answer', async () => {
  const it = await world()
  const [left, answered] = [await it.place(), await it.place()]
  await it.answer(answered, { found: { plan } })
  await it.clock.advance(orderMs + 1)
  assert.deepEqual([await it.find(left), await it.find(answered)], [undefined, undefined])
  assert.deepEqual(await it.orders.open(access), [])
})

test('a runner has ten orders of a type at a time, and none gets lost when several come at once', async () => {
  const it = await world()
  const ids = await Promise.all(Array.from({ length: 4 }, () => it.place()))
  assert.deepEqual((await it.orders.open(access)).map(({ id }) => id).sort(), ids.toSorted())
  for (let at = 4; at < 10; at++) await it.place()
  await assert.rejects(it.place(), { code: 429 })
  await it.place('comparison')
})
