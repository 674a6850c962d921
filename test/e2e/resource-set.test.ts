import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import type { ResourceSet } from '../../lib/foundations/kinds/resource-set.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { becomesItsObjects, collectsInStages, touchesWhatChangedOnly } from '../bed/resource-set-stories.ts'

test('RS-126 the example of the documentation becomes its objects, and kubectl can wait for it', async () => {
  await becomesItsObjects(await hub(), {})
})

/** docs/performance.md tells of 1000. */
const inputs = Number(process.env.KEELSON_RESOURCE_SET_INPUTS ?? 200)

test('each of many inputs becomes three objects; one that changes or goes touches its own only', async t => {
  const times = await touchesWhatChangedOnly(await hub(), inputs, 120_000)
  const [first, changed, removed] = [times.first, times.changed, times.removed].map(seconds => seconds.toFixed(1))
  t.diagnostic(`${3 * inputs} objects in ${first} s; one input changed in ${changed} s, one removed in ${removed} s`)
})

test('RS-111 RS-113 what leaves a ResourceSet goes in stages, accounts after the Flux objects that act as them', async () => {
  await collectsInStages(await hub(), {})
})

test('a definition that changes and the objects that need the change arrive in one run', async () => {
  const it = await hub()
  const definition = (colours: readonly string[]) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.plain.io' },
    spec: {
      group: 'plain.io',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: { type: 'object', properties: { colour: { type: 'string', enum: colours } } },
              },
            },
          },
        },
      ],
    },
  })
  const widget = (colour: string) => ({
    apiVersion: 'plain.io/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'default' },
    spec: { colour },
  })
  const becomes = async (colours: readonly string[], colour: string) => {
    const resources = [definition(colours), widget(colour)]
    const metadata = { name: 'widgets', namespace: 'default' }
    await it.apply(
      JSON.stringify({ apiVersion: 'fluxcd.controlplane.io/v1', kind: 'ResourceSet', metadata, spec: { resources } }),
    )
    await eventually(async () => {
      const { metadata, status } = await it.get<ResourceSet>('resourceset', 'widgets')
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      assert.equal(ready?.observedGeneration, metadata.generation)
      assert.equal(ready?.status, 'True', ready?.message)
    })
    assert.equal(await it.kubectl('get', 'widgets.plain.io', 'w', '-o', 'jsonpath={.spec.colour}'), colour)
  }
  await becomes(['red'], 'red')
  await becomes(['red', 'blue'], 'blue')
  const warnings = ['get', 'events', '--field-selector', 'type=Warning', '-o', 'jsonpath={.items[*].message}']
  assert.equal(await it.kubectl(...warnings), '', 'no run failed on the way')
})

test('RS-105 RS-108 a tenant does what its account may do, and no more', async () => {
  const it = await hub()
  const set = {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { name: 'app', namespace: 'tenant' },
    spec: {
      serviceAccountName: 'robot',
      resources: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace: 'tenant' }, data: { k: 'v' } },
      ],
    },
  }
  await it.apply(`
apiVersion: v1
kind: Namespace
metadata: {name: tenant}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: robot, namespace: tenant}
---
${JSON.stringify(set)}`)
  const message = async () => {
    const { status } = await it.get<ResourceSet>('resourceset', 'app', '-n', 'tenant')
    return status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? ''
  }
  await eventually(async () => {
    assert.equal(
      await message(),
      'reconciliation failed: ConfigMap/tenant/cm dry-run failed (Forbidden): configmaps "cm" is forbidden: User "system:serviceaccount:tenant:robot" cannot patch resource "configmaps" in API group "" in the namespace "tenant"',
    )
  })
  await it.apply(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: robot, namespace: tenant}
rules:
- apiGroups: ['']
  resources: [configmaps]
  verbs: ['*']
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: robot, namespace: tenant}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: robot}
subjects:
- {kind: ServiceAccount, name: robot, namespace: tenant}
`)
  await it.kubectl('annotate', 'resourceset/app', '-n', 'tenant', 'reconcile.fluxcd.io/requestedAt=now')
  await it.kubectl('wait', 'resourceset/app', '-n', 'tenant', '--for=condition=ready', '--timeout=5m')
  assert.equal(await it.kubectl('get', 'configmap', 'cm', '-n', 'tenant', '-o', 'jsonpath={.data.k}'), 'v')
})

const fleet = `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: fleet, namespace: default}
spec:
  type: Clusters
  selectors:
  - matchLabels: {env: prod}
---
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: fleet, namespace: default}
spec:
  inputsFrom:
  - {name: fleet}
  wait: true
  resources:
  - apiVersion: kustomize.toolkit.fluxcd.io/v1
    kind: Kustomization
    metadata: {name: "apps-<< inputs.name >>", namespace: default}
    spec:
      interval: 1h
      prune: true
      path: ./apps
      sourceRef: {kind: GitRepository, name: apps}
      postBuild: {substitute: {cluster: "<< inputs.name >>"}}
      kubeConfig: << inputs.kubeConfig | toJson >>
`

const clusterObject = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: west, namespace: default, labels: {env: prod}}
spec: {kubeConfig: {secretRef: {name: access-of-west}}}
`

test('CL-003 one ResourceSet brings what is in git to every cluster that the hub knows, and to those that join', async () => {
  const [east, west] = await Promise.all([cluster({ name: 'east' }), cluster({ name: 'west' })])
  const apps = await gitRepo({
    'apps/where.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: where, namespace: default}\ndata: {cluster: "${cluster}"}\n',
  })
  const it = await hub()
  const give = async (name: string, { kubeconfig }: typeof east, labels: Readonly<Record<string, string>> = {}) =>
    it.apply(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'default', labels },
        stringData: { value: await readFile(kubeconfig, 'utf8') },
      }),
    )
  await it.apply(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: apps, namespace: default}
spec: {interval: 1h, url: '${apps.url}', ref: {branch: main}}
`)
  await give('east', east, { env: 'prod' })
  await it.apply(fleet)
  const where = (it: typeof east) =>
    it.kubectl('get', 'configmap', 'where', '--ignore-not-found', '-o', 'jsonpath={.data.cluster}')
  await eventually(async () => assert.equal(await where(east), 'east'))
  await it.kubectl('wait', 'resourceset/fleet', '--for=condition=ready', '--timeout=5m')
  await give('access-of-west', west)
  await it.apply(clusterObject)
  await eventually(async () => assert.equal(await where(west), 'west'))
  const { items } = await it.get<{ items: KubernetesObject[] }>('kustomizations')
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['apps-east', 'apps-west'],
  )
})
