import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { pinAnnotation, type Rollout } from '../../../../lib/foundations/kinds/rollout.ts'
import { createReferences } from '../../../../lib/hub/references/references.ts'
import { observeFleet } from '../../../../lib/reconcile/rollout/observe.ts'
import { onStage } from '../resource-set/scene.ts'

const chartOfCache = { chart: 'cache', version: '1.x', sourceRef: { kind: 'HelmRepository', name: 'charts' } }

const unit = (kind: 'Kustomization' | 'HelmRelease', source: object, name = 'app') => ({
  apiVersion: kind === 'Kustomization' ? 'kustomize.toolkit.fluxcd.io/v1' : 'helm.toolkit.fluxcd.io/v2',
  kind,
  metadata: { name: `${name}-<< inputs.cluster >>`, namespace: 'default' },
  spec: { interval: '<< inputs.interval >>', ...source },
})

const rollout = {
  ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Rollout', metadata: { name: 'web', namespace: 'default' } },
  spec: {
    sources: [
      { kind: 'GitRepository', name: 'app' },
      { kind: 'OCIRepository', name: 'chart' },
      { kind: 'HelmChart', name: 'cache' },
    ],
    units: {
      selector: {
        matchLabels: {
          'resourceset.fluxcd.controlplane.io/name': 'app',
          'resourceset.fluxcd.controlplane.io/namespace': 'default',
        },
      },
    },
    stages: [{ name: 'all' }],
  },
} as unknown as Rollout

test('RO-02 the units of a Rollout are all that come of a ResourceSet, by its labels; it leaves their pins alone', async () => {
  await onStage({}, async scene => {
    const ofGit = { prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } }
    const resources = [
      unit('Kustomization', ofGit),
      unit('HelmRelease', { chartRef: { kind: 'OCIRepository', name: 'chart' } }),
      unit('HelmRelease', { chart: { spec: chartOfCache } }, 'cache'),
      unit('HelmRelease', { chart: { spec: { ...chartOfCache, chart: 'db' } } }, 'db'),
    ]
    await scene.create({
      ...{
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'HelmChart',
        metadata: { name: 'cache', namespace: 'default' },
      },
      spec: { ...chartOfCache, interval: '1h' },
    })
    const inputs = (interval: string, ...clusters: readonly string[]) =>
      clusters.map(cluster => ({ cluster, interval }))
    const unitsOf = async () =>
      (await observeFleet(rollout, { hub: scene.hub, references: createReferences(scene.hub) })).units
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
        .toSorted()
    await scene.apply({ resources, inputs: inputs('1h', 'paris', 'rome') })
    const other = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' }
    await scene.create({
      ...other,
      metadata: { name: 'other', namespace: 'default' },
      spec: { interval: '1h', ...ofGit },
    })
    assert.deepEqual(await unitsOf(), [
      ...['HelmRelease app-paris', 'HelmRelease app-rome', 'HelmRelease cache-paris', 'HelmRelease cache-rome'],
      ...['Kustomization app-paris', 'Kustomization app-rome'],
    ])
    const ref = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app-rome' }
    const pin = 'default/web-1@2026-01-01T00:00:00.000Z'
    const patch = { metadata: { annotations: { [pinAnnotation]: pin } } }
    await scene.hub.patch(ref, { type: 'merge', patch }, { fieldManager: 'keelson' })
    await scene.apply({ resources, inputs: inputs('2h', 'rome', 'oslo') })
    const rome = await scene.hub.get<KubernetesObject & { readonly spec: { readonly interval: string } }>(ref)
    assert.deepEqual([rome?.spec.interval, rome?.metadata.annotations?.[pinAnnotation]], ['2h', pin])
    assert.deepEqual(await unitsOf(), [
      ...['HelmRelease app-oslo', 'HelmRelease app-rome', 'HelmRelease cache-oslo', 'HelmRelease cache-rome'],
      ...['Kustomization app-oslo', 'Kustomization app-rome'],
    ])
  })
})
