import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitRef } from '../../../../lib/platform/ports/visits.ts'
import { configMap, onStage, providerRef, type Scene, setRef } from './scene.ts'

const minute = 60_000
const visit = visitRef('resourceset', 'default/') // of the hub itself: no kubeconfig

const spec = {
  inputs: [
    { name: 'one', level: 'low' },
    { name: 'two', level: 'mid' },
  ],
  resources: [configMap('<< inputs.name >>', { level: '<< inputs.level >>' })],
}

/** A ResourceSet whose interval has passed, so that it is its group's visit to look after. */
const atRest = (story: (scene: Scene) => Promise<void>) =>
  onStage({}, async scene => {
    await scene.apply(spec)
    await scene.advance(70 * minute)
    assert.deepEqual(
      (await scene.platform.visits.read(visit))?.members.map(({ ref }) => ref.name),
      ['app'],
    )
    await story(scene)
  })

const dueOf = async ({ platform }: Scene) => (await platform.objects.get(setRef))?.due

test('a ResourceSet at rest is visited: nothing is written, to the hub or to what it applies, and no event is sent', () =>
  atRest(async scene => {
    const { visited, passes, changes, writes, advance, events } = scene
    const before = [passes.length, changes.length, writes(), await events()]
    visited.splice(0)
    await advance(2 * 62 * minute)
    assert.deepEqual(
      visited.map(({ unchanged }) => unchanged.map(({ ref }) => ref.name)),
      [['app'], ['app']],
    )
    assert.deepEqual([passes.length, changes.length, writes(), await events()], before)
    assert.equal(await dueOf(scene), undefined)
  }))

test('what a visit finds changed gets a pass: an object that was changed or deleted by hand, or a new input', () =>
  atRest(async ({ hub, change, passes, advance, data, settle, provide, apply }) => {
    const ref = (name: string) => ({ group: '', kind: 'ConfigMap', namespace: 'default', name })
    passes.splice(0)
    await change(ref('one'), { data: { level: 'drifted' } })
    await hub.delete(ref('two'), {})
    await settle()
    await advance(62 * minute)
    assert.deepEqual(await data(), { one: { level: 'low' }, two: { level: 'mid' } })
    assert.equal(passes.filter(pass => pass.ref.kind === 'ResourceSet').length, 1)

    await provide('more', { type: 'Static', defaultValues: { name: 'three', level: 'high' } })
    await apply({ resources: spec.resources, inputsFrom: [{ name: providerRef('more').name }] })
    await advance(130 * minute)
    assert.deepEqual(await data(), { three: { level: 'high' } })
    await change(providerRef('more'), { spec: { defaultValues: { name: 'three', level: 'top' } } })
    await settle()
    await advance(minute)
    assert.deepEqual(await data(), { three: { level: 'top' } })
  }))

test('a request gets its own pass, with its event and history', () =>
  atRest(async ({ change, advance, read, passes, settle }) => {
    passes.splice(0)
    const { history: before } = (await read())!.status!
    await change(setRef, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } })
    await settle()
    await advance(minute)
    const { history, lastHandledReconcileAt } = (await read())!.status!
    assert.equal(lastHandledReconcileAt, 'now')
    assert.equal(history![0]!.totalReconciliations, before![0]!.totalReconciliations + 1)
    assert.equal(passes.length, 1)
  }))
