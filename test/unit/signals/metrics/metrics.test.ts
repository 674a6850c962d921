import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import { gitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import { kustomization } from '../../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { resourceSet } from '../../../../lib/foundations/kinds/resource-set.ts'
import { noUsage } from '../../../../lib/foundations/rules/usage.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { createMetrics } from '../../../../lib/signals/metrics/metrics.ts'

const ready = { conditions: [{ type: 'Ready', status: 'True', reason: 'Succeeded' }] }

const objects: Readonly<Record<string, readonly object[]>> = {
  Kustomization: [
    {
      metadata: { uid: 'u1', name: 'app', namespace: 'default' },
      spec: { path: './deploy', sourceRef: { name: 'fleet' } },
      status: { ...ready, lastAppliedRevision: 'main@sha1:1' },
    },
    { metadata: { uid: 'u2', name: 'new "one"', namespace: 'default' }, spec: { suspend: true } },
  ],
  GitRepository: [
    {
      metadata: { uid: 'u3', name: 'fleet', namespace: 'default' },
      spec: { url: 'https://git.example.com/fleet' },
      status: { ...ready, artifact: { revision: 'main@sha1:1', size: 4096 } },
    },
  ],
  ResourceSet: [
    {
      metadata: { uid: 'u4', name: 'tenants', namespace: 'default' },
      status: { ...ready, lastAppliedRevision: 'sha256:1', inventory: { entries: [{ id: 'a' }, { id: 'b' }] } },
    },
    {
      metadata: { uid: 'u5', name: 'paused', annotations: { 'fluxcd.controlplane.io/reconcile': 'disabled' } },
    },
  ],
}

/** One object a page. */
const hub: Pick<Hub, 'list'> = {
  list: async <T extends KubernetesObject>({ kind, continue: from = '0' }: { kind: string; continue?: string }) => {
    const all = objects[kind] ?? []
    const at = Number(from)
    const items = all.slice(at, at + 1) as unknown as T[]
    return { items, resourceVersion: '1', ...(at + 1 < all.length && { continue: String(at + 1) }) }
  },
} as never

const kinds = () => [kustomization, gitRepository, resourceSet] as never
const samplesIn = (text: string, name: string) => text.split('\n').filter(line => line.startsWith(name))

test('KS-085 reports the state of every object, suspended ones too, under the names that dashboards of Flux use', async () => {
  const text = await createMetrics({ hub, kinds }).text()
  assert.deepEqual(samplesIn(text, 'gotk_resource_info'), [
    'gotk_resource_info{customresource_group="kustomize.toolkit.fluxcd.io",customresource_version="v1",customresource_kind="Kustomization",uid="u1",name="app",exported_namespace="default",ready="True",reason="Succeeded",suspended="false",revision="main@sha1:1",source_name="fleet",path="./deploy",url=""} 1',
    'gotk_resource_info{customresource_group="kustomize.toolkit.fluxcd.io",customresource_version="v1",customresource_kind="Kustomization",uid="u2",name="new \\"one\\"",exported_namespace="default",ready="Unknown",reason="",suspended="true",revision="",source_name="",path="",url=""} 1',
    'gotk_resource_info{customresource_group="source.toolkit.fluxcd.io",customresource_version="v1",customresource_kind="GitRepository",uid="u3",name="fleet",exported_namespace="default",ready="True",reason="Succeeded",suspended="false",revision="main@sha1:1",source_name="",path="",url="https://git.example.com/fleet"} 1',
  ])
  assert.deepEqual(samplesIn(text, 'gotk_artifact_size_bytes'), [
    'gotk_artifact_size_bytes{kind="GitRepository",name="fleet",namespace="default"} 4096',
  ])
})

test('RS-135 RS-136 flux_resourceset_info is 1 for each ResourceSet, with the labels of flux-operator', async () => {
  const text = await createMetrics({ hub, kinds }).text()
  assert.deepEqual(samplesIn(text, 'flux_resourceset_info'), [
    'flux_resourceset_info{kind="ResourceSet",uid="u4",name="tenants",exported_namespace="default",ready="True",reason="Succeeded",suspended="False",resources="2",revision="sha256:1"} 1',
    'flux_resourceset_info{kind="ResourceSet",uid="u5",name="paused",exported_namespace="",ready="Unknown",reason="",suspended="True",resources="0",revision=""} 1',
  ])
})

test('RS-137 the series of a ResourceSet disappears with it', async () => {
  const gone: Pick<Hub, 'list'> = { list: async () => ({ items: [], resourceVersion: '2' }) }
  let current = hub
  const metrics = createMetrics({ hub: { list: query => current.list(query) }, kinds })
  assert.equal(samplesIn(await metrics.text(), 'flux_resourceset_info{').length, 2)
  current = gone
  assert.equal(samplesIn(await metrics.text(), 'flux_resourceset_info{').length, 0)
})

test('counts passes and their seconds, and forgets an object that is gone', async () => {
  const metrics = createMetrics({ hub, kinds, waiting: () => ({ apply: 3 }) })
  const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' }
  metrics.observe({ ref, outcome: 'done', durationMs: 300 })
  metrics.observe({ ref, outcome: 'failed', durationMs: 2_000 })
  const text = await metrics.text()
  assert.deepEqual(samplesIn(text, 'gotk_reconcile_duration_seconds_sum'), [
    'gotk_reconcile_duration_seconds_sum{kind="Kustomization",name="app",namespace="default"} 2.3',
  ])
  assert.deepEqual(samplesIn(text, 'controller_runtime_reconcile_total'), [
    'controller_runtime_reconcile_total{controller="kustomization",result="success"} 1',
    'controller_runtime_reconcile_total{controller="kustomization",result="error"} 1',
  ])
  assert.deepEqual(samplesIn(text, 'keelson_queue_depth'), ['keelson_queue_depth{stage="apply"} 3'])
  metrics.observe({ ref, outcome: 'deleted', durationMs: 1 })
  assert.deepEqual(samplesIn(await metrics.text(), 'gotk_reconcile_duration_seconds_sum'), [])
})

test('tells until when the credentials of Clusters are valid, of those that say it', async () => {
  const clusterOf = (name: string, status: object) => ({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name, namespace: 'apps' },
    status,
  })
  const items = [
    clusterOf('prod', { credential: { type: 'ClientCertificate', validUntil: '2027-01-01T00:00:00Z' } }),
    clusterOf('eks', { credential: { type: 'HubIdentity' } }),
    clusterOf('new', {}),
  ]
  const list = async () => ({ items, resourceVersion: '1' }) as never
  const text = await createMetrics({ hub: { list }, kinds: () => [cluster] }).text()
  assert.deepEqual(samplesIn(text, 'keelson_cluster_credential_expiry_timestamp_seconds'), [
    'keelson_cluster_credential_expiry_timestamp_seconds{name="prod",namespace="apps"} 1798761600',
  ])
})

test('what a namespace has used is told while it has objects', async () => {
  let items = [
    { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Cluster', metadata: { name: 'a', namespace: 'apps' } },
  ]
  const list = async () => ({ items, resourceVersion: '1' }) as never
  const metrics = createMetrics({ hub: { list }, kinds: () => [cluster] })
  metrics.observeUsage({ namespace: 'apps', cluster: 'hub', usage: { ...noUsage, passes: 2, ms: 500 } })
  const samples = async () => samplesIn(await metrics.text(), 'keelson_usage_passes_total')
  assert.deepEqual(await samples(), ['keelson_usage_passes_total{namespace="apps",cluster="hub"} 2'])
  items = []
  assert.deepEqual(await samples(), [])
})

test('concurrent scrapes get the same, each object once', async () => {
  const metrics = createMetrics({ hub, kinds })
  const [one, another] = await Promise.all([metrics.text(), metrics.text()])
  assert.equal(one, another)
  assert.equal(samplesIn(one, 'gotk_resource_info').length, 3)
})
