/** A second independent client beside client-go's and kubectl: @kubernetes/client-node. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  makeInformer,
  PatchStrategy,
  setHeaderOptions,
  type V1ConfigMap,
  Watch,
} from '@kubernetes/client-node'
import { eventually } from '../bed/eventually.ts'
import { servedHub } from './served-hub.ts'

const namespace = 'default'

const clientOf = (file: string): KubeConfig => {
  const config = new KubeConfig()
  config.loadFromFile(file)
  return config
}

const configMap = (name: string, value: string): V1ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace },
  data: { value },
})

test('an informer of client-node knows what is there, also when it begins again', async () => {
  const { hub, kubeconfig } = await servedHub()
  const config = clientOf(kubeconfig)
  const core = config.makeApiClient(CoreV1Api)
  await core.createNamespacedConfigMap({ namespace, body: configMap('before', '1') })
  const informer = makeInformer<V1ConfigMap>(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
    core.listNamespacedConfigMap({ namespace }),
  )
  const known = () =>
    Object.fromEntries(informer.list(namespace).map(({ metadata, data }) => [metadata!.name, data?.value]))
  const seen: string[] = []
  informer.on('add', ({ metadata }) => seen.push(`add ${metadata!.name}`))
  informer.on('update', ({ metadata }) => seen.push(`update ${metadata!.name}`))
  informer.on('delete', ({ metadata }) => seen.push(`delete ${metadata!.name}`))
  await informer.start()
  try {
    assert.deepEqual(known(), { before: '1' })
    await core.createNamespacedConfigMap({ namespace, body: configMap('later', '1') })
    await core.replaceNamespacedConfigMap({ name: 'later', namespace, body: configMap('later', '2') })
    await core.deleteNamespacedConfigMap({ name: 'before', namespace })
    await eventually(() => assert.deepEqual(known(), { later: '2' }))
    assert.deepEqual(seen, ['add before', 'add later', 'update later', 'delete before'])
    await informer.stop()
    await hub.delete({ group: '', kind: 'ConfigMap', namespace, name: 'later' }, {})
    await informer.start()
    await eventually(() => assert.deepEqual(known(), {}))
  } finally {
    await informer.stop()
  }
})

test('a watch of client-node begins at a version, and its events have the kind that it needs', async () => {
  const { kubeconfig } = await servedHub()
  const config = clientOf(kubeconfig)
  const core = config.makeApiClient(CoreV1Api)
  const { metadata } = await core.listNamespacedConfigMap({ namespace })
  await core.createNamespacedConfigMap({ namespace, body: configMap('one', '1') })
  const events: string[] = []
  const watched = await new Watch(config).watch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    { resourceVersion: metadata!.resourceVersion!, allowWatchBookmarks: true },
    (phase, { kind, metadata: { name } }) => events.push(`${phase} ${kind} ${name ?? ''}`.trim()),
    () => {},
  )
  try {
    await eventually(() => assert.deepEqual(events, ['ADDED ConfigMap one']))
    await core.deleteNamespacedConfigMap({ name: 'one', namespace })
    await eventually(() => assert.deepEqual(events, ['ADDED ConfigMap one', 'DELETED ConfigMap one']))
  } finally {
    watched.abort()
  }
})

test('patches of client-node of every type do what they say, and an apply has its conflicts', async () => {
  const { kubeconfig } = await servedHub()
  const config = clientOf(kubeconfig)
  const core = config.makeApiClient(CoreV1Api)
  await core.createNamespacedConfigMap({ namespace, body: configMap('patched', '1'), fieldManager: 'first' })
  const patch = async (body: object, strategy: string) =>
    (
      await core.patchNamespacedConfigMap(
        { name: 'patched', namespace, body },
        setHeaderOptions('Content-Type', strategy),
      )
    ).data
  assert.deepEqual(await patch({ data: { merge: '1' } }, PatchStrategy.MergePatch), { value: '1', merge: '1' })
  assert.deepEqual(await patch({ data: { value: null } }, PatchStrategy.StrategicMergePatch), { merge: '1' })
  const operations = [{ op: 'replace', path: '/data/merge', value: '2' }]
  assert.deepEqual(await patch(operations, PatchStrategy.JsonPatch), { merge: '2' })

  const objects = KubernetesObjectApi.makeApiClient(config)
  const apply = (value: string, fieldManager: string, force = false) =>
    objects.patch(configMap('applied', value), undefined, undefined, fieldManager, force, PatchStrategy.ServerSideApply)
  assert.equal((await apply('1', 'one')).metadata!.managedFields![0]!.operation, 'Apply')
  await assert.rejects(apply('2', 'two'), (error: { code?: number; body?: string }) => {
    assert.equal(error.code, 409)
    assert.match(String(error.body), /conflict with .*one.*\.data\.value/s)
    return true
  })
  const taken = (await apply('2', 'two', true)) as V1ConfigMap
  assert.equal(taken.data!.value, '2')
  assert.deepEqual(
    taken.metadata!.managedFields!.map(({ manager }) => manager),
    ['two'],
  )
})

test("client-node finds Flux's kinds by discovery, and is refused with the field's path", async () => {
  const { kubeconfig } = await servedHub()
  const config = clientOf(kubeconfig)
  const kustomization = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'apps', namespace },
    spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'apps' } },
  }
  const objects = KubernetesObjectApi.makeApiClient(config)
  const created: KubernetesObject = await objects.create<KubernetesObject>(kustomization)
  assert.equal(created.metadata!.generation, 1)
  const custom = config.makeApiClient(CustomObjectsApi)
  const where = { group: 'kustomize.toolkit.fluxcd.io', version: 'v1', namespace, plural: 'kustomizations' }
  const { items } = (await custom.listNamespacedCustomObject(where)) as { items: { metadata: { name: string } }[] }
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['apps'],
  )
  const wrong = {
    ...kustomization,
    metadata: { name: 'wrong', namespace },
    spec: { ...kustomization.spec, prune: 'yes' },
  }
  await assert.rejects(objects.create(wrong), (error: { code?: number; body?: string }) => {
    assert.equal(error.code, 422)
    assert.match(String(error.body), /spec\.prune/)
    return true
  })
  await objects.delete(kustomization)
  await assert.rejects(objects.read({ ...kustomization, metadata: kustomization.metadata }), { code: 404 })
})
