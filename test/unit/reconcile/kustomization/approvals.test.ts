import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import { defaultKustomizationSettings } from '../../../../lib/reconcile/kustomization/settings.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { approvedBy, decide, openPlan, phases, plansOf, required, withUnit } from './approvals-scene.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { annotate, clusterWith, conditionsOf, hour, nightly, prod, waiting } from './windows-scene.ts'

test('a new revision is planned and waits; approved, it is applied as planned; Ready stays as it was until then', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    assert.deepEqual(await plansOf(scene), [], 'nothing changes: there is nothing to approve')
    await scene.push('2', { 'a.yaml': configMap('a', '2'), 'b.yaml': configMap('b', '1') })
    const plan = await openPlan(scene)
    assert.deepEqual(
      [plan.status?.phase, plan.spec.revision, plan.spec.counts, plan.spec.approvals?.reason],
      ['Waiting', 'main@sha1:2', { configured: 1, created: 1 }, 'Kustomization default/app'],
    )
    assert.deepEqual(
      plan.changes?.map(({ name, action, fields }) => [
        name,
        action,
        fields?.map(({ path, before, after }) => [path, before, after]),
      ]),
      [
        ['a', 'configured', [['data.value', '1', '2']]],
        ['b', 'created', undefined],
      ],
    )
    assert.match(
      (await waiting(scene)) ?? '',
      /^True ApprovalRequired: revision main@sha1:2 waits for an approval of plan kustomization-app-\w{9} \(\+1 ~1\) until .*, as Kustomization default\/app requires; run: keelson approve kustomization-app-\w{9} -n default$/,
    )
    const { ready, status } = await conditionsOf(scene)
    assert.deepEqual([ready?.status, status?.lastAppliedRevision], ['True', 'main@sha1:1'])
    assert.deepEqual(await scene.values(), { a: '1' })

    await decide(scene, plan, 'jane')
    assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    assert.deepEqual(await phases(scene), ['Applied'])
    assert.deepEqual((await plansOf(scene))[0]?.status?.approvedBy, ['jane'])
    assert.deepEqual((await scene.runs()).at(-1)?.plan, approvedBy(plan, 'jane'))
    assert.equal(await waiting(scene), undefined)
    assert.equal((await conditionsOf(scene)).ready?.message, 'Applied revision: main@sha1:2')
  })
})

test('drift is corrected to the approved revision while another one waits', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
    await scene.hub.patch(ref, { type: 'merge', patch: { data: { other: 'drifted', value: '0' } } }, author)
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1' })
    assert.match((await waiting(scene)) ?? '', /ApprovalRequired/)
    assert.equal((await conditionsOf(scene)).ready?.status, 'True')
  })
})

const configMapA = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
const drift = ({ hub }: Scene, value: string) =>
  hub.patch(configMapA, { type: 'merge', patch: { data: { value } } }, author)

test('the pass that begins to wait only plans; the ones after it correct drift, whatever waits by then', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    await drift(scene, 'drifted')
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    assert.deepEqual([await scene.values(), await phases(scene)], [{ a: 'drifted' }, ['Waiting']])
    await scene.push('3', { 'a.yaml': configMap('a', '3') })
    assert.deepEqual(await scene.values(), { a: '1' }, 'a push that follows does not put it off')
    await drift(scene, 'again')
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1' })
  })
})

