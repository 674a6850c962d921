import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { collectKept } from '../../../../lib/reconcile/kept-builds/collect-kept.ts'
import { appliers, approve, conditionIn, maps, planOf, required, values } from './approvals-scene.ts'
import { author, onStage, providerRef, type Scene, setRef } from './scene.ts'
import { object, stored } from './sets.ts'

const hour = 3_600_000

/** An edit by hand, which nothing notices until the next pass. */
const drift = ({ hub }: Scene, name: string, value: string) =>
  hub.patch(object('ConfigMap', name), { type: 'merge', patch: { data: { value } } }, author)
const kept = ({ platform }: Scene) => Array.fromAsync(platform.artifacts.list('kept/'))
/** The set with these resources, applied and approved. */
const withApproved = async (scene: Scene, spec: Parameters<Scene['apply']>[0], annotations: object = {}) => {
  await scene.apply(spec, { ...required, ...annotations })
  await approve(scene, (await planOf(scene))!)
}

test('an approval that the ResourceSet requires itself is of a plan, as for other units', async () => {
  await onStage({}, async scene => {
    await scene.apply({ resources: maps('1') }, required)
    assert.deepEqual(await values(scene), {})
    await approve(scene, (await planOf(scene))!)
    assert.deepEqual(await values(scene), { 'cm-0': '1' })
    await scene.change(setRef, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': '1' } } })
    assert.equal(await planOf(scene), undefined, 'nothing has changed')
  })
})

test('what was approved last is kept while a new spec waits: with its objects, its steps, and the generation that Ready is about', async () => {
  await onStage({}, async scene => {
    const steps = (...values: readonly string[]) =>
      maps(...values).map((map, at) => ({ name: `step-${at}`, resources: [map] }))
    await withApproved(scene, { steps: steps('1', '1') })
    const generation = (await scene.read())!.metadata.generation
    await drift(scene, 'cm-0', 'drifted')
    await scene.apply({ resources: maps('2') })
    assert.deepEqual(await values(scene), { 'cm-0': 'drifted', 'cm-1': '1' }, 'the pass that begins to wait only plans')
    await scene.hub.delete(object('ConfigMap', 'cm-1'), {})
    await scene.advance(hour)
    assert.deepEqual(await values(scene), { 'cm-0': '1', 'cm-1': '1' })
    const ready = conditionOf((await scene.read())?.status?.conditions, 'Ready')
    assert.deepEqual([ready?.status, ready?.observedGeneration], ['True', generation], 'the new spec is not ready')
    await scene.advance(hour)
    const plan = (await planOf(scene))!
    assert.equal(plan.spec.summary, '~1 -1')
    const waiting = await conditionIn(scene, 'Waiting')
    assert.equal(waiting.reason, 'ApprovalRequired')
    assert.match(waiting.message ?? '', new RegExp(`plan ${plan.metadata.name} `))
    await scene.advance(hour)
    assert.equal((await planOf(scene))?.metadata.name, plan.metadata.name, 'it is the same plan')
    await approve(scene, plan)
    assert.deepEqual(await values(scene), { 'cm-0': '2' })
    assert.equal((await kept(scene)).length, 1, 'what was replaced is deleted')
    const { artifacts, objects, clock } = scene.platform
    await collectKept({ artifacts, objects }, { count: 0, ttlMs: hour }, clock.now() + 2 * hour)
    assert.equal((await kept(scene)).length, 1, 'housekeeping leaves it')
    await scene.hub.delete(setRef, {})
    await scene.settle()
    assert.deepEqual([await scene.read(), await kept(scene)], [undefined, []])
  })
})

test('inputs that change are a change; what was rendered with those of then is kept, also after a rejection', async () => {
  await onStage({}, async scene => {
    const provide = (value: string, objects: readonly string[]) => ({
      type: 'Static' as const,
      defaultValues: { value, objects },
    })
    await scene.provide('values', provide('1', ['a', 'b']))
    const resourcesTemplate = `<<- range $name := inputs.objects >>
---
apiVersion: v1
kind: ConfigMap
metadata: {name: << $name >>, namespace: default}
data: {value: << inputs.value | quote >>}
<<- end >>`
    await withApproved(scene, { inputsFrom: [{ name: 'values' }], resourcesTemplate })
    await scene.change(providerRef('values'), { spec: provide('2', ['a']) })
    await approve(scene, (await planOf(scene))!, 'Rejected')
    await drift(scene, 'b', 'drifted')
    await scene.advance(hour + 60_000)
    assert.deepEqual(await values(scene), { a: '1', b: '1' })
    assert.equal((await conditionIn(scene, 'Waiting')).reason, 'PlanRejected')
    assert.equal((await conditionIn(scene, 'Ready')).status, 'True')
    const { resourceVersion } = (await scene.read())!.metadata
    await scene.advance(3 * hour)
    assert.equal((await scene.read())!.metadata.resourceVersion, resourceVersion, 'a visit writes nothing')
  })
})

test('a correction that the cluster refuses is reported, and tried again', async () => {
  let refuses = false
  const cluster: NonNullable<Parameters<typeof onStage>[0]['cluster']> = hub => ({
    ...hub,
    apply: (object, options) => {
      if (refuses && !options.dryRun) throw new ClusterError('forbidden', 'not now')
      return hub.apply(object, options)
    },
  })
  await onStage({ cluster }, async scene => {
    await withApproved(scene, { resources: maps('1') })
    await scene.apply({ resources: maps('2') })
    await drift(scene, 'cm-0', 'drifted')
    refuses = true
    await scene.advance(hour + 60_000)
    const ready = await conditionIn(scene, 'Ready')
    assert.deepEqual([ready.status, ready.reason], ['False', 'ReconciliationFailed'])
    assert.match(ready.message ?? '', /not now/)
    assert.equal((await conditionIn(scene, 'Waiting')).reason, 'ApprovalRequired')
    refuses = false
    await scene.advance(hour)
    assert.deepEqual(await values(scene), { 'cm-0': '1' })
    assert.equal((await conditionIn(scene, 'Ready')).status, 'True')
  })
})

test('copied data is kept as it was approved, and sealed', async () => {
  await onStage({}, async scene => {
    const source = (password: string) => ({ stringData: { password } })
    await scene.create(stored('Secret', 'src', source('the-first-password')))
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    const copy = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'copy', namespace: 'default', annotations } }
    await withApproved(scene, { resources: [copy] })
    const read = async () => {
      const { data } = (await scene.hub.get(object('Secret', 'copy'))) as { data?: { password?: string } }
      return Buffer.from(data?.password ?? '', 'base64').toString()
    }
    await scene.change(object('Secret', 'src'), source('the-second-password'))
    await scene.advance(hour + 60_000)
    assert.ok(await planOf(scene), 'another password is a change')
    await scene.change(object('Secret', 'copy'), source('by hand'))
    await scene.advance(hour + 60_000)
    assert.equal(await read(), 'the-first-password')
    for (const { name } of await kept(scene)) {
      const sealed = (await scene.platform.artifacts.get(name))!
      for (const text of ['the-first-password', Buffer.from('the-first-password').toString('base64')])
        assert.equal(Buffer.from(sealed).includes(text), false)
    }
    assert.equal((await kept(scene)).length, 1)
  })
})

