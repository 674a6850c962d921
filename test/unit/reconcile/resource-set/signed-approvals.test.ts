/** ResourceSets of a runner that demands signatures, against what its hub could say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import type { ResourceSetSpec } from '../../../../lib/foundations/kinds/resource-set.ts'
import { bob, demanding, jane, mallory, signedAt } from '../signing.ts'
import { appliers, approve, conditionIn, maps, planOf, values } from './approvals-scene.ts'
import { author, configMap, onStage, providerRef, type Scene, setRef } from './scene.ts'
import { object, stored } from './sets.ts'

const hour = 3_600_000

const sign = (scene: Scene, plan: Plan, by = jane, at = scene.clock.now()) =>
  approve(scene, plan, 'Approved', signedAt(at, plan, by))
const openPlan = async (scene: Scene): Promise<Plan> => {
  const plan = await planOf(scene)
  assert.ok(plan, JSON.stringify(await scene.conditions()))
  return plan
}
const drift = ({ hub }: Scene, name: string, value: string) =>
  hub.patch(object('ConfigMap', name), { type: 'merge', patch: { data: { value } } }, author)
const forgeStatus = async (scene: Scene, status: object) => {
  await scene.hub.patch(setRef, { type: 'merge', patch: { status } }, { ...author, subresource: 'status' })
}

/** The set has applied this, by an approval. */
const withSigned = (spec: ResourceSetSpec, story: (scene: Scene, first: Plan) => Promise<void>) =>
  onStage({ signatures: demanding() }, async scene => {
    await scene.apply(spec)
    const first = await openPlan(scene)
    await sign(scene, first)
    await story(scene, first)
  })

test('each change waits for a signature of what its plan shows, which is all of a new object, and is applied with one', async () => {
  await withSigned({ resources: maps('1') }, async (scene, first) => {
    assert.equal(first.spec.approvals?.signedFor, 'ships/aurora')
    const shown = first.changes?.flatMap(({ name, action, fields = [] }) =>
      fields.filter(({ path }) => path.startsWith('data')).map(({ path, after }) => [name, action, path, after]),
    )
    assert.deepEqual(shown, [['cm-0', 'created', 'data.value', '1']])
    assert.deepEqual(await values(scene), { 'cm-0': '1' })

    await scene.apply({ resources: maps('2') })
    const plan = await openPlan(scene)
    const refused = async (why: RegExp) => {
      assert.match((await conditionIn(scene, 'Waiting')).message ?? '', why)
      assert.deepEqual(await values(scene), { 'cm-0': '1' })
    }
    await approve(scene, plan)
    await refused(/the approval of jane is not signed/)
    await sign(scene, plan, mallory)
    await refused(/is not signed by a key of the runner/)
    await approve(scene, plan, 'Approved', signedAt(scene.clock.now(), first))
    await refused(/is signed for another change/)
    await sign(scene, plan, bob, scene.clock.now() - hour)
    await refused(/was signed before that of a later change/)
    await sign(scene, plan)
    assert.deepEqual(await values(scene), { 'cm-0': '2' })
    assert.equal((await conditionIn(scene, 'Waiting')).status, undefined)
  })
})

test('inputs and copied data that a hub changes after the approval are another change, and what was signed is kept', async () => {
  const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
  const copy = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'copy', namespace: 'default', annotations } }
  const mapped = configMap('cm-0', { value: '<< inputs.value >>' })
  await onStage({ signatures: demanding() }, async scene => {
    await scene.create(stored('Secret', 'src', { stringData: { password: 'first' } }))
    await scene.provide('values', { type: 'Static', defaultValues: { value: 'a' } })
    await scene.apply({ inputsFrom: [{ name: 'values' }], resources: [mapped, copy] })
    const first = await openPlan(scene)
    assert.doesNotMatch(JSON.stringify(first.changes), /first|Zmlyc3Q/, 'no value of a Secret is shown')
    // Approved, and changed before the runner has seen it.
    const subject = { kind: 'Plan', name: first.metadata.name }
    const approval = {
      ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Approval', metadata: { name: 'a', namespace: 'default' } },
      spec: { subject, digest: first.spec.digest, signature: signedAt(scene.clock.now(), first) },
    }
    await scene.hub.patch(
      providerRef('values'),
      { type: 'merge', patch: { spec: { defaultValues: { value: 'evil' } } } },
      author,
    )
    await scene.hub.create(approval, { ...author, user: 'jane' })
    await scene.settle()
    assert.deepEqual(await values(scene), {})
    await sign(scene, await openPlan(scene))
    assert.deepEqual(await values(scene), { 'cm-0': 'evil' })

    await scene.change(object('Secret', 'src'), { stringData: { password: 'second' } })
    await drift(scene, 'cm-0', 'drifted')
    await scene.advance(hour + 60_000)
    assert.ok(await planOf(scene), 'another password is a change')
    await scene.advance(hour)
    assert.deepEqual(await values(scene), { 'cm-0': 'evil' })
    const { data } = (await scene.hub.get(object('Secret', 'copy'))) as { data?: { password?: string } }
    assert.equal(Buffer.from(data?.password ?? '', 'base64').toString(), 'first')
  })
})

