import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { configMap, onStage, type Scene, setRef } from './scene.ts'

const resources = (count: number) => Array.from({ length: count }, (_, index) => configMap(`cm-${index}`))
const readyOf = async ({ read }: Scene) => conditionOf((await read())?.status?.conditions, 'Ready')!

test('a set that drops most of ten objects deletes nothing until that list is allowed', async () => {
  await onStage({ settings: { pruneGuard: true } }, async scene => {
    const { apply, data } = scene
    await apply({ resources: resources(10) })
    await apply({ resources: resources(2) })
    const { reason, message } = await readyOf(scene)
    assert.equal(reason, 'PruneGuarded')
    assert.equal(Object.keys(await data()).length, 10)
    const digest = /--digest (sha256:[0-9a-f]{64})$/.exec(message)![1]!
    await apply({ resources: resources(2) }, { 'keelson.dev/allow-prune': digest })
    await scene.change(setRef, { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': '1' } } })
    assert.equal((await readyOf(scene)).status, 'True')
    assert.equal(Object.keys(await data()).length, 2)
  })
})

test('an Approval of a user releases the list of a set, too', async () => {
  await onStage({ settings: { pruneGuard: true } }, async scene => {
    const { apply, data, hub, settle } = scene
    await apply({ resources: resources(10) })
    await apply({ resources: resources(2) })
    const digest = /--digest (sha256:[0-9a-f]{64})$/.exec((await readyOf(scene)).message)![1]!
    await hub.create(
      {
        apiVersion: 'fleet.keelson.dev/v1alpha1',
        kind: 'Approval',
        metadata: { name: 'mine', namespace: setRef.namespace },
        spec: { subject: { kind: 'ResourceSet', name: setRef.name }, digest },
      },
      { fieldManager: 'kubectl', user: 'jane' },
    )
    await settle()
    assert.equal((await readyOf(scene)).status, 'True')
    assert.equal(Object.keys(await data()).length, 2)
  })
})

test('on another cluster a set applies and deletes nothing until it is adopted, nor when it is deleted', async () => {
  const now = { uid: 'uid-1', access: 'sha256:same' }
  const cluster = (real: ClusterClient): ClusterClient => ({ ...real, identity: async () => ({ ...now }) })
  await onStage({ cluster }, async scene => {
    const { apply, data, read, inventory, hub, settle } = scene
    await apply({ resources: resources(2) })
    now.uid = 'uid-2'
    await apply({ resources: [configMap('other')] })
    assert.equal((await readyOf(scene)).reason, 'ClusterChanged')
    assert.deepEqual(Object.keys(await data()).sort(), ['cm-0', 'cm-1'])
    await scene.change(setRef, {
      metadata: { annotations: { 'keelson.dev/adopt-cluster': 'uid-2', 'reconcile.fluxcd.io/requestedAt': '1' } },
    })
    assert.equal((await readyOf(scene)).status, 'True')
    assert.deepEqual(Object.keys(await data()).sort(), ['cm-0', 'cm-1', 'other'])
    assert.deepEqual(await inventory(), ['default_other__ConfigMap'])
    now.uid = 'uid-3'
    await hub.delete(setRef, {})
    await settle()
    assert.ok(await read(), 'it waits')
    assert.ok('other' in (await data()))
  })
})