test('what was approved is not applied as another ServiceAccount than it was approved for', async () => {
  const { users, cluster } = appliers()
  await onStage({ cluster }, async scene => {
    await withApproved(scene, { serviceAccountName: 'small', resources: maps('1') })
    users.clear()
    await drift(scene, 'cm-0', 'drifted')
    await scene.apply({ serviceAccountName: 'large', resources: maps('1') })
    const plan = (await planOf(scene))!
    await scene.advance(hour + 60_000)
    assert.deepEqual([await values(scene), [...users]], [{ 'cm-0': 'drifted' }, []])
    await approve(scene, plan)
    assert.deepEqual(await values(scene), { 'cm-0': '1' })
    assert.deepEqual([...users], ['system:serviceaccount:default:large'])
  })
})

test('objects that are not healthy are waited for, as ever, and nothing of the change is applied by that', async () => {
  const repository = {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'repo', namespace: 'default' },
    spec: { interval: '10m', url: 'https://git.example.com/app' },
  }
  const ref = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'repo' }
  await onStage({}, async scene => {
    const becomesReady = async () => {
      const { metadata } = (await scene.hub.get(ref))!
      const condition = { type: 'Ready', status: 'True', reason: 'Test', message: 'ready' }
      const status = {
        observedGeneration: metadata.generation,
        conditions: [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }],
      }
      await scene.hub.patch(ref, { type: 'merge', patch: { status } }, { subresource: 'status', ...author })
      await scene.advance(10_000)
    }
    const of = (value: string) => ({ wait: true, resources: [repository, ...maps(value)] })
    await withApproved(scene, of('1'))
    await becomesReady()
    await scene.apply(of('2'))
    await scene.hub.delete(ref, {})
    await scene.advance(hour + 10_000)
    assert.equal((await conditionIn(scene, 'Ready')).status, 'Unknown')
    assert.deepEqual(await values(scene), { 'cm-0': '1' })
    await becomesReady()
    assert.equal((await conditionIn(scene, 'Ready')).status, 'True')
    assert.equal((await conditionIn(scene, 'Waiting')).reason, 'ApprovalRequired')
    assert.deepEqual(await values(scene), { 'cm-0': '1' })
  })
})

