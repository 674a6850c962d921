import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import type { KubernetesObject } from '../../lib/kinds/object.ts'
import type { ResourceSet } from '../../lib/kinds/resource-set.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

/** A kind that the hub does not know by itself: HelmReleases, with any spec. */
const helmReleases = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: helmreleases.helm.toolkit.fluxcd.io}
spec:
  group: helm.toolkit.fluxcd.io
  names: {kind: HelmRelease, listKind: HelmReleaseList, plural: helmreleases, singular: helmrelease}
  scope: Namespaced
  versions:
  - name: v2
    served: true
    storage: true
    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
`

interface Tenant {
  readonly tenant: string
  readonly version: string
  readonly replicas: number
}

/** An application for each tenant, in the shape that flux-operator's documentation shows. */
const podinfo = (...tenants: readonly Tenant[]): string =>
  JSON.stringify({
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { name: 'podinfo', namespace: 'default' },
    spec: {
      commonMetadata: { labels: { 'app.kubernetes.io/name': 'podinfo' } },
      inputs: tenants.map(({ tenant, ...app }) => ({ tenant, app })),
      resources: [
        {
          apiVersion: 'source.toolkit.fluxcd.io/v1',
          kind: 'OCIRepository',
          metadata: { name: 'podinfo-<< inputs.tenant >>', namespace: 'default' },
          spec: {
            interval: '10m',
            suspend: true,
            url: 'oci://registry.example.com/charts/podinfo',
            ref: { semver: '<< inputs.app.version | quote >>' },
          },
        },
        {
          apiVersion: 'helm.toolkit.fluxcd.io/v2',
          kind: 'HelmRelease',
          metadata: { name: 'podinfo-<< inputs.tenant >>', namespace: 'default' },
          spec: {
            interval: '1h',
            releaseName: 'podinfo-<< inputs.tenant >>',
            chartRef: { kind: 'OCIRepository', name: 'podinfo-<< inputs.tenant >>' },
            values: { replicaCount: '<< inputs.app.replicas | int >>' },
          },
        },
      ],
    },
  })

const team1 = { tenant: 'team1', version: '6.7.x', replicas: 2 }
const team2 = { tenant: 'team2', version: '6.6.x', replicas: 3 }

test('RS-126 the example of the documentation becomes its objects, and kubectl can wait for it', async () => {
  const it = await hub()
  await it.apply(helmReleases)
  await it.apply(podinfo(team1, team2))
  await it.kubectl('wait', 'resourceset/podinfo', '--for=condition=ready', '--timeout=60s')

  const [header, row] = (await it.kubectl('get', 'resourceset')).trim().split('\n') as [string, string]
  assert.match(header, /^NAME +AGE +READY +STATUS$/)
  assert.match(row, /^podinfo +\S+ +True +Reconciliation finished in \S+$/)
  const releases = await it.kubectl(
    'get',
    'helmreleases',
    '-o',
    'jsonpath={range .items[*]}{.metadata.name} {.spec.values.replicaCount}{"\\n"}{end}',
  )
  assert.equal(releases, 'podinfo-team1 2\npodinfo-team2 3\n')
  const sources = await it.kubectl(
    'get',
    'ocirepositories',
    '-l',
    'app.kubernetes.io/name=podinfo',
    '-o',
    'jsonpath={range .items[*]}{.spec.ref.semver} {end}',
  )
  assert.equal(sources, '6.7.x 6.6.x ')
  const events = await it.kubectl('events', '--for', 'resourceset/podinfo')
  for (const kind of ['HelmRelease', 'OCIRepository'])
    for (const tenant of ['team1', 'team2'])
      assert.match(events, new RegExp(`${kind}/default/podinfo-${tenant} created`))

  const uidOf = (kind: string, name: string) =>
    it.kubectl('get', kind, name, '-o', 'jsonpath={.metadata.uid}/{.metadata.resourceVersion}')
  const before = await uidOf('helmrelease', 'podinfo-team2')
  await it.apply(podinfo({ ...team1, replicas: 5 }, team2))
  await eventually(async () => {
    assert.equal(
      await it.kubectl('get', 'helmrelease', 'podinfo-team1', '-o', 'jsonpath={.spec.values.replicaCount}'),
      '5',
    )
  })
  assert.equal(await uidOf('helmrelease', 'podinfo-team2'), before, 'what did not change was not written')

  await it.apply(podinfo(team2))
  await eventually(async () => {
    assert.equal(
      await it.kubectl('get', 'helmreleases,ocirepositories', '-o', 'name'),
      'helmrelease.helm.toolkit.fluxcd.io/podinfo-team2\nocirepository.source.toolkit.fluxcd.io/podinfo-team2\n',
    )
  })
  await it.kubectl('delete', 'resourceset', 'podinfo', '--timeout=60s')
  assert.equal(await it.kubectl('get', 'helmreleases,ocirepositories', '-o', 'name'), '')
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
  await it.kubectl('wait', 'resourceset/app', '-n', 'tenant', '--for=condition=ready', '--timeout=60s')
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
      kubeConfig: {secretRef: {name: "<< inputs.name >>", key: "<< inputs.key >>"}}
`

