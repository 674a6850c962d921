import assert from 'node:assert/strict'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { eventually, type Patience } from './eventually.ts'

/** A user of a hub, with kubectl. */
export interface HubUser {
  kubectl(...args: string[]): Promise<string>
  apply(manifests: string): Promise<unknown>
  get<T = unknown>(...args: string[]): Promise<T>
}

const resourceSet = (name: string, spec: object): string =>
  JSON.stringify({
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { name, namespace: 'default' },
    spec,
  })

interface Tenant {
  readonly tenant: string
  readonly version: string
  readonly replicas: number
}

/** An application for each tenant, in the shape that flux-operator's documentation shows. */
const podinfo = (...tenants: readonly Tenant[]): string =>
  resourceSet('podinfo', {
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
  })

const team1 = { tenant: 'team1', version: '6.7.x', replicas: 2 }
const team2 = { tenant: 'team2', version: '6.6.x', replicas: 3 }

/** The example of the documentation becomes its objects; what leaves it goes, and all when it is deleted. */
export const becomesItsObjects = async (it: HubUser, patience: Patience): Promise<void> => {
  await it.apply(podinfo(team1, team2))
  await it.kubectl('wait', 'resourceset/podinfo', '--for=condition=ready', '--timeout=5m')

  const [header, row] = (await it.kubectl('get', 'resourceset', 'podinfo')).trim().split('\n') as [string, string]
  assert.match(header, /^NAME +AGE +READY +STATUS$/)
  assert.match(row, /^podinfo +\S+ +True +Reconciliation finished in \S+$/)
  const replicas = '{range .items[*]}{.metadata.name} {.spec.values.replicaCount}{"\\n"}{end}'
  await eventually(async () => {
    const listed = await it.kubectl('get', 'helmreleases', '-o', `jsonpath=${replicas}`)
    assert.equal(listed, 'podinfo-team1 2\npodinfo-team2 3\n')
  }, patience)
  const ofApp = ['-l', 'app.kubernetes.io/name=podinfo']
  const versions = await it.kubectl(
    ...['get', 'ocirepositories', ...ofApp, '-o', 'jsonpath={range .items[*]}{.spec.ref.semver} {end}'],
  )
  assert.equal(versions, '6.7.x 6.6.x ')
  await eventually(async () => {
    const events = await it.kubectl('events', '--for', 'resourceset/podinfo')
    for (const kind of ['HelmRelease', 'OCIRepository'])
      for (const tenant of ['team1', 'team2'])
        assert.match(events, new RegExp(`${kind}/default/podinfo-${tenant} created`))
  }, patience)

  await it.apply(podinfo(team2))
  const left = () => it.kubectl('get', 'helmreleases,ocirepositories', ...ofApp, '-o', 'name')
  await eventually(async () => {
    assert.equal(
      await left(),
      'helmrelease.helm.toolkit.fluxcd.io/podinfo-team2\nocirepository.source.toolkit.fluxcd.io/podinfo-team2\n',
    )
  }, patience)
  await it.kubectl('delete', 'resourceset', 'podinfo', '--timeout=5m')
  // A source goes when its own finalizer has cleared away the artifacts.
  await eventually(async () => assert.equal(await left(), ''), patience)
}

/** Three objects for each input; each input's `n` is its number, or what `changed` says. */
const many = (inputs: readonly number[], changed: Readonly<Record<number, number>> = {}): string =>
  resourceSet('many', {
    commonMetadata: { labels: { of: 'many' } },
    inputs: inputs.map(n => ({ tenant: `t${n}`, n: changed[n] ?? n })),
    resources: ['a', 'b', 'c'].map(name => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `${name}-<< inputs.tenant >>`, namespace: 'default' },
      data: { n: '<< inputs.n | quote >>' },
    })),
  })

export interface ManyInputsTimes {
  /** Seconds until all objects were there, those of the changed input were changed, and those of the removed one gone. */
  readonly first: number
  readonly changed: number
  readonly removed: number
}

