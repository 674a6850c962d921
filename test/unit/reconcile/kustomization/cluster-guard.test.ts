import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { onStage, type Scene } from './scene.ts'

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: default\ndata:\n  value: '1'\n`
const files = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [`${name}.yaml`, configMap(name)]))
const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }

/** A cluster that says it is the one named now; the objects stay, as those of another owner of the same name might. */
const swappable = () => {
  const now = { uid: 'uid-1', access: 'sha256:same' }
  const cluster = (real: ClusterClient): ClusterClient => ({ ...real, identity: async () => ({ ...now }) })
  return { now, cluster }
}

const adopt = async ({ hub, settle }: Scene, uid: string) => {
  const annotations = { 'keelson.dev/adopt-cluster': uid, 'reconcile.fluxcd.io/requestedAt': uid }
  await hub.patch(ref, { type: 'merge', patch: { metadata: { annotations } } }, { fieldManager: 'someone' })
  await settle()
}

const readyOf = async ({ read }: Scene) => conditionOf((await read('app'))?.status?.conditions, 'Ready')!

test('on another cluster nothing is applied or pruned until it is adopted, and then nothing by the old list', async () => {
  const { now, cluster } = swappable()
  await onStage({ cluster }, async scene => {
    const { push, kustomize, values, inventory } = scene
    await push('1', files(['a', 'b']))
    await kustomize('app', {})
    now.uid = 'uid-2'
    await push('2', files(['a', 'c']))
    const ready = await readyOf(scene)
    assert.deepEqual([ready.status, ready.reason], ['False', 'ClusterChanged'])
    assert.match(ready.message, /applied to cluster uid-1, and \S+ is cluster uid-2 now/)
    assert.deepEqual(Object.keys(await values()).sort(), ['a', 'b'])

    await adopt(scene, 'uid-1')
    assert.equal((await readyOf(scene)).reason, 'ClusterChanged', 'an approval names the new cluster')
    await adopt(scene, 'uid-2')
    assert.equal((await readyOf(scene)).status, 'True')
    assert.deepEqual(Object.keys(await values()).sort(), ['a', 'b', 'c'])
    assert.deepEqual(await inventory('app'), ['default_a__ConfigMap', 'default_c__ConfigMap'])

    now.uid = 'uid-3'
    await push('3', files(['a']))
    assert.equal((await readyOf(scene)).reason, 'ClusterChanged', 'an approval is about one cluster')
  })
})

test('a unit that is deleted while its cluster is another one deletes nothing there', async () => {
  const { now, cluster } = swappable()
  await onStage({ cluster }, async scene => {
    const { push, kustomize, values, hub, settle, read } = scene
    await push('1', files(['a', 'b']))
    await kustomize('app', {})
    now.uid = 'uid-2'
    await hub.delete(ref, {})
    await settle()
    assert.ok(await read('app'), 'it waits')
    assert.deepEqual(Object.keys(await values()).sort(), ['a', 'b'])
    await adopt(scene, 'uid-2')
    assert.equal(await read('app'), undefined)
    assert.deepEqual(Object.keys(await values()).sort(), ['a', 'b'])
  })
})

test('where rebuilt clusters are the rule, the setting adopts them, and still deletes nothing by the old list', async () => {
  const { now, cluster } = swappable()
  await onStage({ cluster, settings: { onClusterChange: 'adopt' } }, async scene => {
    const { push, kustomize, values } = scene
    await push('1', files(['a', 'b']))
    await kustomize('app', {})
    now.uid = 'uid-2'
    await push('2', files(['c']))
    assert.equal((await readyOf(scene)).status, 'True')
    assert.deepEqual(Object.keys(await values()).sort(), ['a', 'b', 'c'])
  })
})
