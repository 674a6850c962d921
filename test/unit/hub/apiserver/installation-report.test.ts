import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import type { FluxReport } from '../../../../lib/foundations/kinds/flux-report.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { refOf } from '../../../../lib/foundations/kinds/object.ts'
import { isFluxKind } from '../../../../lib/foundations/rules/hub-placement.ts'
import { createApiServer } from '../../../../lib/hub/apiserver/api-server.ts'
import { admin } from '../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { installationReport } from '../../../../lib/hub/apiserver/installation-report.ts'
import { allowAll } from '../../../../lib/hub/authorize/access.ts'
import { hubWorld, registry } from '../store/world.ts'

const reports = '/apis/fluxcd.controlplane.io/v1/namespaces/flux-system/fluxreports'

const reportWorld = async () => {
  const { hub, clock } = await hubWorld()
  const components = { names: ['source-controller', 'helm-controller', 'flux-operator'], version: 'v1.2.3', since: 0 }
  const report = installationReport({ hub, clock, components, fluxKinds: () => builtInKinds.filter(isFluxKind) })
  const handle = createApiServer({
    ...{ hub, report, clock, kinds: () => registry, authenticate: async () => admin, authorizer: allowAll },
  })
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'flux-system' } }, { fieldManager: 'a' })
  const send = async (method: string, path = `${reports}/flux`, accept = 'application/json') => {
    const response = await handle(new Request(`http://hub${path}`, { method, headers: { accept } }))
    return { status: response.status, json: JSON.parse(await response.text()) }
  }
  return {
    hub,
    send,
    /** Creates an object with its status. */
    async add(object: KubernetesObject, status: object = {}): Promise<void> {
      await hub.create(object, { fieldManager: 'a' })
      const patch = { type: 'merge', patch: { status } } as const
      await hub.patch(refOf(object), patch, { fieldManager: 'a', subresource: 'status' })
    },
    read: async () => (await send('GET')).json as FluxReport,
    statsOf: async (kind: string) =>
      ((await send('GET')).json as FluxReport).spec.reconcilers.find(one => one.kind === kind)!.stats,
  }
}

const ready = (status: string, message = 'any') => ({
  conditions: [{ type: 'Ready', status, reason: 'Any', message, lastTransitionTime: '2026-01-02T03:04:05Z' }],
})
const source = (name: string, more: object = {}) => ({
  ...{ apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'GitRepository', metadata: { name, namespace: 'flux-system' } },
  spec: { url: 'https://git.example/fleet', interval: '1m', ...more },
})
const unit = (name: string, namespace = 'flux-system') => ({
  ...{ apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', metadata: { name, namespace } },
  spec: { interval: '1m', prune: true, path: 'clusters/hub', sourceRef: { kind: 'GitRepository', name } },
})
const artifact = (size: number) => ({
  ...{ path: 'a', url: 'http://a', revision: 'main@sha1:a', digest: 'sha256:a', size },
  lastUpdateTime: '2026-01-02T03:04:05Z',
})

test('the report counts each object once, and the bytes of artifacts, as of this moment', async () => {
  const { add, statsOf, hub, read } = await reportWorld()
  await add(source('one'), { ...ready('True'), artifact: artifact(1_500_000) })
  await add(source('two'), { ...ready('False'), artifact: artifact(2_300_000) })
  await add(source('three', { suspend: true }), ready('False'))
  await add(source('four'))
  assert.deepEqual(await statsOf('GitRepository'), { failing: 1, running: 2, suspended: 1, totalSize: '3.6 MiB' })
  await hub.delete(refOf(source('two')), {})
  assert.deepEqual(await statsOf('GitRepository'), { failing: 0, running: 2, suspended: 1, totalSize: '1.4 MiB' })
  const { reconcilers } = (await read()).spec
  const names = reconcilers.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`)
  assert.deepEqual(names, names.toSorted())
  for (const expected of ['notification.toolkit.fluxcd.io/v1beta3/Alert', 'fluxcd.controlplane.io/v1/ResourceSet'])
    assert.ok(names.includes(expected), expected)
  assert.ok(!names.some(name => /Secret|Cluster$|FluxInstance/.test(name)))
})

test('the report names the parts of the hub, its versions and its readiness', async () => {
  const { read, send } = await reportWorld()
  const { spec, status, metadata } = await read()
  assert.deepEqual(spec.components, [
    {
      ...{ name: 'helm-controller', image: 'keelson.dev/helm-controller:v1.2.3' },
      ...{ ready: true, status: 'part of this hub' },
    },
    {
      ...{ name: 'source-controller', image: 'keelson.dev/source-controller:v1.2.3' },
      ...{ ready: true, status: 'part of this hub' },
    },
  ])
  assert.deepEqual([metadata.name, spec.operator.version, spec.distribution.status], ['flux', 'v1.2.3', 'Installed'])
  assert.match(spec.distribution.version, /^v2\.\d+\.\d+$/)
  assert.match(status.conditions![0]!.message, /^Reporting finished in /)
  const table = (await send('GET', reports, 'application/json;as=Table;g=meta.k8s.io;v=v1')).json
  assert.deepEqual(
    table.columnDefinitions.map(({ name }: { name: string }) => name),
    ['Name', 'Entitlement', 'Age', 'Ready', 'Status'],
  )
  assert.equal((await send('GET', reports)).json.items.length, 1)
  assert.equal((await send('GET', reports.replace('flux-system', 'default'))).json.items.length, 0)
  for (const method of ['DELETE', 'PATCH', 'PUT']) assert.equal((await send(method)).status, 405, method)
})

test('the report shows the source that the hub reconciles itself from: of the instance, of a bootstrap, or its root', async () => {
  const { add, read, hub } = await reportWorld()
  assert.equal((await read()).spec.sync, undefined)
  const place = { name: 'keelson-system' }
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: place }, { fieldManager: 'a' })
  await add(unit('root', 'keelson-system'))
  const unknown = { ready: false, source: '', status: 'not initialized', path: 'clusters/hub' }
  assert.deepEqual((await read()).spec.sync, { id: 'kustomization/root', ...unknown })
  await add(source('flux-system'), ready('False', 'failed to fetch'))
  await add(unit('flux-system'), ready('True', 'Applied revision: main@sha1:a'))
  const url = 'https://git.example/fleet'
  const failed = { id: 'kustomization/flux-system', path: 'clusters/hub', ready: false, source: url }
  assert.deepEqual((await read()).spec.sync, { ...failed, status: 'failed to fetch' })
  const sync = { kind: 'GitRepository', url, ref: 'refs/heads/main', path: 'clusters/hub', name: 'fleet' }
  const metadata = { name: 'flux', namespace: 'flux-system' }
  const distribution = { version: '2.x', registry: 'ghcr.io/fluxcd' }
  const instance = { apiVersion: 'fluxcd.controlplane.io/v1', kind: 'FluxInstance', metadata }
  await hub.create({ ...instance, spec: { distribution, sync } } as KubernetesObject, { fieldManager: 'a' })
  await add(source('fleet'), ready('True'))
  await add(unit('fleet'), ready('True', 'Applied revision: main@sha1:b'))
  const applied = { id: 'kustomization/fleet', path: 'clusters/hub', ready: true, source: url }
  assert.deepEqual((await read()).spec.sync, { ...applied, status: 'Applied revision: main@sha1:b' })
})