/** So many inputs become three objects each; one that changes, and one that goes, touch their own objects only. */
export const touchesWhatChangedOnly = async (
  it: HubUser,
  count: number,
  patienceMs: number,
): Promise<ManyInputsTimes> => {
  const all = Array.from({ length: count }, (_, n) => n)
  const applied = async (manifest: string): Promise<number> => {
    const start = performance.now()
    await it.apply(manifest)
    // Of the generation that was applied, which kubectl checks, too. Each poll costs more with more objects.
    await it.kubectl('wait', 'resourceset/many', '--for=condition=ready', `--timeout=${patienceMs / 1000}s`)
    return (performance.now() - start) / 1000
  }
  /** How often each object has been written: its version. */
  const versions = async (): Promise<ReadonlyMap<string, string>> => {
    const { items } = await it.get<{ readonly items: readonly KubernetesObject[] }>('configmaps', '-l', 'of=many')
    return new Map(items.map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? '']))
  }
  const first = await applied(many(all))
  const before = await versions()
  assert.equal(before.size, 3 * count)

  const changed = await applied(many(all, { 7: -1 }))
  const after = await versions()
  const written = [...after].filter(([name, version]) => before.get(name) !== version).map(([name]) => name)
  assert.deepEqual(written.sort(), ['a-t7', 'b-t7', 'c-t7'])
  assert.equal(await it.kubectl('get', 'configmap', 'b-t7', '-o', 'jsonpath={.data.n}'), '-1')

  const without = all.filter(n => n !== 3)
  const removed = await applied(many(without, { 7: -1 }))
  const left = new Map([...after].filter(([name]) => !name.endsWith('-t3')))
  assert.deepEqual(await versions(), left)
  return { first, changed, removed }
}

/** For each tenant an account, and a Kustomization that acts as it. */
const accounts = (...tenants: readonly string[]): string =>
  resourceSet('accounts', {
    inputs: tenants.map(tenant => ({ tenant })),
    resources: [
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: '<< inputs.tenant >>', namespace: 'default' } },
      {
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name: '<< inputs.tenant >>', namespace: 'default' },
        spec: {
          interval: '1h',
          prune: true,
          suspend: true,
          serviceAccountName: '<< inputs.tenant >>',
          sourceRef: { kind: 'GitRepository', name: 'apps' },
        },
      },
    ],
  })

/** Of an input that goes the Flux objects are deleted first; the account that they act as stays until they are gone. */
export const collectsInStages = async (it: HubUser, patience: Patience): Promise<void> => {
  await it.apply(accounts('blue', 'green'))
  await it.kubectl('wait', 'resourceset/accounts', '--for=condition=ready', '--timeout=5m')
  const holding = (finalizers: readonly string[]) => JSON.stringify({ metadata: { finalizers } })
  await it.kubectl('patch', 'kustomization', 'green', '--type=merge', '-p', holding(['example.com/hold']))
  await it.apply(accounts('blue'))
  const deletion = 'jsonpath={.metadata.deletionTimestamp}'
  await eventually(
    async () => assert.notEqual(await it.kubectl('get', 'kustomization', 'green', '-o', deletion), ''),
    patience,
  )
  const left = () =>
    it.kubectl('get', 'serviceaccounts,kustomizations', 'blue', 'green', '--ignore-not-found', '-o', 'name')
  const [account, kustomization] = ['serviceaccount', 'kustomization.kustomize.toolkit.fluxcd.io']
  const both = ['blue', 'green']
    .map(name => `${account}/${name}`)
    .concat(['blue', 'green'].map(name => `${kustomization}/${name}`))
  assert.equal(await left(), `${both.join('\n')}\n`)
  assert.equal(await it.kubectl('get', 'serviceaccount', 'green', '-o', deletion), '')

  await it.kubectl('patch', 'kustomization', 'green', '--type=merge', '-p', holding([]))
  await eventually(async () => assert.equal(await left(), `${account}/blue\n${kustomization}/blue\n`), patience)
}
