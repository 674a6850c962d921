/** What a runner gets for a ResourceSet, and what it may say about one. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { ResourceSet } from '../../../../lib/foundations/kinds/resource-set.ts'
import type { RunnerApiOptions } from '../../../../lib/hub/runners/runner-api.ts'
import { by } from '../store/world.ts'
import { runnerWorld, unitOf } from './runner-world.ts'

const aurora = 'ships/aurora'

const operator = (kind: string, namespace: string, name: string, rest: object, metadata: object = {}) =>
  ({
    ...{ apiVersion: 'fluxcd.controlplane.io/v1', kind },
    metadata: { namespace, name, ...metadata },
    ...rest,
  }) as KubernetesObject

const set = (namespace: string, kubeConfig: string, spec: object = {}) =>
  operator(
    'ResourceSet',
    namespace,
    'web',
    { spec: { resourcesTemplate: '', ...spec } },
    { annotations: { 'resourceset.keelson.dev/kubeConfig': kubeConfig } },
  )

const provider = (namespace: string, name: string, labels: object = {}) =>
  operator('ResourceSetInputProvider', namespace, name, { spec: { type: 'Static' } }, { labels })

const secret = (namespace: string, name: string): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name },
  data: { key: Buffer.from(`data of ${name}`).toString('base64') },
})

const whole = (object: KubernetesObject) => ({ object, isWhole: true })

const world = async (spec: object, extras: Partial<Pick<RunnerApiOptions, 'dataOfSet'>> = {}) => {
  const found = await runnerWorld({ noCrossNamespaceRefs: false }, extras)
  for (const object of [
    ...[provider('ships', 'named'), provider('ships', 'selected', { fleet: 'all' }), provider('ships', 'unused')],
    ...[provider('shops', 'selected', { fleet: 'all' }), secret('ships', 'listed'), secret('ships', 'shared')],
  ])
    await found.hub.create(object, by('test'))
  const named = { group: 'fluxcd.controlplane.io', kind: 'ResourceSetInputProvider', namespace: 'ships', name: 'named' }
  const status = { exportedInputs: [{ color: 'blue' }], conditions: [] }
  await found.hub.patch(named, { type: 'merge', patch: { status } }, { ...by('test'), subresource: 'status' })
  await found.hub.create(set('ships', 'ConfigMap/aurora', spec), by('test'))
  return found
}

const namesOf = (objects: readonly KubernetesObject[], kind: string) =>
  objects.filter(object => object.kind === kind).map(({ metadata: { namespace, name } }) => `${namespace}/${name}`)

test('a runner gets the sets of its Cluster and what the providers export that they name or select, and no more of these', async () => {
  const { runner } = await world({ inputsFrom: [{ name: 'named' }, { selector: { matchLabels: { fleet: 'all' } } }] })
  const { own, others } = (await runner(aurora)).sync.copy!
  const [copied] = own.filter(({ kind }) => kind === 'ResourceSet')
  assert.deepEqual(copied?.metadata.finalizers, ['fluxcd.controlplane.io/finalizer'])
  assert.deepEqual(namesOf(others, 'ResourceSetInputProvider'), ['ships/named', 'ships/selected'])
  const [{ spec, status } = {} as KubernetesObject] = others.filter(({ metadata }) => metadata.name === 'named')
  assert.deepEqual([spec, status], [undefined, { exportedInputs: [{ color: 'blue' }] }])
})

test('a set is handed out to the runner of the ConfigMap that it names, not for a Secret, another namespace or an inherited target', async () => {
  const { hub, runner } = await runnerWorld()
  const all = ['aurora', 'Secret/aurora', 'ConfigMap/other', 'ConfigMap/shops/aurora', 'ConfigMap/aurora:value', '']
  for (const [at, kubeConfig] of all.entries()) {
    const one = set('ships', kubeConfig)
    const annotations = { ...one.metadata.annotations, 'keelson.dev/target': 'ConfigMap/aurora' }
    await hub.create({ ...one, metadata: { ...one.metadata, name: `set-${at}`, annotations } }, by('test'))
  }
  await hub.create(set('shops', 'ConfigMap/aurora'), by('test'))
  assert.deepEqual(namesOf((await runner(aurora)).sync.copy!.own, 'ResourceSet'), [])
})

test('what a set copies is what the hub finds, for each set: not what its status, its dependencies or its runner say', async () => {
  const asked: string[] = []
  const dependsOn = [{ apiVersion: 'v1', kind: 'Secret', name: 'unused', namespace: 'ships' }]
  const it = await world(
    { dependsOn },
    {
      dataOfSet: async ({ metadata }: ResourceSet) => {
        asked.push(metadata.name)
        return metadata.name === 'web' ? [whole(secret('ships', 'shared')), whole(secret('shops', 'values'))] : []
      },
    },
  )
  await it.hub.create(
    { ...set('ships', 'ConfigMap/aurora'), metadata: { ...set('ships', 'ConfigMap/aurora').metadata, name: 'other' } },
    by('test'),
  )
  const { caller, sync } = await it.runner(aurora)
  const claimed = sync.copy!.own.find(({ kind, metadata }) => kind === 'ResourceSet' && metadata.name === 'other')!
  const ref = { group: 'fluxcd.controlplane.io', kind: 'ResourceSet', namespace: 'ships', name: 'other' }
  const { uid, resourceVersion } = claimed.metadata
  const status = { dataSources: ['Secret/ships/listed'], conditions: [] }
  const reported = await caller.send(aurora, 'report', { lease: sync.lease, ref, uid, resourceVersion, status })
  assert.equal(reported.status, 200, JSON.stringify(reported.body))
  const { copy } = (await caller.send(aurora, 'sync', { lease: sync.lease })).body as unknown as typeof sync
  assert.deepEqual(namesOf(copy!.others, 'Secret').sort(), ['ships/shared', 'ships/values', 'shops/values'])
  assert.deepEqual(copy!.data, {
    'fluxcd.controlplane.io|ResourceSet|ships|web': ['Secret/ships/shared', 'Secret/shops/values'],
  })
  assert.deepEqual([...new Set(asked)].sort(), ['other', 'web'])
})

test('of a ResourceSet that a unit depends on, a runner sees whether it is ready, and nothing that it renders', async () => {
  const { hub, runner } = await runnerWorld()
  const elsewhere = operator('ResourceSet', 'ships', 'first', { spec: { resourcesTemplate: 'hidden' } })
  await hub.create(elsewhere, by('test'))
  const metadata = { annotations: { 'keelson.dev/depends-on': 'ResourceSet/first' } }
  await hub.patch(unitOf('ships'), { type: 'merge', patch: { metadata } }, by('test'))
  const { others } = (await runner(aurora)).sync.copy!
  const [{ spec, status } = assert.fail()] = others.filter(({ kind }) => kind === 'ResourceSet')
  assert.deepEqual([Object.values(spec as object).filter(Boolean), status], [[], { conditions: [] }])
})

test('a runner says what has become of a set, and that what it has applied is deleted', async () => {
  const { hub, runner } = await world({})
  const { caller, sync } = await runner(aurora)
  const ref = { group: 'fluxcd.controlplane.io', kind: 'ResourceSet', namespace: 'ships', name: 'web' }
  const found = await hub.get<KubernetesObject>(ref)
  const { uid } = found!.metadata
  const report = async (more: object) => {
    const resourceVersion = (await hub.get<KubernetesObject>(ref))!.metadata.resourceVersion
    return (await caller.send(aurora, 'report', { lease: sync.lease, ref, uid, resourceVersion, ...more })).status
  }
  const entries = [{ id: 'default_a__ConfigMap', v: 'v1' }]
  assert.equal(await report({ status: { inventory: { entries } } }), 200)
  assert.deepEqual((await hub.get<ResourceSet>(ref))?.status?.inventory, { entries })
  assert.equal(await report({ finalized: true }), 400, 'nobody has deleted it')
  await hub.delete(ref, {})
  assert.ok(await hub.get(ref), 'it stays for its runner')
  assert.equal(await report({ finalized: true }), 200)
  assert.equal(await hub.get(ref), undefined)
})
