/** What windows hold back of a ResourceSet, with a clock that the test moves. It starts at midnight UTC of 2026-01-01. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { configMap, onStage, type Scene } from './scene.ts'

const hour = 3_600_000
const windows = (...list: readonly object[]) => ({ 'keelson.dev/windows': JSON.stringify(list) })

const said = async ({ read }: Scene, type: string): Promise<string | undefined> => {
  const found = conditionOf((await read())?.status?.conditions, type)
  return found && `${found.status} ${found.reason}: ${found.message}`
}

test('newly rendered objects wait for their window, and removed ones wait separately', async () => {
  await onStage({}, async scene => {
    const { apply, data, advance, inventory } = scene
    await apply({ resources: [configMap('a', { v: '1' }), configMap('b', { v: '1' })] })
    const ready = await said(scene, 'Ready')
    const nightly = windows({ action: 'Allow', schedule: '0 1 * * *', duration: '2h' })
    await apply({ resources: [configMap('a', { v: '2' })] }, nightly)
    assert.match(
      (await said(scene, 'Waiting')) ?? '',
      /^True OutsideWindow: what is rendered waits until 2026-01-01T01:00:00Z: outside/,
    )
    assert.equal(await said(scene, 'Ready'), ready)
    assert.deepEqual(await data(), { a: { v: '1' }, b: { v: '1' } })

    const noDeletions = { action: 'Deny', schedule: '0 0 * * *', duration: '3h', holds: ['Deletions'] }
    await apply({ resources: [configMap('a', { v: '2' })] }, windows(noDeletions))
    assert.deepEqual(await data(), { a: { v: '2' }, b: { v: '1' } })
    assert.match(
      (await said(scene, 'Waiting')) ?? '',
      /^True OutsideWindow: 1 deletion waits until 2026-01-01T03:00:00Z: in the Deny/,
    )
    assert.match((await said(scene, 'Ready')) ?? '', /^True /)
    assert.equal((await inventory()).length, 2)
    await advance(3 * hour + 60_000)
    assert.deepEqual(await data(), { a: { v: '2' } })
    assert.equal(await said(scene, 'Waiting'), undefined)
  })
})

test('where the correction of drift is held back, drift stays until the window ends', async () => {
  await onStage({}, async scene => {
    const { apply, data, advance, change } = scene
    const freeze = { action: 'Deny', schedule: '0 0 * * *', duration: '3h', holds: ['DriftCorrection'] }
    await apply(
      { resources: [configMap('a', { v: '1' })] },
      { ...windows(freeze), 'fluxcd.controlplane.io/reconcileEvery': '10m' },
    )
    await change({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }, { data: { v: 'drifted' } })
    await advance(2 * hour)
    assert.deepEqual(await data(), { a: { v: 'drifted' } })
    assert.equal(await said(scene, 'Waiting'), undefined)
    await advance(1.5 * hour)
    assert.deepEqual(await data(), { a: { v: '1' } })
    assert.match((await said(scene, 'Ready')) ?? '', /^True /)
  })
})

test('a ResourceSet waits for the units that its annotation names, and continues when it changes', async () => {
  await onStage({}, async scene => {
    const { apply, data } = scene
    await apply({ resources: [configMap('a', { v: '1' })] })
    await apply({ resources: [configMap('a', { v: '2' })] }, { 'keelson.dev/depends-on': 'Kustomization/db@paris' })
    assert.equal(
      await said(scene, 'Waiting'),
      'True DependencyNotReady: everything waits: dependency Kustomization/default/db was not found',
    )
    assert.deepEqual(await data(), { a: { v: '1' } })
    await apply({ resources: [configMap('a', { v: '2' })] }, { 'keelson.dev/depends-on': '' })
    assert.deepEqual([await said(scene, 'Waiting'), await data()], [undefined, { a: { v: '2' } }])
  })
})