test('one ResourceSet brings what is in git to every cluster that the hub knows, and to those that join', async () => {
  const [east, west] = await Promise.all([cluster({ name: 'east' }), cluster({ name: 'west' })])
  const apps = await gitRepo({
    'apps/where.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: where, namespace: default}\ndata: {cluster: "${cluster}"}\n',
  })
  const it = await hub()
  const join = async ({ name, kubeconfig }: { name: string; kubeconfig: string }) =>
    it.apply(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: 'default', labels: { env: 'prod', 'reconcile.fluxcd.io/watch': 'Enabled' } },
        stringData: { value: await readFile(kubeconfig, 'utf8') },
      }),
    )
  await it.apply(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: apps, namespace: default}
spec: {interval: 1h, url: '${apps.url}', ref: {branch: main}}
`)
  await join(east)
  await it.apply(fleet)
  const where = (it: typeof east) =>
    it.kubectl('get', 'configmap', 'where', '--ignore-not-found', '-o', 'jsonpath={.data.cluster}')
  await eventually(async () => assert.equal(await where(east), 'east'))
  await it.kubectl('wait', 'resourceset/fleet', '--for=condition=ready', '--timeout=60s')
  await join(west)
  await eventually(async () => assert.equal(await where(west), 'west'))
  const { items } = await it.get<{ items: KubernetesObject[] }>('kustomizations')
  assert.deepEqual(
    items.map(({ metadata }) => metadata.name),
    ['apps-east', 'apps-west'],
  )
})

test('1,000 inputs with three resources each are applied in seconds, and one that changes touches its own only', async t => {
  const it = await hub()
  const inputs = (changed?: number) =>
    Array.from({ length: 1000 }, (_, n) => ({ tenant: `t${n}`, n: n === changed ? -1 : n }))
  const set = (changed?: number) => ({
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { name: 'many', namespace: 'default' },
    spec: {
      inputs: inputs(changed),
      resources: ['a', 'b', 'c'].map(name => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `${name}-<< inputs.tenant >>`, namespace: 'default' },
        data: { n: '<< inputs.n | quote >>' },
      })),
    },
  })
  const applied = async (changed?: number): Promise<number> => {
    const start = performance.now()
    await it.kubectl('apply', '--server-side', '-f', await manifest(it.dataDirectory, set(changed)))
    await it.kubectl('wait', 'resourceset/many', '--for=condition=ready', '--timeout=120s')
    await eventually(
      async () => {
        const { metadata, status } = await it.get<ResourceSet>('resourceset', 'many')
        const ready = status?.conditions?.find(({ type }) => type === 'Ready')
        assert.equal(ready?.status, 'True')
        assert.equal(ready.observedGeneration, metadata.generation)
      },
      { within: 120_000 },
    )
    return performance.now() - start
  }
  const first = await applied()
  const count = async () =>
    (await it.kubectl('get', 'configmaps', '-o', 'name'))
      .trim()
      .split('\n')
      .filter(name => /[abc]-t/.test(name)).length
  assert.equal(await count(), 3000)
  const second = await applied(7)
  const versions = await it.kubectl(
    'get',
    'configmaps',
    '-o',
    'jsonpath={range .items[?(@.data.n=="-1")]}{.metadata.name} {end}',
  )
  assert.equal(versions, 'a-t7 b-t7 c-t7 ')
  t.diagnostic(`3,000 objects in ${(first / 1000).toFixed(1)} s; one input changed in ${(second / 1000).toFixed(1)} s`)
  assert.ok(first < 120_000 && second < first)
})

const manifest = async (directory: string, object: object): Promise<string> => {
  const { writeFile } = await import('node:fs/promises')
  const path = `${directory}/manifest.json`
  await writeFile(path, JSON.stringify(object))
  return path
}
