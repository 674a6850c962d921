/** Plans of runners are stored by the hub, and decisions reach the runner; those of others do not. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { type Plan, unitUidLabel } from '../../../../lib/foundations/kinds/plan.ts'
import { runName } from '../../../../lib/hub/runs/run-names.ts'
import { by } from '../store/world.ts'
import { digest, runnerWorld, unitOf } from './runner-world.ts'

const aurora = 'ships/aurora'

const spec: Plan['spec'] = {
  unit: { apiVersion: 'v1', kind: 'Other', name: 'other' },
  cluster: { kind: 'Secret', namespace: 'shops', name: 'berlin' },
  digest: digest('d'),
  counts: { created: 1 },
  approvals: { count: 1, authorMayApprove: false, reason: 'Namespace ships' },
}

const world = async () => {
  const it = await runnerWorld()
  const { caller, sync } = await it.runner(aurora)
  const { metadata } = (await it.hub.get<KubernetesObject>(unitOf('ships')))!
  const name = runName({ kind: 'Kustomization', name: 'app' }, it.clock.now())
  const ref = { group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'ships', name }
  const about = { lease: sync.lease, ref: unitOf('ships'), uid: metadata.uid, name }
  const send = async (content: object) => (await caller.send(aurora, 'plan', { ...about, ...content })).status
  const othersOf = async () => {
    const { body } = await caller.send(aurora, 'sync', { lease: sync.lease })
    const { others } = body.copy as { readonly others: readonly KubernetesObject[] }
    return others.map(({ kind, metadata }) => `${kind}/${metadata.name}`).filter(text => /^(Plan|Approval)/.test(text))
  }
  return {
    ...it,
    caller,
    lease: sync.lease,
    uid: metadata.uid!,
    name,
    ref,
    send,
    othersOf,
    planOf: () => it.hub.get<Plan>(ref),
  }
}

const approvalOf = (namespace: string, name: string, subject: object) =>
  ({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Approval',
    metadata: { namespace, name },
    spec: { subject, digest: digest('d'), approver: 'mona' },
  }) as KubernetesObject

test('a plan of a runner is about its own unit and cluster, waits, and goes with its unit', async () => {
  const it = await world()
  assert.equal(await it.send({ create: { spec, status: { phase: 'Approved' } } }), 200)
  assert.equal(await it.send({ create: { spec } }), 200, 'a repeated request')
  const plan = await it.planOf()
  assert.deepEqual(plan?.spec.unit, {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'app',
  })
  assert.deepEqual(plan.spec.cluster, { kind: 'ConfigMap', namespace: 'ships', name: 'aurora' })
  assert.deepEqual([plan.status, plan.spec.digest], [{ phase: 'Waiting' }, digest('d')])
  assert.deepEqual(plan.metadata.labels, { [unitUidLabel]: it.uid })
  assert.deepEqual(
    plan.metadata.ownerReferences?.map(({ uid }) => uid),
    [it.uid],
  )

  assert.equal(await it.send({ remove: true }), 400, 'one that waits')
  assert.equal(await it.send({ status: { phase: 'Applied' } }), 200)
  assert.equal((await it.planOf())?.status?.phase, 'Applied')
  assert.equal(await it.send({ remove: true }), 200)
  assert.equal(await it.planOf(), undefined)
})

test('a plan of a runner that nobody has to approve is scheduled, for the window of its unit', async () => {
  const it = await world()
  const { approvals: _, ...scheduled } = spec
  assert.equal(await it.send({ create: { spec: scheduled } }), 200)
  assert.equal((await it.planOf())?.status?.phase, 'Scheduled')
})

test('no plan under a name of another unit, of no plan, of another cluster, or that is none', async () => {
  const it = await world()
  const { uid } = (await it.hub.get<KubernetesObject>(unitOf('shops')))!.metadata
  assert.equal(
    await it.send({ name: runName({ kind: 'Kustomization', name: 'b' }, it.clock.now()), create: { spec } }),
    400,
  )
  assert.equal(await it.send({ name: 'chosen', create: { spec } }), 400)
  assert.equal(await it.send({ ref: unitOf('shops'), uid, create: { spec } }), 404)
  assert.equal(await it.send({ create: { spec: { ...spec, digest: 7 } } }), 422)
  assert.equal(await it.send({ status: { phase: 'Applied' } }), 404)
  assert.equal(await it.planOf(), undefined)
})

test('a runner gets the decisions about its plans and units, and no others', async () => {
  const it = await world()
  await it.send({ create: { spec } })
  const create = (name: string, subject: object, namespace = 'ships') =>
    it.hub.create(approvalOf(namespace, name, subject), by('test'))
  await create('of-plan', { kind: 'Plan', name: it.name })
  await create('of-unit', { kind: 'Kustomization', name: 'app' })
  await create('of-other', { kind: 'Kustomization', name: 'other' })
  await create('elsewhere', { kind: 'Plan', name: it.name }, 'shops')
  assert.deepEqual((await it.othersOf()).sort(), ['Approval/of-plan', 'Approval/of-unit', `Plan/${it.name}`])
})

test('what depends on a unit is enqueued when a runner reports that it is ready, and not at each report', async () => {
  const it = await world()
  const report = async (status: string, lastAppliedRevision: string) => {
    const { metadata } = (await it.hub.get<KubernetesObject>(unitOf('ships')))!
    const ready = { type: 'Ready', status, reason: 'Any', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
    const about = { lease: it.lease, ref: unitOf('ships'), uid: it.uid, resourceVersion: metadata.resourceVersion }
    const { status: code } = await it.caller.send(aurora, 'report', {
      ...about,
      status: { conditions: [ready], lastAppliedRevision },
    })
    assert.equal(code, 200)
    return it.events.splice(0)
  }
  assert.deepEqual(await report('Unknown', ''), [])
  assert.deepEqual(await report('True', 'one'), ['dependents of app'])
  assert.deepEqual(await report('True', 'one'), [])
  assert.deepEqual(await report('True', 'two'), ['dependents of app'])
  assert.deepEqual(await report('False', 'two'), [])
})
