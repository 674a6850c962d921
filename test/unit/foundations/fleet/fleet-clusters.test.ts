/** Which units belong to which cluster. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetOf } from '../../../../lib/foundations/fleet/fleet-clusters.ts'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { describeTarget } from '../../../../lib/foundations/kinds/target-reference.ts'

const cluster = (name: string, kubeConfig: Cluster['spec']['kubeConfig']): Cluster => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name, namespace: 'apps' },
  spec: { kubeConfig },
})
const unit = (
  name: string,
  { kind = 'Kustomization', namespace = 'apps', annotations = {}, ...spec }: Readonly<Record<string, unknown>> = {},
): KubernetesObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace, annotations }, spec }) as unknown as KubernetesObject
const bySecret = (name: string) => ({ kubeConfig: { secretRef: { name } } })

const shown = (...of: Parameters<typeof fleetOf>) =>
  fleetOf(...of).clusters.map(({ cluster, access, units }) => [
    cluster?.metadata.name,
    describeTarget(access),
    units.map(({ object }) => object.metadata.name),
  ])

test('a unit belongs to the Cluster that uses the same Secret or ConfigMap of its namespace', () => {
  const clusters = [
    cluster('prod', { secretRef: { name: 'prod-kubeconfig' } }),
    cluster('eks', { configMapRef: { name: 'prod-kubeconfig' } }),
  ]
  const units = [
    unit('web', bySecret('prod-kubeconfig')),
    unit('db', { kubeConfig: { configMapRef: { name: 'prod-kubeconfig' } } }),
    unit('other', { namespace: 'team', ...bySecret('prod-kubeconfig') }),
    unit('hub'),
  ]
  assert.deepEqual(shown({ clusters, units, namespaces: [] }), [
    ['eks', 'ConfigMap/apps/prod-kubeconfig', ['db']],
    ['prod', 'Secret/apps/prod-kubeconfig', ['web']],
    [undefined, 'Secret/team/prod-kubeconfig', ['other']],
  ])
})

test('a unit belongs to the cluster that it inherits, from itself or its Namespace', () => {
  const namespaces = [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'team', annotations: { 'keelson.dev/target': 'apps/prod' } },
    },
  ]
  const units = [
    unit('own', { annotations: { 'keelson.dev/target': 'prod' } }),
    unit('inherited', { namespace: 'team', kind: 'HelmRelease' }),
    unit('set', { kind: 'ResourceSet', annotations: { 'resourceset.keelson.dev/kubeConfig': 'prod:value' } }),
    unit('malformed', { annotations: { 'keelson.dev/target': '///' } }),
  ]
  const clusters = [cluster('prod', { secretRef: { name: 'prod' } })]
  assert.deepEqual(shown({ clusters, units, namespaces }), [['prod', 'Secret/apps/prod', ['own', 'inherited', 'set']]])
})

test('two Clusters of one access are both shown, each with the units', () => {
  const clusters = [cluster('a', { secretRef: { name: 'prod' } }), cluster('b', { secretRef: { name: 'prod' } })]
  assert.deepEqual(shown({ clusters, units: [unit('web', bySecret('prod'))], namespaces: [] }), [
    ['a', 'Secret/apps/prod', ['web']],
    ['b', 'Secret/apps/prod', ['web']],
  ])
})