for (const undoLimit of [10, 0])
  test(`what was approved is kept, though the source has nothing of it any more (${undoLimit} kept for undos)`, async () => {
    const settings = { ...defaultKustomizationSettings, undoLimit }
    await onStage({ settings }, async scene => {
      await withUnit(scene)
      await scene.push('2', { 'a.yaml': configMap('a', '2') })
      await decide(scene, await openPlan(scene), 'jane')
      assert.deepEqual(await scene.values(), { a: '2' })
      const { artifacts } = scene.platform
      for await (const { name } of artifacts.list('gitrepository/')) await artifacts.delete(name)
      await scene.push('3', { 'b.yaml': configMap('b', '1') })
      await drift(scene, 'drifted')
      await scene.advance(hour)
      assert.deepEqual(await scene.values(), { a: '2' })
      await decide(scene, await openPlan(scene), 'jane')
      assert.deepEqual(await scene.values(), { b: '1' })
      await scene.hub.delete(kustomizationRef('app'), {})
      await scene.settle()
      assert.deepEqual(await Array.fromAsync(artifacts.list('kept/')), [])
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
    await withUnit(scene)
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    await drift(scene, 'drifted')
    refuses = true
    await scene.advance(hour)
    const { ready } = await conditionsOf(scene)
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'ReconciliationFailed'])
    refuses = false
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1' })
    assert.equal((await conditionsOf(scene)).ready?.status, 'True')
    assert.match((await waiting(scene)) ?? '', /ApprovalRequired/)
  })
})

test('a rejected plan is not applied, and says who has rejected it and why', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    await decide(scene, await openPlan(scene), 'jane', { decision: 'Rejected', comment: 'not on a Friday' })
    assert.match(
      (await waiting(scene)) ?? '',
      /^True PlanRejected: jane has rejected plan kustomization-app-\w+ of revision main@sha1:2: not on a Friday$/,
    )
    assert.deepEqual([await scene.values(), await phases(scene)], [{ a: '1' }, ['Rejected']])
    await scene.push('3', { 'a.yaml': configMap('a', '3') })
    assert.deepEqual(await phases(scene), ['Stale', 'Waiting'])
  })
})

test('a plan that drift has made stale is open again once the drift is corrected, with the decisions about it', async () => {
  await onStage({}, async scene => {
    await withUnit(scene, { ...required, 'fleet.keelson.dev/min-approvals': '2' })
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    const plan = await openPlan(scene)
    await decide(scene, plan, 'jane')
    await drift(scene, 'drifted')
    await scene.advance(hour)
    assert.deepEqual([await scene.values(), await phases(scene)], [{ a: '1' }, ['Stale', 'Waiting']])
    await scene.advance(hour)
    const again = await openPlan(scene)
    assert.deepEqual([again.metadata.name, again.status?.approvedBy], [plan.metadata.name, ['jane']])
    await decide(scene, plan, 'joe', { decision: 'Rejected' })
    await drift(scene, 'drifted')
    await scene.advance(2 * hour)
    assert.deepEqual([await scene.values(), await phases(scene)], [{ a: '1' }, ['Rejected', 'Stale']])
  })
})

test('a live field that the plan would change makes it stale; its approval counts for nothing', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    await scene.push('2', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '2') })
    const first = await openPlan(scene)
    await scene.hub.create(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'b', namespace: 'default' },
        data: { value: 'theirs' },
      } as never,
      { fieldManager: 'kubectl' },
    )
    await decide(scene, first, 'jane')
    assert.deepEqual(await scene.values(), { a: '1', b: 'theirs' })
    assert.deepEqual(await phases(scene), ['Stale', 'Waiting'])
    await decide(scene, await openPlan(scene), 'jane')
    assert.deepEqual(await scene.values(), { a: '1', b: '2' })
  })
})

test('an approval of another digest, of an expired plan, or that has expired itself counts for nothing', async () => {
  await onStage({}, async scene => {
    await withUnit(scene, { ...required, 'fleet.keelson.dev/plan-expiry': '2h' })
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    const plan = await openPlan(scene)
    await decide(scene, plan, 'jane', { digest: `sha256:${'0'.repeat(64)}` })
    await decide(scene, plan, 'jane', { expiresAt: '2026-01-01T00:00:00Z' })
    assert.deepEqual([await scene.values(), await phases(scene)], [{ a: '1' }, ['Waiting']])
    await scene.advance(2.5 * hour)
    assert.deepEqual(await phases(scene), ['Expired', 'Waiting'])
    await decide(scene, plan, 'jane')
    assert.deepEqual([await scene.values(), await phases(scene)], [{ a: '1' }, ['Expired', 'Waiting']])
  })
})

