/** What the hub has made for a target goes when nothing there needs it any more, on a real store. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { collectEmptyNamespaces } from '../../../../lib/reconcile/applied-objects/empty-namespaces.ts'
import { type UnusedCopies, unusedCopies } from '../../../../lib/reconcile/applied-objects/unused-copies.ts'
import { hubWorld, registry } from '../../hub/store/world.ts'

const options = { fieldManager: 'test' }
const copied = { 'keelson.dev/copied-from': 'Secret/clusters/prod' }
const core = (kind: string, name: string, annotations: object = {}, more: object = {}) =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'prod-apps', annotations }, ...more }) as KubernetesObject
const source = (name: string, spec: object) =>
  ({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'OCIRepository',
    metadata: { name, namespace: 'prod-apps' },
    spec: { url: 'oci://registry.example/app', interval: '1h', ...spec },
  }) as unknown as KubernetesObject
const ref = (kind: string, name: string) => ({
  group: kind === 'OCIRepository' ? 'source.toolkit.fluxcd.io' : '',
  kind,
  namespace: 'prod-apps',
  name,
})

/** A hub with the Namespace prod-apps, and who collects what is unused there. */
const scene = async () => {
  let copies: UnusedCopies | undefined
  const world = await hubWorld({ onChange: (ref, before, after) => copies?.notice(ref, before, after) })
  const { hub, clock } = world
  copies = unusedCopies({
    hub,
    onError: (_, error) => {
      throw error
    },
  })
  const made = {
    annotations: { 'keelson.dev/target': 'clusters/prod' },
    labels: { 'keelson.dev/made-for-target': 'used' },
  }
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'prod-apps', ...made } }, options)
  const isThere = async (kind: string, name: string) => (await hub.get(ref(kind, name))) !== undefined
  const settled = async () => {
    await hub.settled()
    await copies?.settled()
  }
  const remove = (kind: string, name: string) => hub.delete(ref(kind, name), {}).then(settled)
  const namespace = () => hub.get({ group: '', kind: 'Namespace', namespace: '', name: 'prod-apps' })
  const sweep = () => collectEmptyNamespaces({ hub, kinds: () => registry, clock })
  return { hub, clock, copies, isThere, settled, remove, namespace, sweep }
}

test('a copy goes with the last object that refers to it', async () => {
  const { hub, isThere, remove } = await scene()
  await hub.create(core('Secret', 'login', copied), options)
  for (const name of ['a', 'b']) await hub.create(source(name, { secretRef: { name: 'login' } }), options)
  await remove('OCIRepository', 'a')
  assert.ok(await isThere('Secret', 'login'))
  await remove('OCIRepository', 'b')
  assert.ok(!(await isThere('Secret', 'login')))
})

test('a copy goes when what referred to it refers to something else', async () => {
  const { hub, isThere, settled } = await scene()
  for (const name of ['login', 'other']) await hub.create(core('Secret', name, copied), options)
  await hub.create(source('a', { secretRef: { name: 'login' } }), options)
  const patch = { spec: { secretRef: { name: 'other' } } }
  await hub.patch(ref('OCIRepository', 'a'), { type: 'merge', patch }, options)
  await settled()
  assert.ok(!(await isThere('Secret', 'login')))
  assert.ok(await isThere('Secret', 'other'))
})

test('objects that are not copies stay on the hub, whatever referred to them', async () => {
  const { hub, isThere, remove } = await scene()
  await hub.create(core('Secret', 'login'), options)
  await hub.create(source('a', { secretRef: { name: 'login' } }), options)
  await remove('OCIRepository', 'a')
  assert.ok(await isThere('Secret', 'login'))
})

test('the copy of an account goes with its source, and then the Secrets that it brings', async () => {
  const { hub, isThere, remove } = await scene()
  await hub.create(core('Secret', 'pull', copied), options)
  await hub.create(core('ServiceAccount', 'puller', copied, { imagePullSecrets: [{ name: 'pull' }] }), options)
  await hub.create(source('a', { serviceAccountName: 'puller' }), options)
  await remove('OCIRepository', 'a')
  assert.ok(!(await isThere('ServiceAccount', 'puller')))
  assert.ok(!(await isThere('Secret', 'pull')))
})

test('a copy that an annotation names as the kubeconfig of an object stays', async () => {
  const { hub, isThere, remove } = await scene()
  await hub.create(core('Secret', 'staging', copied), options)
  await hub.create(source('a', { secretRef: { name: 'staging' } }), options)
  const child = {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'root', namespace: 'prod-apps', annotations: { 'keelson.dev/target': 'staging' } },
    spec: { interval: '1h', prune: true, sourceRef: { kind: 'OCIRepository', name: 'b' } },
  }
  await hub.create(child as unknown as KubernetesObject, options)
  await remove('OCIRepository', 'a')
  assert.ok(await isThere('Secret', 'staging'))
})

test('a sweep finds copies that a crash has left', async () => {
  const { hub, copies, isThere } = await scene()
  for (const name of ['left', 'used']) await hub.create(core('ConfigMap', name, copied), options)
  await hub.create(source('a', { certSecretRef: { name: 'used' } }), options)
  await hub.create(core('Secret', 'used', copied), options)
  await copies.sweep()
  assert.ok(!(await isThere('ConfigMap', 'left')))
  assert.ok(await isThere('Secret', 'used'))
})

const minutes = 60_000

test('a Namespace that the hub has made goes once it has held nothing for twenty minutes', async () => {
  const { clock, namespace, sweep } = await scene()
  await sweep()
  assert.equal((await namespace())?.metadata.labels?.['keelson.dev/made-for-target'], 'unused')
  await clock.advance(19 * minutes)
  await sweep()
  assert.ok(!(await namespace())?.metadata.deletionTimestamp)
  await clock.advance(1 * minutes)
  await sweep()
  const left = await namespace()
  assert.ok(!left || left.metadata.deletionTimestamp)
})

test('one that holds something again stays, and so does one that a pass marks as used in between', async () => {
  const { hub, clock, namespace, sweep } = await scene()
  await sweep()
  await hub.create(core('ConfigMap', 'own'), options)
  await clock.advance(60 * minutes)
  await sweep()
  assert.equal((await namespace())?.metadata.labels?.['keelson.dev/made-for-target'], 'used')
  await hub.delete(ref('ConfigMap', 'own'), {})
  await sweep()
  const mark = { metadata: { labels: { 'keelson.dev/made-for-target': 'used' } } }
  await hub.patch(
    { group: '', kind: 'Namespace', namespace: '', name: 'prod-apps' },
    { type: 'merge', patch: mark },
    options,
  )
  await clock.advance(60 * minutes)
  await sweep()
  assert.ok(!(await namespace())?.metadata.deletionTimestamp)
})

test("somebody's own Namespace stays, whether or not it has a target", async () => {
  const { hub, clock, namespace, sweep } = await scene()
  const unmark = { metadata: { labels: { 'keelson.dev/made-for-target': null } } }
  await hub.patch(
    { group: '', kind: 'Namespace', namespace: '', name: 'prod-apps' },
    { type: 'merge', patch: unmark },
    options,
  )
  for (let i = 0; i < 3; i++) {
    await sweep()
    await clock.advance(60 * minutes)
  }
  assert.ok(!(await namespace())?.metadata.deletionTimestamp)
})
