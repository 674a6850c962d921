import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { type Plan, unitUidLabel } from '../../../../lib/foundations/kinds/plan.ts'
import type { PlanRequest } from '../../../../lib/hub/runners/protocol.ts'
import { reportingHub } from '../../../../lib/reconcile/runner/reporting-hub.ts'
import { by, hubWorld } from '../../hub/store/world.ts'

const plan = (phase: string): Plan =>
  ({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Plan',
    metadata: { namespace: 'default', name: 'kustomization-app-0mjk1q2w3', labels: { [unitUidLabel]: 'u' } },
    spec: {
      unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app' },
      digest: `sha256:${'d'.repeat(64)}`,
      counts: {},
    },
    status: { phase },
  }) as Plan

const unit = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }

const ref = { group: 'fleet.keelson.dev', kind: 'Plan', namespace: 'default', name: plan('').metadata.name }

const world = async (onPlan: (local: Awaited<ReturnType<typeof hubWorld>>['hub']) => Promise<unknown>) => {
  const { hub: local } = await hubWorld()
  const sent: Omit<PlanRequest, 'lease'>[] = []
  const session = {
    report: async () => assert.fail('no status is reported'),
    plan: async (request: Omit<PlanRequest, 'lease'>) => {
      sent.push(request)
      await onPlan(local)
    },
  }
  return { local, sent, hub: reportingHub(local, session, { isOwn: () => false }) }
}

test('a plan is created, changed and removed by the hub, and the runner has what the hub hands out', async () => {
  const it = await world(local => local.replica.put(ref, () => plan('Waiting')))
  const created = await it.hub.create(plan('Waiting'), by('test'))
  assert.equal(created.status?.phase, 'Waiting')
  await it.hub.update({ ...created, status: { phase: 'Applied' } }, by('test'))
  await it.hub.delete(ref, {})
  const { spec } = plan('')
  const about = { ref: unit, uid: 'u', name: ref.name }
  assert.deepEqual(JSON.parse(JSON.stringify(it.sent)), [
    { ...about, create: { spec } },
    { ...about, status: { phase: 'Applied' } },
    { ...about, remove: true },
  ])
  assert.equal((await it.local.get<Plan>(ref))?.status?.phase, 'Waiting', 'only copies change it')
})

test('a plan that the hub has not handed out does not count as created', async () => {
  const it = await world(async () => {})
  await assert.rejects(
    it.hub.create(plan('Waiting'), by('test')),
    /has not handed out plan kustomization-app-0mjk1q2w3/,
  )
})

test('that a unit goes back by itself is stored by the hub first, and so is its end', async () => {
  const { hub: local } = await hubWorld()
  await local.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ships' } }, by('test'))
  const spec = { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } }
  const metadata = { namespace: 'ships', name: 'app', annotations: { 'keelson.dev/on-failure': 'undo' } }
  await local.create(
    { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata, spec },
    by('test'),
  )
  const reported: object[] = []
  let isThere = true
  const session = {
    report: async (_: KubernetesObject, change: object) => {
      if (!isThere) throw new Error('the hub is away')
      reported.push(change)
    },
    plan: async () => assert.fail('no plan'),
  }
  const hub = reportingHub(local, session, { isOwn: () => true })
  const ref = { ...unit, namespace: 'ships' }
  const [to, digest] = ['a', 'b'].map(letter => `sha256:${letter.repeat(64)}`)
  const text = `${to} ${digest} 1 main@sha1:2`
  const patch = (value: string | null) =>
    hub.patch(
      ref,
      { type: 'merge', patch: { metadata: { annotations: { 'keelson.dev/undo': value } } } },
      { fieldManager: 'keelson' },
    )
  const kept = async () => (await local.get<KubernetesObject>(ref))?.metadata.annotations?.['keelson.dev/undo']
  isThere = false
  await assert.rejects(patch(text), /the hub is away/)
  assert.equal(await kept(), undefined)
  isThere = true
  await patch(text)
  assert.equal(await kept(), text)
  await patch(text)
  await patch(null)
  assert.equal(await kept(), undefined)
  assert.deepEqual(reported, [
    { goesBack: { to, failed: { digest, generation: 1, revision: 'main@sha1:2' } } },
    { goesBack: null },
  ])
})

test('other objects are those of the runner', async () => {
  const it = await world(async () => {})
  const object: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: 'default', name: 'a' },
  }
  await it.hub.create(object, by('test'))
  await it.hub.delete({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }, {})
  assert.deepEqual(it.sent, [])
})