test('with min-approvals, as many users must approve, and one twice counts once', async () => {
  await onStage({}, async scene => {
    await withUnit(scene, { ...required, 'fleet.keelson.dev/min-approvals': '2' })
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    const plan = await openPlan(scene)
    assert.match((await waiting(scene)) ?? '', /waits for 2 approvals/)
    await decide(scene, plan, 'jane')
    await decide(scene, plan, 'jane')
    assert.match((await waiting(scene)) ?? '', /waits for an approval/)
    assert.deepEqual(await scene.values(), { a: '1' })
    await decide(scene, plan, 'joe')
    assert.deepEqual(await scene.values(), { a: '2' })
  })
})

test('RO-07 the strictest of unit, Namespace and Cluster counts; OnDelete only holds back what deletes', async () => {
  await onStage({}, async scene => {
    await withUnit(scene, { 'fleet.keelson.dev/approval': 'OnDelete' })
    await scene.push('2', { 'a.yaml': configMap('a', '2'), 'b.yaml': configMap('b', '1') })
    assert.deepEqual([await scene.values(), await plansOf(scene)], [{ a: '2', b: '1' }, []])
    await scene.push('3', { 'a.yaml': configMap('a', '2') })
    assert.deepEqual(await scene.values(), { a: '2', b: '1' })
    await decide(scene, await openPlan(scene), 'jane')
    assert.deepEqual(await scene.values(), { a: '2' })
    const namespace = { group: '', kind: 'Namespace', namespace: '', name: 'default' }
    await scene.hub.patch(namespace, { type: 'merge', patch: { metadata: { annotations: required } } }, author)
    await scene.push('4', { 'a.yaml': configMap('a', '4') })
    assert.match((await waiting(scene)) ?? '', /as Kustomization default\/app and Namespace default requires/)
    assert.deepEqual(await scene.values(), { a: '2' })
  })
})

test('RO-07 with OutsideWindow a change goes on in its window, and outside of it once it is approved', async () => {
  await onStage({}, async scene => {
    await clusterWith(scene, { windows: [nightly] })
    await scene.clock.advance(hour) // one o'clock
    await scene.push('1', { 'a.yaml': configMap('a', '1') })
    await scene.kustomize('app', prod)
    await annotate(scene, { 'fleet.keelson.dev/approval': 'OutsideWindow' })
    await scene.push('2', { 'a.yaml': configMap('a', '2') })
    assert.deepEqual(await scene.values(), { a: '2' })
    await scene.advance(3 * hour)
    await scene.push('3', { 'a.yaml': configMap('a', '3') })
    assert.deepEqual(await scene.values(), { a: '2' })
    await decide(scene, await openPlan(scene), 'jane')
    assert.deepEqual(await scene.values(), { a: '3' })
  })
})

test('no value of a Secret is in a plan, whether it is new, replaced or deleted', async () => {
  const secret = (value: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\n  namespace: default\nstringData:\n  password: ${value}\n`
  await onStage({}, async scene => {
    await scene.push('1', { 'a.yaml': configMap('a', '1'), 's.yaml': secret('first-secret') })
    await scene.kustomize('app')
    await annotate(scene, required)
    await scene.push('2', { 'a.yaml': configMap('a', 'first-secret'), 's.yaml': secret('second-secret') })
    const plan = await openPlan(scene)
    const text = JSON.stringify(plan)
    assert.deepEqual(
      plan.changes?.map(({ kind, fields }) => [kind, fields?.length]),
      [
        ['ConfigMap', 1],
        ['Secret', 1],
      ],
    )
    for (const value of ['first-secret', 'second-secret'])
      for (const form of [value, Buffer.from(value).toString('base64')]) assert.ok(!text.includes(form), form)
  })
})
