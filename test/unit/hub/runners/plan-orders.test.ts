/** Plans that users want to see are made by the runner of the unit, and by no other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { PreviewedPlan } from '../../../../lib/foundations/kinds/plan.ts'
import { orderMs } from '../../../../lib/hub/runners/plan-orders.ts'
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

const world = async () => {
  const it = await runnerWorld()
  const { caller, sync } = await it.runner('ships/aurora')
  const { metadata } = (await it.hub.get<KubernetesObject>(unitOf('ships')))!
  const unit = { ref: unitOf('ships'), uid: metadata.uid! }
  const copied = async () => {
    const { body } = await caller.send('ships/aurora', 'sync', { lease: sync.lease, known: sync.digest })
    return (body.copy as { readonly orders?: readonly unknown[] } | undefined)?.orders
  }
  const answer = (id: string, answer: unknown, more: object = {}) =>
    caller.send('ships/aurora', 'planned', { lease: sync.lease, ...unit, id, result: answer, ...more })
  return { ...it, caller, sync, unit, copied, answer, find: (id: string) => it.orders.find(access, { ...unit, id }) }
}

test('an order is in the copy of the runner until that has answered', async () => {
  const it = await world()
  assert.equal(await it.copied(), undefined, 'a copy without orders is as it was before there were any')
  const id = await it.orders.place(access, it.unit)
  assert.deepEqual(await it.copied(), [{ id, ...it.unit }])
  assert.equal(await it.find(id), 'open')

  assert.equal((await it.answer(id, { plan })).status, 200)
  assert.equal(await it.copied(), undefined)
  const found = await it.find(id)
  assert.ok(typeof found === 'object' && 'plan' in found)
  assert.deepEqual(found.plan.spec.unit, {
    ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app' },
  })
  assert.deepEqual([found.plan.spec.cluster, found.plan.changes], [access, plan.changes])
  assert.equal((await it.hub.list({ group: 'fleet.keelson.dev', kind: 'Plan' })).items.length, 0)
  assert.equal((await it.answer(id, { plan })).status, 404, 'nobody waits for another one')
})

test('what is stored of an answer is sealed', async () => {
  const it = await world()
  const id = await it.orders.place(access, it.unit)
  await it.answer(id, { failed: 'planted-text' })
  assert.deepEqual(await it.find(id), { failed: 'planted-text' })
  const place = { group: 'plan-results.runner', kind: 'Plan', namespace: 'ships', name: `${it.unit.uid}.${id}` }
  const { body = '' } = (await it.platform.objects.get(place)) ?? {}
  assert.ok(body.length > 0 && !body.includes('planted') && !Buffer.from(body, 'base64').includes('planted'))
})

test('a runner answers orders about its own units only, with what a Plan may have', async () => {
  const it = await world()
  const id = await it.orders.place(access, it.unit)
  const other = await it.runner('shops/berlin')
  const { metadata } = (await it.hub.get<KubernetesObject>(unitOf('shops')))!
  const foreign = { lease: other.sync.lease, id, result: { plan } }
  const send = async (about: object) =>
    (await other.caller.send('shops/berlin', 'planned', { ...foreign, ...about })).status
  assert.equal(await send(it.unit), 404, 'a unit of another runner')
  assert.equal(await send({ ref: unitOf('shops'), uid: metadata.uid }), 404, 'an order of another runner')
  for (const wrong of [{}, { plan: {} }, { plan: { spec: { digest: 1 } } }, undefined])
    assert.ok([400, 422].includes((await it.answer(id, wrong)).status), JSON.stringify(wrong))
  assert.equal(await it.find(id), 'open')
  assert.equal(await it.orders.find(access, { id, uid: 'another' }), undefined, 'another unit')
})

test('an order that nobody answers expires, and so does an answer', async () => {
  const it = await world()
  const [left, answered] = [await it.orders.place(access, it.unit), await it.orders.place(access, it.unit)]
  await it.answer(answered, { plan })
  await it.clock.advance(orderMs + 1)
  assert.deepEqual([await it.find(left), await it.find(answered)], [undefined, undefined])
  assert.deepEqual(await it.orders.open(access), [])
})

test('a runner has ten orders at a time, and none gets lost when several come at once', async () => {
  const it = await world()
  const ids = await Promise.all(Array.from({ length: 4 }, () => it.orders.place(access, it.unit)))
  assert.deepEqual((await it.orders.open(access)).map(({ id }) => id).sort(), ids.toSorted())
  for (let at = 4; at < 10; at++) await it.orders.place(access, it.unit)
  await assert.rejects(it.orders.place(access, it.unit), { code: 429 })
})