test('what was approved once is not applied again after something else was applied without an approval', async () => {
  await onStage({}, async scene => {
    await withApproved(scene, { resources: maps('1') })
    await scene.apply({ resources: maps('2') }, {})
    await scene.apply({ resources: maps('3') }, required)
    await scene.advance(hour)
    await scene.advance(hour)
    assert.deepEqual(await values(scene), { 'cm-0': '2' })
    assert.equal((await conditionIn(scene, 'Waiting')).reason, 'ApprovalRequired')
  })
})

test('a preview is what the next pass would apply, in all steps, and neither applies nor stores anything', async () => {
  await onStage({}, async scene => {
    const preview = async () => {
      const [writes, before] = [scene.writes(), JSON.stringify(await scene.read())]
      const { spec, changes = [] } = await scene.preview()
      assert.equal(scene.writes(), writes, 'it has applied something')
      assert.equal(JSON.stringify(await scene.read()), before)
      return { spec, shown: changes.map(({ name, action }) => `${name} ${action}`) }
    }
    const steps = (...values: readonly string[]) =>
      maps(...values).map((map, at) => ({ name: `step-${at}`, resources: [map] }))
    const dependsOn = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'missing', namespace: 'default' }]
    await scene.apply({ steps: steps('1', '1'), dependsOn })
    assert.deepEqual((await preview()).shown, ['cm-0 created', 'cm-1 created'], 'a dependency holds up a pass alone')
    await scene.apply({ steps: steps('1', '1') }, required)
    await approve(scene, (await planOf(scene))!)
    assert.deepEqual((await preview()).shown, [])
    await drift(scene, 'cm-0', 'drifted')
    assert.deepEqual((await preview()).shown, ['cm-0 configured'])

    await scene.apply({ steps: steps('2') })
    // The pass after the first one corrects the drift, and the next one plans again.
    await scene.advance(hour)
    await scene.advance(hour)
    const plan = (await planOf(scene))!
    const { spec, shown } = await preview()
    assert.deepEqual(shown, ['cm-0 configured', 'cm-1 deleted'])
    assert.equal(spec.digest, plan.spec.digest, 'an approval of the plan that waits is for the same change')
    assert.equal(spec.approvals?.count, 1)
  })
})
