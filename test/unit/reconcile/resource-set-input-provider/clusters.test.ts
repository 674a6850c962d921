/** Providers of clusters, by Clusters and by kubeconfig Secrets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import type { Kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import { onStage, providerRef, type Scene } from '../resource-set/scene.ts'
import { conditions, exported, idOf, ready } from './provider-scene.ts'

const kubeconfig = (scene: Scene, name: string, labels: Readonly<Record<string, string>> = {}) =>
  scene.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default', labels: { ...labels, 'reconcile.fluxcd.io/watch': 'Enabled' } },
    data: { value: Buffer.from('apiVersion: v1').toString('base64') },
  })

const cluster = (
  scene: Scene,
  name: string,
  labels: Readonly<Record<string, string>>,
  kubeConfig: Cluster['spec']['kubeConfig'] = { secretRef: { name } },
) =>
  scene.create({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: 'default', labels },
    spec: { kubeConfig },
  })

const prod = { env: 'prod' }

/** What one ResourceSet puts on each cluster. */
const appsOn = (kubeConfig: unknown) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: 'apps-<< inputs.name >>', namespace: '<< inputs.namespace >>' },
  spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'fleet' }, kubeConfig },
})
const clusterRef = (name: string) => ({ group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'default', name })

test('CL-004 Clusters are chosen by their labels; what they say of their access is exported as it is', () =>
  onStage({}, async scene => {
    await kubeconfig(scene, 'access-of-one')
    await cluster(scene, 'one', prod, { secretRef: { name: 'access-of-one', key: 'admin' } })
    await cluster(scene, 'cloud', prod, { configMapRef: { name: 'eks' } })
    await cluster(scene, 'other', { env: 'dev' })
    await scene.provide('p', { type: 'Clusters', selectors: [{ matchLabels: prod }] })
    const identity = (name: string) => ({ ...prod, id: idOf(`default/${name}`), name, namespace: 'default' })
    assert.deepEqual(await exported(scene), [
      { ...identity('cloud'), kubeConfig: { configMapRef: { name: 'eks' } } },
      { ...identity('one'), kubeConfig: { secretRef: { name: 'access-of-one', key: 'admin' } }, key: 'admin' },
    ])
    assert.deepEqual(await conditions(scene), [ready])
  }))

test('a Secret that a Cluster uses is no second cluster, whatever the labels of either', () =>
  onStage({}, async scene => {
    await kubeconfig(scene, 'alone', prod)
    await kubeconfig(scene, 'used', prod)
    await cluster(scene, 'used', { env: 'dev' })
    await scene.provide('p', { type: 'Clusters', selectors: [{ matchLabels: prod }] })
    const names = async () => (await exported(scene))!.map(({ name }) => name)
    assert.deepEqual(await names(), ['alone'])
    await scene.change(clusterRef('used'), { metadata: { labels: prod } })
    assert.deepEqual(await names(), ['alone', 'used'])
    await scene.change(providerRef('p'), { spec: { selectors: [{ kind: 'Secret', matchLabels: prod }] } })
    assert.deepEqual(await names(), ['alone', 'used'])
    await scene.change(providerRef('p'), { spec: { selectors: [{ kind: 'Cluster', name: 'used' }] } })
    assert.deepEqual(await names(), ['used'])
  }))

test('one ResourceSet puts a Kustomization on each Cluster, and follows Clusters that come, move and go', () =>
  onStage({}, async scene => {
    await cluster(scene, 'one', prod)
    await scene.provide('p', { type: 'Clusters', selectors: [{ kind: 'Cluster', matchLabels: prod }] })
    await scene.apply({ inputsFrom: [{ name: 'p' }], resources: [appsOn('<< inputs.kubeConfig | toJson >>')] })
    const access = async (name: string) => {
      const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name }
      return (await scene.hub.get<Kustomization>(ref))?.spec.kubeConfig
    }
    assert.deepEqual(await access('apps-one'), { secretRef: { name: 'one' } })
    await cluster(scene, 'two', prod, { configMapRef: { name: 'eks' } })
    await scene.settle()
    assert.deepEqual(await access('apps-two'), { configMapRef: { name: 'eks' } })
    await scene.change(clusterRef('two'), { spec: { kubeConfig: { configMapRef: { name: 'moved' } } } })
    assert.deepEqual(await access('apps-two'), { configMapRef: { name: 'moved' } })
    await scene.hub.delete(clusterRef('one'), {})
    await scene.settle()
    assert.deepEqual([await access('apps-one'), (await exported(scene))!.length], [undefined, 1])
  }))

test('a Cluster that is suspended, or not ready, keeps its place', () =>
  onStage({}, async scene => {
    await cluster(scene, 'one', prod)
    await scene.provide('p', { type: 'Clusters' })
    await scene.change(clusterRef('one'), { spec: { suspend: true } })
    assert.deepEqual(
      (await exported(scene))!.map(({ name }) => name),
      ['one'],
    )
  }))

test('one ResourceSet puts a Kustomization on every cluster that the hub has a kubeconfig for', () =>
  onStage({}, async scene => {
    await kubeconfig(scene, 'one', prod)
    await kubeconfig(scene, 'two', { env: 'dev' })
    await scene.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'other', namespace: 'default', labels: prod },
    })
    await scene.provide('p', { type: 'Clusters', selectors: [{ matchLabels: prod }] })
    const access = { secretRef: { name: '<< inputs.name >>', key: '<< inputs.key >>' } }
    await scene.apply({ inputsFrom: [{ name: 'p' }], resources: [appsOn(access)] })
    assert.deepEqual(await scene.inventory(), ['default_apps-one_kustomize.toolkit.fluxcd.io_Kustomization'])
    await kubeconfig(scene, 'three', prod)
    await scene.advance(1_000)
    assert.deepEqual(await scene.inventory(), [
      'default_apps-one_kustomize.toolkit.fluxcd.io_Kustomization',
      'default_apps-three_kustomize.toolkit.fluxcd.io_Kustomization',
    ])
    const sets = JSON.stringify(await exported(scene))
    assert.doesNotMatch(sets, /apiVersion: v1|YXBpVm/, 'nothing of a kubeconfig is exported')
    await scene.change(providerRef('p'), { spec: { selectors: [{ namespace: 'kube-system' }] } })
    assert.match((await conditions(scene))[0]!, /clusters are only selected in the provider's own namespace/)
  }))