test('what was applied is what the runner has noted, and only objects of a signed plan are deleted', async () => {
  await withSigned({ resources: maps('1', '1') }, async scene => {
    await scene.apply({ resources: maps('2', '1') })
    const { status, metadata } = (await scene.read())!
    const plan = await openPlan(scene)
    const history = [
      { ...status!.history![0]!, digest: plan.spec.manifests!, lastReconciledStatus: 'ReconciliationSucceeded' },
    ]
    const conditions = status!.conditions!.map(one => ({ ...one, observedGeneration: metadata.generation }))
    await forgeStatus(scene, { history, conditions, lastAppliedRevision: plan.spec.manifests })
    await scene.advance(hour)
    assert.deepEqual(await values(scene), { 'cm-0': '1', 'cm-1': '1' })
    await sign(scene, await openPlan(scene))
    assert.deepEqual(await values(scene), { 'cm-0': '2', 'cm-1': '1' })

    const labels = {
      'resourceset.fluxcd.controlplane.io/name': 'app',
      'resourceset.fluxcd.controlplane.io/namespace': 'default',
    }
    await scene.create(configMap('kept', { value: '7' }, { labels }))
    const { inventory } = (await scene.read())!.status!
    await forgeStatus(scene, {
      inventory: { entries: [...inventory!.entries, { id: 'default_kept__ConfigMap', v: 'v1' }] },
    })
    await scene.advance(hour)
    assert.deepEqual(await values(scene), { 'cm-0': '2', 'cm-1': '1', kept: '7' })
    assert.match(
      (await conditionIn(scene, 'Waiting')).message ?? '',
      /1 deletion waits: the runner deletes only what a signed/,
    )

    await scene.apply({ resources: maps('2') })
    const smaller = await openPlan(scene)
    assert.deepEqual(smaller.changes?.map(({ name, action }) => `${name} ${action}`).sort(), [
      'cm-1 deleted',
      'kept deleted',
    ])
    await sign(scene, smaller)
    assert.deepEqual(await values(scene), { 'cm-0': '2' })

    await scene.hub.delete(setRef, {})
    await scene.settle()
    const last = await openPlan(scene)
    assert.deepEqual([last.spec.revision, last.spec.summary], ['of the deletion', '-1'])
    await approve(scene, last)
    assert.deepEqual(await values(scene), { 'cm-0': '2' })
    await sign(scene, last)
    assert.deepEqual([await values(scene), await scene.read()], [{}, undefined])
  })
})

test('what was signed is not applied as another ServiceAccount', async () => {
  const { users, cluster } = appliers()
  await onStage({ cluster, signatures: demanding() }, async scene => {
    await scene.apply({ serviceAccountName: 'small', resources: maps('1') })
    await sign(scene, await openPlan(scene))
    users.clear()
    await scene.apply({ serviceAccountName: 'large', resources: maps('1') })
    await drift(scene, 'cm-0', 'drifted')
    for (let times = 0; times < 2; times++) await scene.advance(hour)
    assert.deepEqual([await values(scene), [...users]], [{ 'cm-0': 'drifted' }, []])
  })
})

test('a failed Job that a change replaces is in its plan', async () => {
  const annotations = { 'fluxcd.controlplane.io/recreateOnFailure': 'enabled' }
  const failed = { conditions: [{ type: 'Failed', status: 'True' }] }
  const containers = [{ name: 'main', image: 'x' }]
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'job', namespace: 'default', annotations },
    spec: { template: { spec: { restartPolicy: 'Never', containers } } },
  }
  let deleted = 0
  const cluster: NonNullable<Parameters<typeof onStage>[0]['cluster']> = hub => {
    const live = { ...job, metadata: { ...job.metadata, uid: 'u', resourceVersion: '1' }, status: failed }
    return {
      ...hub,
      get: async (apiVersion, ref, options) => (ref.kind === 'Job' ? live : hub.get(apiVersion, ref, options)),
      delete: async (apiVersion, ref, options) => {
        if (ref.kind !== 'Job') return hub.delete(apiVersion, ref, options)
        deleted++
        return undefined as never
      },
    }
  }
  await onStage({ cluster, signatures: demanding() }, async scene => {
    await scene.apply({ resources: [job, ...maps('1')] })
    const { spec, changes } = await openPlan(scene)
    assert.deepEqual(
      [spec.summary, changes?.map(({ name, action }) => `${name} ${action}`), deleted],
      ['+2 -1', ['cm-0 created', 'job recreated'], 0],
    )
  })
})
