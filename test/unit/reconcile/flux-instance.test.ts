import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultBuildLimits } from '../../../lib/foundations/budget/budget.ts'
import type { FluxInstance } from '../../../lib/foundations/kinds/flux-instance.ts'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { fluxInstanceReconciler } from '../../../lib/reconcile/flux-instance/flux-instance.ts'
import { syncWriter } from '../../../lib/reconcile/flux-instance/sync-writer.ts'
import type { Reconciler } from '../../../lib/reconcile/runtime/reconciler.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { openWorld, shown } from './world.ts'

const components = [{ name: 'source-controller', repository: 'keelson.dev/source-controller', tag: 'v1.0.0' }]
const distribution = { version: '2.x', registry: 'ghcr.io/fluxcd' }
const git = { kind: 'GitRepository', url: 'https://git.example/fleet', ref: 'refs/heads/main', path: 'clusters/hub' }

const open = async () => {
  const world = await openWorld(({ hub, clock }) => [
    fluxInstanceReconciler({
      ...{ clock, components, fluxVersion: 'v2.9.4', limits: defaultBuildLimits },
      writer: syncWriter(hub),
    }) as unknown as Reconciler<KubernetesObject>,
  ])
  endWithTest({ [Symbol.asyncDispose]: world.close })
  const { hub, settle } = world
  for (const name of ['flux-system', 'team'])
    await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'test' })
  const ref = (namespace: string) => ({
    group: 'fluxcd.controlplane.io',
    kind: 'FluxInstance',
    namespace,
    name: 'flux',
  })
  const made = <T extends KubernetesObject>(kind: string, name = 'flux-system') => {
    const group = kind === 'Kustomization' ? 'kustomize.toolkit.fluxcd.io' : 'source.toolkit.fluxcd.io'
    return hub.get<T & { spec: Record<string, unknown> }>({ group, kind, namespace: 'flux-system', name })
  }
  return {
    ...world,
    made,
    read: (namespace = 'flux-system') => hub.get<FluxInstance>(ref(namespace)),
    async apply(spec: object, namespace = 'flux-system', annotations: Record<string, string> = {}) {
      const metadata = { name: 'flux', namespace, annotations }
      const object = { apiVersion: 'fluxcd.controlplane.io/v1', kind: 'FluxInstance', metadata }
      const whole = { ...object, spec: { distribution, ...spec } } as KubernetesObject
      await hub.patch(ref(namespace), { type: 'apply', object: whole }, { fieldManager: 'user', force: true })
      await settle()
    },
    async delete() {
      await hub.delete(ref('flux-system'), {})
      await settle()
    },
  }
}

test('spec.sync becomes a source and a Kustomization that are named as those of flux bootstrap', async () => {
  const { apply, made, read, advance, changes } = await open()
  await apply({ sync: { ...git, pullSecret: 'token', provider: 'github' }, commonMetadata: { labels: { team: 'a' } } })
  const [source, unit] = [await made('GitRepository'), await made<Kustomization>('Kustomization')]
  assert.deepEqual(source!.spec, {
    ...{ interval: '1m', timeout: '60s', url: 'https://git.example/fleet', ref: { name: 'refs/heads/main' } },
    ...{ secretRef: { name: 'token' }, provider: 'github' },
  })
  assert.deepEqual(unit!.spec, {
    ...{ interval: '10m', path: 'clusters/hub', prune: true, force: false },
    sourceRef: { kind: 'GitRepository', name: 'flux-system' },
  })
  assert.deepEqual(unit!.metadata.labels, {
    ...{ team: 'a', 'fluxcd.controlplane.io/name': 'flux', 'fluxcd.controlplane.io/namespace': 'flux-system' },
  })
  const { status } = (await read())!
  assert.match(shown(await read())[0]!, /^Ready=True ReconciliationSucceeded: Reconciliation finished in /)
  assert.deepEqual(status!.components, components)
  assert.deepEqual(status!.inventory!.entries, [
    { id: 'flux-system_flux-system_source.toolkit.fluxcd.io_GitRepository', v: 'v1' },
    { id: 'flux-system_flux-system_kustomize.toolkit.fluxcd.io_Kustomization', v: 'v1' },
  ])
  assert.match(status!.lastAppliedRevision!, /^v2\.9\.4@sha256:[0-9a-f]{64}$/)

  const before = changes.length
  await advance(2 * 3_600_000)
  assert.equal(changes.length, before, 'passes over an unchanged instance write nothing')
})

test('an OCI artifact and a bucket become sources of their kinds, under the given name', async () => {
  const oci = await open()
  await oci.apply({
    sync: { ...git, kind: 'OCIRepository', url: 'oci://ghcr.io/acme/fleet', ref: 'latest', name: 'fleet' },
  })
  const { url, ref } = (await oci.made('OCIRepository', 'fleet'))!.spec
  assert.deepEqual([url, ref], ['oci://ghcr.io/acme/fleet', { tag: 'latest' }])
  const sourceRef = { kind: 'OCIRepository', name: 'fleet' }
  assert.deepEqual((await oci.made<Kustomization>('Kustomization', 'fleet'))!.spec.sourceRef, sourceRef)
  const bucket = await open()
  await bucket.apply({ sync: { ...git, kind: 'Bucket', url: 'minio.example', ref: 'fleet', interval: '5m' } })
  const { endpoint, bucketName, interval } = (await bucket.made('Bucket'))!.spec
  assert.deepEqual([endpoint, bucketName, interval], ['minio.example', 'fleet', '5m'])
})

