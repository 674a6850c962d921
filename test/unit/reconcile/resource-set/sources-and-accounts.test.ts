/** Where copied data comes from, and as whom a ResourceSet acts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ClusterError } from '../../../../lib/clusters/client/client.ts'
import { parseLabelSelector } from '../../../../lib/hub/store/label-selector.ts'
import { configMap, onStage } from './scene.ts'
import { object, ready, stored, template, tenants } from './sets.ts'

test('RS-061 RS-062 a copy follows its source: at once when that is watched, else in its time', () =>
  onStage({}, async scene => {
    await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }))
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    await scene.apply({ resources: [configMap('copy', {}, { annotations })] })
    const change = (value: string) => scene.change(object('ConfigMap', 'src'), { data: { a: value } })
    await change('2')
    assert.deepEqual((await scene.data()).copy, { a: '1' })
    await scene.advance(66 * 60_000)
    assert.deepEqual((await scene.data()).copy, { a: '2' })
    await scene.change(object('ConfigMap', 'src'), { metadata: { labels: { 'reconcile.fluxcd.io/watch': 'Enabled' } } })
    await change('3')
    assert.deepEqual((await scene.data()).copy, { a: '3' })
    assert.deepEqual((await scene.read())!.status!.dataSources, ['ConfigMap/default/src'])
  }))

test('RS-063 other labels may say what is watched', () =>
  onStage({ isWatched: parseLabelSelector('watched in (yes,always)') }, async scene => {
    const labels = (value: string) => ({ labels: { watched: value } })
    await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }, labels('yes')))
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    await scene.apply({ resources: [configMap('copy', {}, { annotations })] })
    await scene.change(object('ConfigMap', 'src'), { data: { a: '2' } })
    assert.deepEqual((await scene.data()).copy, { a: '2' })
    await scene.change(object('ConfigMap', 'src'), { metadata: labels('no') })
    await scene.change(object('ConfigMap', 'src'), { data: { a: '3' } })
    assert.deepEqual((await scene.data()).copy, { a: '2' })
  }))

test('RS-060 a source that is missing fails the run, which is tried again', () =>
  onStage({}, async scene => {
    const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
    await scene.apply({ resources: [configMap('copy', {}, { annotations })] })
    assert.match(
      (await scene.conditions())[1]!,
      /^Ready=False ReconciliationFailed: reconciliation failed: failed to copy data from ConfigMap\/default\/src: configmaps "src" not found$/,
    )
    await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }))
    await scene.advance(60_000)
    assert.deepEqual((await scene.data()).copy, { a: '1' })
  }))

test('RS-064 RS-105 RS-106 RS-108 everything is done as the ServiceAccount, if one is named or the default', async () => {
  const users = async (spec: object, settings = {}) => {
    const seen = new Set<string | undefined>()
    await onStage(
      {
        settings,
        cluster: (hub, impersonate) => ({
          ...hub,
          apply: (...args) => {
            seen.add(impersonate?.user)
            return hub.apply(...args)
          },
          get: (...args) => {
            if (args[1].kind === 'ConfigMap' && args[1].name === 'src') seen.add(`${impersonate?.user} reads`)
            return hub.get(...args)
          },
        }),
      },
      async scene => {
        await scene.create(stored('ConfigMap', 'src', { data: { a: '1' } }))
        const annotations = { 'fluxcd.controlplane.io/copyFrom': 'default/src' }
        await scene.apply({ resources: [configMap('cm', {}, { annotations })], ...spec })
      },
    )
    return [...seen]
  }
  const account = (name: string) => `system:serviceaccount:default:${name}`
  assert.deepEqual(await users({}), ['undefined reads', undefined])
  assert.deepEqual(await users({ serviceAccountName: 'tenant' }), [`${account('tenant')} reads`, account('tenant')])
  assert.deepEqual(await users({}, { defaultServiceAccount: 'robot' }), [`${account('robot')} reads`, account('robot')])
  const own = { defaultServiceAccount: 'robot', ownNamespace: 'default' }
  assert.deepEqual(await users({}, own), ['undefined reads', undefined])
})

test('RS-116 what can not be deleted stays in the inventory, and is tried again', async () => {
  let isRefused = true
  await onStage(
    {
      cluster: hub => ({
        ...hub,
        delete: async (...args) => {
          if (isRefused) throw new ClusterError('forbidden', 'not allowed')
          return hub.delete(...args)
        },
      }),
    },
    async scene => {
      await scene.apply({ inputs: tenants, resources: [template] })
      await scene.apply({ inputs: tenants.slice(1), resources: [template] })
      assert.match(
        (await scene.conditions())[1]!,
        /^Ready=False ReconciliationFailed: reconciliation failed: delete failed, errors: ConfigMap\/default\/cm-one delete failed: not allowed;$/,
      )
      assert.deepEqual([...(await scene.inventory())].sort(), [
        'default_cm-one__ConfigMap',
        'default_cm-two__ConfigMap',
      ])
      isRefused = false
      await scene.advance(60_000)
      assert.deepEqual(await scene.conditions(), ready)
      assert.deepEqual(Object.keys(await scene.data()), ['cm-two'])
    },
  )
})
