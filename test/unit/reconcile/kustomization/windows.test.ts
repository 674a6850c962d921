import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Window } from '../../../../lib/foundations/kinds/window.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { approvedBy, decide, openPlan, phases, plansOf, required } from './approvals-scene.ts'
import { author, configMap, onStage } from './scene.ts'
import { annotate, clusterWith, conditionsOf, hour, nightly, prod, waiting } from './windows-scene.ts'

test('a revision waits for the window of its Cluster and is applied when it starts; Ready stays as it was', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, clock } = scene
    await clusterWith(scene, { windows: [nightly] })
    await clock.advance(hour) // one o'clock
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    assert.deepEqual(await values(), { a: '1' })
    const before = await conditionsOf(scene)
    assert.equal(before.ready?.status, 'True')

    await advance(2 * hour) // three o'clock: it is over
    await push('2', { 'a.yaml': configMap('a', '2') })
    assert.equal(
      await waiting(scene),
      'True OutsideWindow: revision main@sha1:2 waits until 2026-01-02T01:00:00Z: outside of the Allow window "0 1 * * *" for 2h (UTC) of Cluster default/prod',
    )
    assert.deepEqual(await values(), { a: '1' })
    const held = await conditionsOf(scene)
    assert.deepEqual(held.ready, before.ready)
    assert.equal(held.reconciling, undefined)
    assert.equal(held.status?.lastAppliedRevision, 'main@sha1:1')
    assert.deepEqual(
      await scene.eventsOf(kustomizationRef('app')).then(all => all.filter(text => /Waiting/.test(text)).length),
      1,
    )

    await advance(5 * 60_000) // the visit that it belonged to looks once, and lets go of it
    const passes = scene.passes.length
    await advance(20 * hour)
    assert.deepEqual(await values(), { a: '1' })
    assert.equal(scene.passes.length, passes, 'nobody looks before the time has come')
    await advance(2 * hour + 60_000) // one o'clock again
    assert.deepEqual(await values(), { a: '2' })
    assert.equal(await waiting(scene), undefined)
    assert.equal((await conditionsOf(scene)).ready?.message, 'Applied revision: main@sha1:2')
  })
})

test('CL-007 what waits for a window is planned; the plan is applied with the window, and nobody has to approve it', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, clock } = scene
    await clusterWith(scene, { windows: [nightly] })
    await clock.advance(hour)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    assert.deepEqual(await plansOf(scene), [])

    await advance(2 * hour)
    await push('2', { 'a.yaml': configMap('a', '2') })
    await push('3', { 'a.yaml': configMap('a', '3'), 'b.yaml': configMap('b', '1') })
    assert.deepEqual(await phases(scene), ['Scheduled', 'Stale'])
    const plan = (await plansOf(scene)).find(({ status }) => status?.phase === 'Scheduled')!
    const { revision, summary, approvals, expiresAt } = plan.spec
    assert.deepEqual([revision, summary, approvals, expiresAt], ['main@sha1:3', '+1 ~1', undefined, undefined])
    assert.deepEqual(
      plan.changes?.map(({ name, action }) => [name, action]),
      [
        ['a', 'configured'],
        ['b', 'created'],
      ],
    )
    const planned = async () => conditionOf((await conditionsOf(scene)).status?.conditions, 'Planned')?.message
    assert.equal(await planned(), `plan ${plan.metadata.name}, +1 ~1`)
    assert.match((await waiting(scene)) ?? '', /^True OutsideWindow: revision main@sha1:3 waits until/)
    assert.deepEqual(await values(), { a: '1' })

    await advance(22 * hour + 60_000)
    assert.deepEqual(await values(), { a: '3', b: '1' })
    assert.deepEqual([await phases(scene), await planned()], [['Applied', 'Stale'], undefined])
    assert.equal((await scene.runs()).at(-1)?.plan?.name, plan.metadata.name)
  })
})

test('CL-007 a change that needs an approval and waits for a window can be approved until the window opens', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, clock } = scene
    await clusterWith(scene, { windows: [nightly] })
    await clock.advance(hour)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    await annotate(scene, required)
    await advance(2 * hour)
    await push('2', { 'a.yaml': configMap('a', '2') })
    const plan = await openPlan(scene)
    assert.deepEqual([plan.status?.phase, plan.spec.approvals?.count], ['Waiting', 1])
    await decide(scene, plan, 'jane')
    assert.deepEqual(await values(), { a: '1' }, 'the window still counts')
    await advance(22 * hour + 60_000)
    assert.deepEqual(await values(), { a: '2' })
    assert.deepEqual(await phases(scene), ['Applied'])
    assert.deepEqual((await scene.runs()).at(-1)?.plan, approvedBy(plan, 'jane'))
  })
})

