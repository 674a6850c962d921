/** What windows hold back of a Kustomization, with a clock that the test moves. It starts at midnight UTC of 2026-01-01, a Thursday. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Window } from '../../../../lib/foundations/kinds/window.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { author, configMap, kustomizationRef, onStage, type Scene } from './scene.ts'

const hour = 3_600_000

/** From one o'clock to three. */
const nightly: Window = { action: 'Allow', schedule: '0 1 * * *', duration: '2h' }

const prodSecret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'prod', namespace: 'default' },
  data: { value: Buffer.from('of a cluster').toString('base64') },
}
const prod = { kubeConfig: { secretRef: { name: 'prod' } } }

/** A Cluster for the units that use the Secret `prod`. */
const clusterWith = async ({ hub }: Scene, spec: object): Promise<void> => {
  await hub.create(prodSecret, author)
  const cluster = {
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'prod', namespace: 'default' },
    spec: { ...prod, ...spec },
  }
  await hub.create(cluster, author)
}

const clusterRef = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'default', name: 'prod' }

const changeCluster = ({ hub }: Scene, spec: object) =>
  hub.patch(clusterRef, { type: 'merge', patch: { spec } }, author)

const conditionsOf = async ({ read }: Scene) => {
  const { status } = (await read('app'))!
  const of = (type: string) => conditionOf(status?.conditions, type)
  return { ready: of('Ready'), waiting: of('Waiting'), reconciling: of('Reconciling'), status }
}

/** The reason and message of the condition Waiting. */
const waiting = async (scene: Scene): Promise<string | undefined> => {
  const { waiting } = await conditionsOf(scene)
  return waiting && `${waiting.status} ${waiting.reason}: ${waiting.message}`
}

const annotate = ({ hub, settle }: Scene, annotations: Readonly<Record<string, string | null>>) =>
  hub.patch(kustomizationRef('app'), { type: 'merge', patch: { metadata: { annotations } } }, author).then(settle)

test('a revision waits for the window of its Cluster, goes on when that begins, and Ready says what it said', async () => {
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

test('windows of its Namespace and of its own hold a unit, each by itself, and a change to them counts at once', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, hub, settle } = scene
    const namespace = { group: '', kind: 'Namespace', namespace: '', name: 'default' }
    const windows = (text: string | null) => ({ metadata: { annotations: { 'keelson.dev/windows': text } } })
    await hub.patch(namespace, { type: 'merge', patch: windows(JSON.stringify([nightly])) }, author)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app')
    assert.match((await waiting(scene)) ?? '', /of Namespace default$/)
    await annotate(scene, {
      'keelson.dev/windows': '- {action: Deny, schedule: "0 0 1 1 *", duration: 5h, description: "an audit"}',
    })
    assert.match(
      (await waiting(scene)) ?? '',
      /until 2026-01-02T01:00:00Z: in the Deny window .*; an audit\) of Kustomization default\/app$/,
    )
    await annotate(scene, { 'keelson.dev/windows': null })
    assert.match((await waiting(scene)) ?? '', /until 2026-01-01T01:00:00Z: .* of Namespace default$/)
    await hub.patch(namespace, { type: 'merge', patch: windows(null) }, author)
    await settle()
    assert.equal(await waiting(scene), undefined)
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('windows that nobody can understand hold everything back, and the condition names object, annotation and field', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values } = scene
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app')
    const wrong = async (text: string): Promise<string | undefined> => {
      await annotate(scene, { 'keelson.dev/windows': text, 'reconcile.fluxcd.io/requestedAt': text.length.toString() })
      return (await waiting(scene))?.replace(/^.*Kustomization default\/app: /, '')
    }
    assert.match((await wrong('never')) ?? '', /^must be a list of windows/)
    assert.match(
      (await wrong('[{action: Stop, schedule: "@daily", duration: 1h}]')) ?? '',
      /^windows\[0\]\.action: Unsupported value: "Stop"/,
    )
    assert.match(
      (await wrong('[{action: Deny, schedule: "0 25 * * *", duration: 1h}]')) ?? '',
      /^windows\[0\]\.schedule: .*end of range \(25\)/,
    )
    assert.match(
      (await wrong('[{action: Deny, schedule: "@daily", duration: 1h, timeZone: Mars}]')) ?? '',
      /^windows\[0\]\.timeZone: .*unknown time zone/,
    )
    await push('2', { 'a.yaml': configMap('a', '2') })
    assert.match(
      (await waiting(scene)) ?? '',
      /^True InvalidWindows: revision main@sha1:2 waits: annotation keelson.dev\/windows of Kustomization default\/app: windows\[0\]/,
    )
    assert.deepEqual(await values(), { a: '1' })
    await annotate(scene, { 'keelson.dev/windows': null })
    assert.deepEqual(await values(), { a: '2' })
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

test('an override lifts the windows until its time, and is on record', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, hub, settle } = scene
    await clusterWith(scene, { windows: [nightly] })
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    assert.deepEqual(await values(), {})
    const override = { 'keelson.dev/override-window': '2026-01-01T00:30:00Z the fix of the outage' }
    const patch = { metadata: { annotations: override } }
    await hub.patch(kustomizationRef('app'), { type: 'merge', patch }, { ...author, user: 'jane' })
    await settle()
    assert.deepEqual(await values(), { a: '1' })
    const of = async () => conditionOf((await scene.read('app'))?.status?.conditions, 'WindowOverridden')?.message
    assert.equal(await of(), 'jane overrides the windows until 2026-01-01T00:30:00Z: the fix of the outage')
    const events = await scene.eventsOf(kustomizationRef('app'))
    assert.ok(
      events.some(
        text =>
          text ===
          `Normal WindowOverridden 1x: ${'jane overrides the windows until 2026-01-01T00:30:00Z: the fix of the outage'}`,
      ),
      events.join('\n'),
    )
    await advance(hour / 2 + 60_000)
    await push('2', { 'a.yaml': configMap('a', '2') })
    assert.deepEqual(await values(), { a: '1' })
    assert.match((await waiting(scene)) ?? '', /revision main@sha1:2 waits/)
    assert.equal(await of(), undefined)
  })
})

test('the units of a suspended Cluster do nothing, and a deleted one waits', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, advance, hub, settle } = scene
    await clusterWith(scene, {})
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    await changeCluster(scene, { suspend: true })
    await push('2', { 'a.yaml': configMap('a', '2') })
    assert.equal(await waiting(scene), 'True ClusterSuspended: everything waits: Cluster default/prod is suspended')
    assert.equal((await conditionsOf(scene)).ready?.message, 'Applied revision: main@sha1:1')
    await hub.delete(kustomizationRef('app'), {})
    await settle()
    assert.match((await waiting(scene)) ?? '', /the deletion waits: Cluster default\/prod is suspended/)
    assert.deepEqual(await values(), { a: '1' })
    await changeCluster(scene, { suspend: false })
    await advance(hour / 2)
    assert.deepEqual(await values(), {})
    assert.equal(await scene.read('app'), undefined)
  })
})
