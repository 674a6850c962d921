/** What a Cluster protects from a Kustomization, and how many passes and requests it allows. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { conditionOf } from '../../../../lib/foundations/rules/conditions.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'

const prod = { kubeConfig: { secretRef: { name: 'prod' } } }

const clusterWith = async ({ hub }: Pick<Scene, 'hub'>, spec: object): Promise<void> => {
  const metadata = { name: 'prod', namespace: 'default' }
  const data = { value: Buffer.from('of a cluster').toString('base64') }
  await hub.create({ apiVersion: 'v1', kind: 'Secret', metadata, data }, author)
  const cluster = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Cluster', metadata, spec: { ...prod, ...spec } }
  await hub.create(cluster, author)
}

const clusterRef = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'default', name: 'prod' }

const readiness = async ({ read }: Scene, name = 'app'): Promise<string> => {
  const { status, reason, message } = conditionOf((await read(name))?.status?.conditions, 'Ready') ?? {}
  return `${status} ${reason}: ${message}`
}

const secret = (name: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata:\n  name: ${name}\n  namespace: default\nstringData:\n  a: b\n`

test('what is protected stays on the cluster and in the inventory, the rest is pruned, and goes once it is protected no longer', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values, inventory, hub, advance } = scene
    await clusterWith(scene, { protect: [{ kind: 'ConfigMap' }] })
    await push('1', { 'a.yaml': configMap('a', '1'), 'b.yaml': configMap('b', '1'), 's.yaml': secret('s') })
    await kustomize('app', prod)
    await push('2', { 'a.yaml': configMap('a', '2') })
    assert.equal(
      await readiness(scene),
      'False DeletionProtected: delete failed, errors: ConfigMap/default/b delete failed: Cluster default/prod protects ConfigMap: ConfigMap/default/b is not deleted;',
    )
    assert.deepEqual(await values(), { a: '2', b: '1' })
    assert.deepEqual(await inventory('app'), ['default_a__ConfigMap', 'default_b__ConfigMap'])
    const warnings = await scene.eventsOf(kustomizationRef('app'))
    assert.ok(warnings.some(text => /Cluster default\/prod protects ConfigMap/.test(text)))

    await hub.patch(clusterRef, { type: 'merge', patch: { spec: { protect: null } } }, author)
    await advance(15 * 60_000)
    assert.match(await readiness(scene), /^True/)
    assert.deepEqual(await values(), { a: '2' })
  })
})

test('a deleted unit waits for what is protected, and for a Namespace with it', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, read, hub, settle, advance, values } = scene
    await clusterWith(scene, { protect: [{ kind: 'ConfigMap' }] })
    const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n'
    await push('1', { 'a.yaml': configMap('a', '1'), 'n.yaml': namespace })
    await kustomize('app', prod)
    const metadata = { name: 'of-somebody', namespace: 'shop' }
    await hub.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata }, author)
    await hub.delete(kustomizationRef('app'), {})
    await settle()
    assert.ok(await read('app'))
    assert.deepEqual(await values(), { a: '1' })
    const shop = { group: '', kind: 'Namespace', namespace: '', name: 'shop' }
    assert.equal((await hub.get(shop))?.metadata.deletionTimestamp, undefined)
    await hub.patch(clusterRef, { type: 'merge', patch: { spec: { protect: null } } }, author)
    await advance(15 * 60_000)
    assert.equal(await read('app'), undefined)
    assert.deepEqual(await values(), {})
  })
})

test('an object that would be recreated is refused before anything is applied', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, values } = scene
    await clusterWith(scene, { protect: [{ kind: 'Secret' }] })
    const fixed = `${secret('s')}immutable: true\n`
    await push('1', { 'a.yaml': configMap('a', '1'), 's.yaml': fixed })
    await kustomize('app', { ...prod, force: true })
    await push('2', { 'a.yaml': configMap('a', '2'), 's.yaml': fixed.replace('a: b', 'a: c') })
    assert.match(
      await readiness(scene),
      /^False DeletionProtected: Secret\/default\/s dry-run failed \(DeletionProtected\): Cluster default\/prod protects Secret/,
    )
    assert.deepEqual(await values(), { a: '1' })
  })
})

test('a cluster gets no more requests at a time than it allows', async () => {
  let running = 0
  let most = 0
  const counted = (real: ClusterClient): ClusterClient => ({
    ...real,
    apply: async (object, options) => {
      most = Math.max(most, ++running)
      await new Promise(resolve => setTimeout(resolve, 2))
      return real.apply(object, options).finally(() => running--)
    },
  })
  await onStage({ cluster: counted }, async scene => {
    const { push, kustomize, values } = scene
    await clusterWith(scene, { limits: { concurrentPasses: 2, concurrentRequests: 5 } })
    const files = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`${i}.yaml`, configMap(`c${i}`, '1')]))
    await push('1', files)
    await kustomize('app', prod)
    assert.equal(Object.keys(await values()).length, 12)
    assert.equal(most, 2, 'half of five, for one of two passes')
  })
})

test('a deleted unit that has waited for a slot no longer says so when it waits for something else', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, platform, clock, advance, read, hub, settle } = scene
    await clusterWith(scene, { protect: [{ kind: 'ConfigMap' }], limits: { concurrentPasses: 1 } })
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    const slot = { group: 'fleet.keelson.dev', kind: 'ClusterSlot', namespace: 'default', name: 'Secret.prod.0' }
    const lease = await platform.leases.acquire(slot, 60_000)
    await hub.delete(kustomizationRef('app'), {})
    await settle()
    const waiting = async () => conditionOf((await read('app'))?.status?.conditions, 'Waiting')?.reason
    assert.equal(await waiting(), 'ClusterBusy')
    await platform.leases.release(lease!)
    await clock.advance(5_000)
    await advance(60_000)
    assert.equal(await waiting(), undefined)
    assert.ok(await read('app'), 'it is protected')
  })
})

test('a unit without a slot waits, says so, and is applied when there is one', async () => {
  await onStage({}, async scene => {
    const { push, kustomize, platform, clock, advance, read, values } = scene
    await clusterWith(scene, { limits: { concurrentPasses: 1 } })
    const slot = { group: 'fleet.keelson.dev', kind: 'ClusterSlot', namespace: 'default', name: 'Secret.prod.0' }
    const lease = await platform.leases.acquire(slot, 60_000)
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', prod)
    const waiting = conditionOf((await read('app'))?.status?.conditions, 'Waiting')
    assert.equal(
      `${waiting?.reason}: ${waiting?.message}`,
      'ClusterBusy: another unit is applied to the cluster of Secret/default/prod, as many as its Cluster allows',
    )
    assert.deepEqual(await values(), {})
    await platform.leases.release(lease!)
    await clock.advance(5_000)
    await advance(5_000)
    assert.deepEqual(await values(), { a: '1' })
    assert.equal(conditionOf((await read('app'))?.status?.conditions, 'Waiting'), undefined)
  })
})
