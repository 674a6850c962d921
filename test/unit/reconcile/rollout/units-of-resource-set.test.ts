import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { pinAnnotation, type Rollout } from '../../../../lib/foundations/kinds/rollout.ts'
import { observeFleet } from '../../../../lib/reconcile/rollout/observe.ts'
import { onStage } from '../resource-set/scene.ts'

const unit = (kind: 'Kustomization' | 'HelmRelease', source: object) => ({
  apiVersion: kind === 'Kustomization' ? 'kustomize.toolkit.fluxcd.io/v1' : 'helm.toolkit.fluxcd.io/v2',
  kind,
  metadata: { name: 'app-<< inputs.cluster >>', namespace: 'default' },
  spec: { interval: '<< inputs.interval >>', ...source },
})

const rollout = {
  ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Rollout', metadata: { name: 'web', namespace: 'default' } },
  spec: {
    sources: [
      { kind: 'GitRepository', name: 'app' },
      { kind: 'OCIRepository', name: 'chart' },
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
    ]
    const inputs = (interval: string, ...clusters: readonly string[]) =>
      clusters.map(cluster => ({ cluster, interval }))
    const unitsOf = async () =>
      (await observeFleet(rollout, scene)).units.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()
    await scene.apply({ resources, inputs: inputs('1h', 'paris', 'rome') })
    const other = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' }
    await scene.create({
      ...other,
      metadata: { name: 'other', namespace: 'default' },
      spec: { interval: '1h', ...ofGit },
    })
    assert.deepEqual(await unitsOf(), [
      ...['HelmRelease app-paris', 'HelmRelease app-rome'],
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
      ...['HelmRelease app-oslo', 'HelmRelease app-rome'],
      ...['Kustomization app-oslo', 'Kustomization app-rome'],
    ])
  })
})
