/** Which units are reconciled at once when something changes that restrains them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { clusterAddress } from '../../../../lib/reconcile/cluster/cluster-address.ts'
import { kustomizationAddress } from '../../../../lib/reconcile/kustomization/kustomization-address.ts'
import type { AddressOf, Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { openWorld } from '../world.ts'

const author = { fieldManager: 'someone' }

const reconcilerOf = <T extends KubernetesObject>(address: AddressOf<T>): Reconciler<KubernetesObject> =>
  ({
    ...address,
    manager: 'test',
    intervalOf: () => 3_600_000,
    passTimeoutOf: () => 60_000,
    reconcile: async () => ({ type: 'done', reason: 'Done', message: 'done' }),
    finalize: async () => undefined,
  }) as unknown as Reconciler<KubernetesObject>

const unit = (namespace: string, name: string, spec: object = {}) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, namespace },
  spec: { interval: '1h', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' }, ...spec },
})

const namespace = (name: string, annotations: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations },
})

const kubeConfig = { secretRef: { name: 'prod' } }
const deny = { action: 'Deny', schedule: '@daily', duration: '1h' }

const story = async (tell: (world: Awaited<ReturnType<typeof openWorld>>, since: () => string[]) => Promise<void>) => {
  const world = await openWorld(() => [reconcilerOf(kustomizationAddress), reconcilerOf(clusterAddress)])
  const { hub, settle, passes } = world
  try {
    await hub.create(namespace('shop', { 'keelson.dev/target': 'default/prod' }), author)
    await hub.create(namespace('other', { 'keelson.dev/target': 'default/dark' }), author)
    const cluster = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Cluster', spec: { kubeConfig } }
    await hub.create({ ...cluster, metadata: { name: 'prod', namespace: 'default' } }, author)
    await hub.create(unit('default', 'named', { kubeConfig }), author)
    await hub.create(unit('default', 'of-the-hub'), author)
    await hub.create(unit('shop', 'inheriting'), author)
    await hub.create(unit('other', 'inheriting'), author)
    await settle()
    let seen = passes.length
    const since = (): string[] => {
      const units = passes.slice(seen).filter(({ ref }) => ref.kind === 'Kustomization')
      const names = units.map(({ ref }) => `${ref.namespace}/${ref.name}`)
      seen = passes.length
      return [...new Set(names)].sort()
    }
    await tell(world, since)
  } finally {
    await world.close()
  }
}

const clusterRef = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'default', name: 'prod' }

test('the units of a Cluster when its windows or its switch change, those that inherit it among them', async () => {
  await story(async ({ hub, settle }, since) => {
    const units = ['default/named', 'shop/inheriting']
    const change = async (spec: object): Promise<string[]> => {
      await hub.patch(clusterRef, { type: 'merge', patch: { spec } }, author)
      await settle()
      return since()
    }
    assert.deepEqual(await change({ windows: [deny] }), units)
    assert.deepEqual(await change({ suspend: true }), units)
    assert.deepEqual(await change({ suspend: false }), units)
    assert.deepEqual(await change({ interval: '5m' }), [])
    await hub.delete(clusterRef, {})
    await hub.patch(clusterRef, { type: 'merge', patch: { metadata: { finalizers: null } } }, author)
    await settle()
    assert.deepEqual(since(), units)
  })
})

test('the units in a Namespace when its windows change, and no others', async () => {
  await story(async ({ hub, settle }, since) => {
    const ref = { group: '', kind: 'Namespace', namespace: '', name: 'default' }
    const annotate = async (annotations: object): Promise<string[]> => {
      await hub.patch(ref, { type: 'merge', patch: { metadata: { annotations } } }, author)
      await settle()
      return since()
    }
    assert.deepEqual(await annotate({ 'keelson.dev/windows': JSON.stringify([deny]) }), [
      'default/named',
      'default/of-the-hub',
    ])
    assert.deepEqual(await annotate({ 'example.com/other': 'x' }), [])
    assert.equal((await annotate({ 'keelson.dev/windows': null })).length, 2)
  })
})