test('a plan for a window is stale once there is nothing left to do, and what can not be planned says why', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, advance, clock } = scene
    await clusterWith(scene, { windows: [nightly] })
    await clock.advance(hour)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    await advance(2 * hour)
    await push('2', { 'a.yaml': configMap('Not_A_Name', '2') })
    const planned = async () => conditionOf((await conditionsOf(scene)).status?.conditions, 'Planned')
    assert.deepEqual([(await planned())?.reason, await phases(scene)], ['PlanFailed', []])
    assert.match((await planned())?.message ?? '', /Not_A_Name/)
    await push('3', { 'a.yaml': configMap('a', '3') })
    assert.deepEqual(await phases(scene), ['Scheduled'])
    await push('4', { 'a.yaml': configMap('a', '1') })
    assert.deepEqual([await phases(scene), await planned()], [['Stale'], undefined])
  })
})

test('a unit that was never applied waits, too, and says so in Ready', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values } = scene
    await clusterWith(scene, { windows: [nightly] })
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    const { ready } = await conditionsOf(scene)
    assert.deepEqual([ready?.status, ready?.reason], ['Unknown', 'OutsideWindow'])
    assert.deepEqual(await values(), {})
  })
})

test('a push that changes nothing of the unit does not wait, and drift is corrected at any time', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, clock, hub } = scene
    await clusterWith(scene, { windows: [nightly] })
    await clock.advance(hour)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    await advance(3 * hour)
    await push('2', { 'a.yaml': configMap('a', '1'), 'README.md': 'of no concern' })
    assert.equal((await conditionsOf(scene)).status?.lastAppliedRevision, 'main@sha1:2')
    assert.equal(await waiting(scene), undefined)
    const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
    await hub.patch(ref, { type: 'merge', patch: { data: { value: 'drifted' } } }, author)
    await advance(hour / 2)
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('where the correction of drift is held back, it comes with the end of the window', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, hub, changes } = scene
    const freeze: Window = { action: 'Deny', schedule: '0 1 * * *', duration: '2h', holds: ['DriftCorrection'] }
    await clusterWith(scene, { windows: [freeze] })
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    await advance(hour)
    const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
    await hub.patch(ref, { type: 'merge', patch: { data: { value: 'drifted' } } }, author)
    const writes = changes.length
    await advance(1.9 * hour)
    assert.deepEqual(await values(), { a: 'drifted' })
    assert.equal(changes.length, writes, 'nothing is written while nothing may be done')
    await advance(hour / 2)
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('deletions wait by themselves, stay in the inventory, and go when they may', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, inventory } = scene
    const noDeletions: Window = { action: 'Deny', schedule: '0 0 * * *', duration: '2h', holds: ['Deletions'] }
    await clusterWith(scene, { windows: [noDeletions] })
    await push('1', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1') })
    await kustomize('app', prod)
    await push('2', { 'a.yaml': configMap('a', '2') })
    assert.deepEqual(await values(), { a: '2', b: '1' })
    assert.match(
      (await waiting(scene)) ?? '',
      /^True OutsideWindow: 1 deletion waits until 2026-01-01T02:00:00Z: in the Deny/,
    )
    assert.equal((await conditionsOf(scene)).ready?.status, 'True')
    assert.equal((await inventory('app')).length, 2)
    await advance(2 * hour + 60_000)
    assert.deepEqual(await values(), { a: '2' })
    assert.equal(await waiting(scene), undefined)
    assert.equal((await inventory('app')).length, 1)
  })
})

test('deleting the unit itself is an order that no window holds back', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, clock, hub, settle } = scene
    await clusterWith(scene, { windows: [nightly] })
    await clock.advance(hour)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    await clock.advance(4 * hour)
    await hub.delete(kustomizationRef('app'), {})
    await settle()
    assert.deepEqual(await values(), {})
  })
})

test('a change that has failed within its window does not go on outside of it', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, clock, advance } = scene
    await clusterWith(scene, { windows: [nightly] })
    await clock.advance(hour)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { ...prod, retryInterval: '1m' })
    await push('2', { 'a.yaml': configMap('a', '2'), 'bad.yaml': configMap('Not_A_Name', '2') })
    assert.equal((await conditionsOf(scene)).ready?.status, 'False')
    await advance(2 * hour + 5 * 60_000)
    assert.match((await waiting(scene)) ?? '', /revision main@sha1:2 waits until 2026-01-02T01:00:00Z/)
    assert.equal((await conditionsOf(scene)).ready?.status, 'False')
    assert.deepEqual(await values(), { a: '1' })
  })
})
