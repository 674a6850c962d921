/** Clusters that are made of Cluster API's kubeconfig Secrets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import { discoverClusters } from '../../../../lib/reconcile/cluster/discover-clusters.ts'
import { openWorld } from '../world.ts'

const author = { fieldManager: 'someone' }

const namespace = (name: string, annotations: Readonly<Record<string, string>> = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations },
})

const secret = (name: string, cluster: string, labels: Readonly<Record<string, string>> = {}, place = 'capi') => ({
  apiVersion: 'v1',
  kind: 'Secret',
  type: 'cluster.x-k8s.io/secret',
  metadata: {
    name,
    namespace: place,
    labels: { 'cluster.x-k8s.io/cluster-name': cluster, 'kustomize.toolkit.fluxcd.io/name': 'capi', ...labels },
  },
  data: { value: Buffer.from('apiVersion: v1').toString('base64') },
})

const story = async (
  tell: (world: Awaited<ReturnType<typeof openWorld>> & { discover(): Promise<void> }) => Promise<void>,
) => {
  const world = await openWorld(() => [])
  try {
    await world.hub.create(namespace('capi', { 'keelson.dev/discover-clusters': 'cluster-api' }), author)
    await tell({ ...world, discover: () => discoverClusters({ hub: world.hub, log: { info: () => {} } }) })
  } finally {
    await world.close()
  }
}

type World = Parameters<Parameters<typeof story>[0]>[0]

const clusters = async ({ hub }: World) => {
  const { items } = await hub.list<Cluster>({ group: 'fleet.keelson.dev', kind: 'Cluster' })
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [
      `${metadata.namespace}/${metadata.name}`,
      [spec.kubeConfig?.secretRef?.name, metadata.labels ?? {}],
    ]),
  )
}

const name = (cluster: string) => ({ 'cluster.x-k8s.io/cluster-name': cluster })
const secretRef = (name: string) => ({ group: '', kind: 'Secret', namespace: 'capi', name })

test('CL-008 kubeconfig Secrets of a Namespace that asks for it become Clusters, with their labels; nothing else does', () =>
  story(async world => {
    const { hub, discover } = world
    await hub.create(namespace('other'), author)
    await hub.create(secret('prod-kubeconfig', 'prod', { env: 'prod' }), author)
    await hub.create(secret('prod-ca', 'prod'), author)
    await hub.create(secret('dev-kubeconfig', 'dev', {}, 'other'), author)
    await discover()
    assert.deepEqual(await clusters(world), { 'capi/prod': ['prod-kubeconfig', { ...name('prod'), env: 'prod' }] })
    const writes = world.changes.length
    await discover()
    assert.equal(world.changes.length, writes, 'nothing new, nothing written')

    const patch = { metadata: { labels: { env: null, tier: 'gold' } } }
    await hub.patch(secretRef('prod-kubeconfig'), { type: 'merge', patch }, author)
    const ref = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'capi', name: 'prod' }
    await hub.patch(ref, { type: 'merge', patch: { metadata: { labels: { mine: 'stays' } } } }, author)
    await discover()
    const labels = { ...name('prod'), tier: 'gold', mine: 'stays' }
    assert.deepEqual(await clusters(world), { 'capi/prod': ['prod-kubeconfig', labels] })
  }))

test('a cluster that vanishes is marked, not deleted, and is as before when it is back', () =>
  story(async world => {
    const { hub, discover } = world
    await hub.create(secret('prod-kubeconfig', 'prod'), author)
    await discover()
    await hub.delete(secretRef('prod-kubeconfig'), {})
    await discover()
    assert.deepEqual(await clusters(world), {
      'capi/prod': ['prod-kubeconfig', { ...name('prod'), 'keelson.dev/vanished': 'true' }],
    })
    await hub.create(secret('prod-kubeconfig', 'prod'), author)
    await discover()
    assert.deepEqual(await clusters(world), { 'capi/prod': ['prod-kubeconfig', name('prod')] })
  }))

test('Clusters that somebody has written stay as they are', () =>
  story(async world => {
    const { hub, discover } = world
    const own = (name: string, secret: string) => ({
      apiVersion: 'fleet.keelson.dev/v1alpha1',
      kind: 'Cluster',
      metadata: { name, namespace: 'capi' },
      spec: { kubeConfig: { secretRef: { name: secret } } },
    })
    await hub.create(own('mine', 'prod-kubeconfig'), author)
    await hub.create(own('dev', 'elsewhere'), author)
    await hub.create(secret('prod-kubeconfig', 'prod', { env: 'prod' }), author)
    await hub.create(secret('dev-kubeconfig', 'dev'), author)
    await discover()
    assert.deepEqual(await clusters(world), { 'capi/dev': ['elsewhere', {}], 'capi/mine': ['prod-kubeconfig', {}] })
  }))
