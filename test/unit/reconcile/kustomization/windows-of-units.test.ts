import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, onStage } from './scene.ts'
import { annotate, changeCluster, clusterWith, conditionsOf, hour, nightly, prod, waiting } from './windows-scene.ts'

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