test('each field that does not apply to a hub is reported with the reason', async () => {
  const { apply, read } = await open()
  const deployments = { patch: '[]', target: { kind: 'Deployment' } }
  await apply({
    components: ['source-controller'],
    cluster: { type: 'aws', multitenant: true },
    storage: { class: 'standard', size: '1Gi' },
    sharding: { shards: ['one'] },
    kustomize: { patches: [deployments, { patch: '{}' }] },
    commonMetadata: { labels: { a: 'b' } },
  })
  const [, message = ''] = shown(await read())
  assert.deepEqual(message.split('\n'), [
    'NotApplicable=True ConfiguredInHub: spec.distribution: the hub is upgraded by its operator',
    'spec.components: the hub has all components',
    'spec.storage: artifacts are in the store of the hub',
    'spec.sharding: the hub divides its work itself',
    'spec.cluster.type: the hub installs nothing on a cluster',
    'spec.cluster.multitenant: use the settings noCrossNamespaceRefs and defaultServiceAccount of the hub',
    'spec.commonMetadata: there is no spec.sync whose objects would get it',
    'spec.kustomize.patches[0]: the hub has no Deployment to patch; patches apply to the objects of spec.sync',
    'spec.kustomize.patches[1]: it has no target.kind; patches apply to the objects of spec.sync',
  ])
})

test('patches apply to the source and the Kustomization; one that can not be applied stalls the instance', async () => {
  const { apply, made, read } = await open()
  const decryption = JSON.stringify([{ op: 'add', path: '/spec/decryption', value: { provider: 'sops' } }])
  await apply({ sync: git, kustomize: { patches: [{ patch: decryption, target: { kind: 'Kustomization' } }] } })
  assert.deepEqual((await made<Kustomization>('Kustomization'))!.spec.decryption, { provider: 'sops' })
  const missing = JSON.stringify([{ op: 'remove', path: '/spec/nothing' }])
  await apply({ sync: git, kustomize: { patches: [{ patch: missing, target: { kind: 'GitRepository' } }] } })
  assert.match(shown(await read())[0]!, /^Stalled=True BuildFailed: spec\.kustomize\.patches: .*nothing/)
  assert.deepEqual((await made<Kustomization>('Kustomization'))!.spec.decryption, { provider: 'sops' })
})

test('an instance in another namespace has no effect, so tenants can not add sources of the hub', async () => {
  const { apply, read, hub } = await open()
  await apply({ sync: git }, 'team')
  assert.match(shown(await read('team'))[0]!, /^Stalled=True BuildFailed: FluxInstance\/team\/flux has no effect/)
  const { items } = await hub.list({ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' })
  assert.deepEqual(items, [])
})

test('a source that the hub refuses fails with the field, and is tried again', async () => {
  const { apply, read } = await open()
  await apply({ sync: { ...git, url: 'git@git.example:fleet' } })
  const conditions = shown(await read())
  assert.match(conditions[1]!, /^Ready=False ReconciliationFailed: spec\.sync: .*spec\.url/)
})

test('when the instance is disabled it changes nothing; deleted, or without a sync, it deletes its objects and nothing that they applied', async () => {
  const { apply, made, read, delete: remove, changes } = await open()
  await apply({ sync: git })
  await apply({ sync: { ...git, path: 'other' } }, 'flux-system', { 'fluxcd.controlplane.io/reconcile': 'disabled' })
  assert.equal((await made<Kustomization>('Kustomization'))!.spec.path, 'clusters/hub')
  await apply({ sync: { ...git, path: 'other' } })
  assert.equal((await made<Kustomization>('Kustomization'))!.spec.path, 'other')
  const policies = () =>
    changes.flatMap(({ ref, after }) =>
      ref.kind === 'Kustomization' && after ? [(after as Kustomization).spec.deletionPolicy] : [],
    )
  await apply({})
  assert.deepEqual([await made('GitRepository'), await made('Kustomization')], [undefined, undefined])
  assert.equal(policies().at(-1), 'Orphan')
  assert.deepEqual((await read())!.status!.inventory!.entries, [])
  await apply({ sync: git })
  assert.ok(await made('Kustomization'))
  await remove()
  assert.deepEqual([await made('Kustomization'), await read()], [undefined, undefined])
})

test('an object that somebody else has by now stays', async () => {
  const { apply, made, hub, delete: remove } = await open()
  await apply({ sync: git })
  const unit = (await made<Kustomization>('Kustomization'))!
  await hub.update({ ...unit, metadata: { ...unit.metadata, labels: {} } }, { fieldManager: 'somebody' })
  await remove()
  assert.ok(await made('Kustomization'))
  assert.equal(await made('GitRepository'), undefined)
})
