import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Attributes } from '../../../../lib/hub/apiserver/authentication/caller.ts'
import { orderReports } from '../../../../lib/hub/runners/order-reports.ts'
import type { OrderResult } from '../../../../lib/hub/runners/orders.ts'
import { runnerWorld, unitOf } from './runner-world.ts'

const all = ['get kustomizations in ships', 'list plans in ships']
const unit = 'unit=Kustomization/ships/app'
const cluster = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'ships', name: 'aurora' }
const access = { kind: 'ConfigMap', namespace: 'ships', name: 'aurora' } as const

/** A runner that takes these orders. */
const world = async (takes: readonly string[] = ['plan', 'comparison']) => {
  const it = await runnerWorld()
  const { caller, sync } = await it.runner('ships/aurora')
  await caller.send('ships/aurora', 'sync', { lease: sync.lease, version: '1.2.3', takes })
  const woken: string[] = []
  const reports = orderReports({ ...it, waker: { send: async place => void woken.push(place) } })
  const respond = (
    query: string,
    rights: readonly string[] = all,
    { path = '/plan', name = 'jane', groups = [] as readonly string[] } = {},
  ) => {
    const authorize = async ({ verb, resource }: Attributes) => ({
      allowed: rights.includes(`${verb} ${resource?.resource} in ${resource?.namespace}`),
    })
    const url = new URL(`https://hub/fleet/live${path}?${query}`)
    return reports(url, { user: { name, groups }, authorize }) as Promise<{ readonly order: string }>
  }
  const { metadata } = (await it.hub.get<KubernetesObject>(unitOf('ships')))!
  const answer = (id: string, answer: OrderResult) =>
    it.orders.complete(access, { id, uid: metadata.uid! }, async () => answer)
  return { ...it, woken, respond, answer }
}

test('who may get the unit and list Plans in its namespace gets the plan of its runner, which is woken', async () => {
  const it = await world()
  const { order } = await it.respond(unit)
  assert.deepEqual(it.woken, ['ConfigMap/ships/aurora'])
  assert.deepEqual(await it.respond(`${unit}&order=${order}`), { waiting: true })
  const plan = { spec: { unit: { apiVersion: 'v1', kind: 'K', name: 'app' }, digest: 'sha256:1', counts: {} } }
  await it.answer(order, { found: { plan } })
  assert.deepEqual(await it.respond(`${unit}&order=${order}`), { plan })

  for (const [at, message] of [/cannot get resource "kustomizations"/, /cannot list resource "plans"/].entries())
    for (const query of [unit, `${unit}&order=${order}`])
      await assert.rejects(
        it.respond(
          query,
          all.filter((_, one) => one !== at),
        ),
        { code: 403, message },
      )
  assert.equal(it.woken.length, 1, 'a runner does nothing for those who may not see it')
  await assert.rejects(it.respond(`${unit}&order=${order}`, all, { name: 'joe' }), { code: 504 })
})

test('a comparison is requested in the same way, by those with the same rights', async () => {
  const it = await world()
  const compared = { path: '/diff' }
  const { order } = await it.respond(unit, all, compared)
  assert.deepEqual(await it.respond(`${unit}&order=${order}`, all, compared), { waiting: true })
  await it.answer(order, { failed: 'its Cluster is suspended' })
  await assert.rejects(it.respond(`${unit}&order=${order}`, all, compared), {
    code: 409,
    message: "Kustomization/ships/app can't be compared: its Cluster is suspended",
  })
  await assert.rejects(it.respond(`${unit}&order=${order}`), { code: 504 }, 'it is no plan')
  await assert.rejects(it.respond(unit, all.slice(0, 1), compared), { code: 403 })
})

test('what is on the cluster is read for those who may get the unit, as themselves', async () => {
  const it = await world(['plan', 'comparison', 'live'])
  const [mayGet] = [all.slice(0, 1)]
  const jane = { path: '/log', groups: ['devs', 'system:authenticated'] }
  const log = `${unit}&object=default_web__Pod&container=web`
  const { order } = await it.respond(log, mayGet, jane)
  assert.deepEqual(
    (await it.orders.open(access)).map(({ work }) => work),
    [
      {
        ...{ type: 'live', as: { user: 'jane', groups: ['devs'] } },
        read: { what: 'log', object: 'default_web__Pod', container: 'web' },
      },
    ],
  )
  await it.answer(order, { failed: 'on the cluster: pods "web" is forbidden', reason: 'Forbidden' })
  await assert.rejects(it.respond(`${log}&order=${order}`, mayGet, jane), {
    ...{ code: 403, reason: 'Forbidden', message: 'on the cluster: pods "web" is forbidden' },
  })
  await assert.rejects(it.respond(log, [], jane), { code: 403 })
  await assert.rejects(it.respond(unit, mayGet, jane), { code: 400, message: /missing parameter object/ })
  for (const name of ['system:serviceaccount:ships:default', 'system:admin'])
    await assert.rejects(it.respond(unit, mayGet, { path: '', name }), {
      code: 403,
      message: /means nobody on the cluster: log in as a person/,
    })
  assert.deepEqual(await it.orders.open(access), [])
})

test('a runner whose owner lets the hub read nothing is not sent any such order', async () => {
  const it = await world()
  await assert.rejects(it.respond(unit, all, { path: '' }), {
    code: 409,
    message: "the runner of Cluster ships/aurora can't show its cluster: its owner has not started it with --live",
  })
  const older = await world([])
  await assert.rejects(older.respond(unit, all, { path: '' }), { code: 409, message: /it is older than the hub/ })
})

test('a runner that does not know such orders is not waited for', async () => {
  const it = await world(['plan'])
  await it.respond(unit)
  await assert.rejects(it.respond(unit, all, { path: '/diff' }), {
    code: 409,
    message: /^the runner of Cluster ships\/aurora can't compare: it is older than the hub: keelson runner upgrade-man/,
  })
})

test('an answer is for those who may see its unit, not for whoever knows its ID', async () => {
  const it = await world()
  const { order } = await it.respond(unit)
  await it.answer(order, { failed: 'secret of ships' })
  const inShops = all.map(right => right.replace('ships', 'shops'))
  await assert.rejects(it.respond(`unit=Kustomization/shops/app&order=${order}`, inShops), { code: 504 })
})

test('a runner that is away is named at once, one that does not respond after its time, and what it can not plan with the cause', async () => {
  const it = await world()
  const { order } = await it.respond(unit)
  await it.answer(order, { failed: 'it does not build' })
  await assert.rejects(it.respond(`${unit}&order=${order}`), {
    code: 409,
    message: "Kustomization/ships/app can't be planned: it does not build",
  })
  const slow = await it.respond(unit)
  await it.clock.advance(121_000)
  await assert.rejects(it.respond(`${unit}&order=${slow.order}`), {
    code: 504,
    message: /has not responded in 120 s/,
  })

  const at = '2026-11-29T12:00:00Z'
  const away = {
    type: 'Reachable',
    status: 'Unknown',
    reason: 'RunnerSilent',
    message: 'start it',
    lastTransitionTime: at,
  }
  await it.hub.patch(
    cluster,
    { type: 'merge', patch: { status: { conditions: [away] } } },
    { fieldManager: 'test', subresource: 'status' },
  )
  await assert.rejects(it.respond(unit), {
    code: 409,
    message: "the runner of Cluster ships/aurora can't plan: start it",
  })
  await it.hub.delete(cluster, {})
  await assert.rejects(it.respond(unit), { code: 409, message: /no Cluster names ConfigMap\/ships\/aurora/ })
})

test('units that no runner applies, and other parameters, are refused', async () => {
  const it = await world()
  await it.hub.patch(
    unitOf('ships'),
    { type: 'merge', patch: { spec: { kubeConfig: { configMapRef: { name: 'other' } } } } },
    { fieldManager: 'test' },
  )
  await assert.rejects(it.respond(unit), { code: 400, message: /is not applied by a runner/ })
  await assert.rejects(it.respond(`${unit}&as=root`), { code: 400, message: /unknown parameter as/ })
  await assert.rejects(it.respond(''), { code: 400, message: /invalid unit=/ })
  assert.equal(await it.respond(unit, all, { path: '/diff' }), undefined, 'the hub compares it itself')
  const order = `${unit}&order=1`
  await assert.rejects(it.respond(order, all, { path: '/diff' }), { code: 400, message: /there are no orders/ })
})
