/** ClusterProfiles: Keelson's own for others, and those of others for Keelson. The clusters are hubs, whose API is that of Kubernetes. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { execExtension } from '../../lib/clusters/client/cluster-profile.ts'
import { parseKubeconfig } from '../../lib/clusters/client/kubeconfig.ts'
import { portableKubeconfig } from '../../lib/clusters/client/portable-kubeconfig.ts'
import type { Cluster } from '../../lib/foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { clusterInventory } from '../bed/cluster-inventory.ts'
import { eventually } from '../bed/eventually.ts'
import { type Hub, hub } from '../bed/hub.ts'

type Fields = Readonly<Record<string, unknown>>
type Profile = KubernetesObject & { readonly spec: Fields; readonly status?: Fields }

const inventory = 'multicluster.x-k8s.io/v1alpha1'

const document = (...objects: readonly object[]): string =>
  objects.map(object => JSON.stringify(object)).join('\n---\n')

const secret = (name: string, stringData: object) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default' },
  stringData,
})

const clusterOf = (name: string, spec: object, labels: object = {}) => ({
  apiVersion: 'fleet.keelson.dev/v1alpha1',
  kind: 'Cluster',
  metadata: { name, namespace: 'default', labels },
  spec: { interval: '1s', ...spec },
})

const profileOf = (name: string, labels: object = {}) => ({
  apiVersion: inventory,
  kind: 'ClusterProfile',
  metadata: { name, namespace: 'default', labels },
  spec: { clusterManager: { name: 'ocm' } },
})

/** A hub that knows the kinds of the inventory, and another one that is its cluster. */
const scene = async () => {
  const [on, target] = await Promise.all([hub({ flags: ['--prune-guard=off'] }), hub()])
  await on.apply(clusterInventory)
  await eventually(() => on.kubectl('get', 'clusterprofiles,placementdecisions').then(() => true))
  const { text } = portableKubeconfig(readFileSync(target.kubeconfig, 'utf8'), {})
  const { server, token = '', certificateAuthority = '' } = parseKubeconfig(text)
  const authority = Buffer.from(certificateAuthority).toString('base64')
  return { on, target, text, server, token, authority }
}

type Scene = Awaited<ReturnType<typeof scene>>

const profile = (on: Hub, name: string): Promise<Profile> => on.get<Profile>('clusterprofile', name)

/** The cluster manager says how the cluster of a profile is reached. */
const publish = async ({ on, server, authority }: Scene, name: string, provider: string, config: object) => {
  const cluster = {
    server,
    'certificate-authority-data': authority,
    extensions: [{ name: execExtension, extension: config }],
  }
  const status = { accessProviders: [{ name: provider, cluster }] }
  await on.kubectl(
    'patch',
    'clusterprofile',
    name,
    '--subresource=status',
    '--type=merge',
    '-p',
    JSON.stringify({ status }),
  )
}

const readyOf = async (on: Hub, name: string): Promise<string> => {
  const { status } = await on.get<Cluster>('cluster', name)
  const { reason, message } = status?.conditions?.find(({ type }) => type === 'Ready') ?? {}
  return `${reason}: ${message}`
}

test('CL-006 a Cluster is published with its labels, version and health, and with where its credential is, never the credential', async () => {
  const at = await scene()
  const { on, target, text, server, token, authority } = at
  await on.apply(
    document(
      profileOf('theirs'),
      secret('prod', { value: text }),
      clusterOf('prod', { kubeConfig: { secretRef: { name: 'prod' } } }, { env: 'prod' }),
    ),
  )
  await on.apply(document(clusterOf('theirs', { kubeConfig: { secretRef: { name: 'prod' } } })))
  const published = await eventually(async () => {
    const found = await profile(on, 'prod')
    assert.ok(found.status)
    return found
  })
  assert.deepEqual(published.metadata.labels, { env: 'prod', 'x-k8s.io/cluster-manager': 'keelson' })
  assert.deepEqual(published.spec, { displayName: 'prod', clusterManager: { name: 'keelson' } })
  const { conditions, ...rest } = published.status as { conditions: readonly Fields[] }
  assert.deepEqual(
    conditions.map(({ type, status }) => [type, status]),
    [['ControlPlaneHealthy', 'True']],
  )
  const { gitVersion } = JSON.parse(await target.kubectl('get', '--raw', '/version'))
  const extension = { name: 'prod', namespace: 'default', key: 'value' }
  assert.deepEqual(rest, {
    version: { kubernetes: gitVersion },
    accessProviders: [
      {
        name: 'kubeconfig-secretreader',
        cluster: { server, 'certificate-authority-data': authority, extensions: [{ name: execExtension, extension }] },
      },
    ],
  })
  assert.ok(token && !JSON.stringify(published).includes(token))

  await eventually(async () => assert.match(await readyOf(on, 'theirs'), /^ClusterReady/))
  assert.equal((await profile(on, 'theirs')).status, undefined, "another manager's profile is left alone")

  await on.kubectl('label', 'cluster', 'prod', 'env-', 'tier=gold')
  await eventually(async () =>
    assert.deepEqual((await profile(on, 'prod')).metadata.labels, {
      tier: 'gold',
      'x-k8s.io/cluster-manager': 'keelson',
    }),
  )
  const before = (await profile(on, 'prod')).metadata.resourceVersion
  await target.stop()
  await eventually(async () => {
    const { conditions } = (await profile(on, 'prod')).status as { conditions: readonly Fields[] }
    assert.deepEqual([conditions[0]?.status, conditions[0]?.reason], ['False', 'ClusterUnreachable'])
  })
  assert.notEqual((await profile(on, 'prod')).metadata.resourceVersion, before)

  await on.kubectl('delete', 'cluster', 'prod')
  await eventually(async () =>
    assert.equal(await on.kubectl('get', 'clusterprofile', 'prod', '--ignore-not-found'), ''),
  )
})

test('CL-005 a Cluster of a ClusterProfile is reached by the access providers that are built in, and others are refused by name', async () => {
  const at = await scene()
  const { on, text, token } = at
  await on.apply(document(profileOf('spoke'), clusterOf('spoke', { clusterProfileRef: { name: 'spoke' } })))
  await eventually(async () =>
    assert.match(await readyOf(on, 'spoke'), /ClusterProfile default\/spoke has no access provider yet/),
  )

  await publish(at, 'spoke', 'open-cluster-management', {})
  await eventually(async () =>
    assert.match(
      await readyOf(on, 'spoke'),
      /none of its access providers is supported \('open-cluster-management'\): use /,
    ),
  )
  await publish(at, 'spoke', 'kubeconfig-secretreader', { name: 'creds', key: 'config', namespace: 'kube-system' })
  await eventually(async () => assert.match(await readyOf(on, 'spoke'), /must be in the profile's own namespace/))

  await on.apply(document(secret('creds', { config: text, token })))
  await publish(at, 'spoke', 'kubeconfig-secretreader', { name: 'creds', key: 'config' })
  await eventually(async () => assert.match(await readyOf(on, 'spoke'), /^ClusterReady/))
  const { status } = await on.get<Cluster>('cluster', 'spoke')
  assert.deepEqual(status?.kubeConfig, { secretRef: { name: 'spoke-access', key: 'value' } })

  await on.apply(document(secret('spoke2', { token })))
  await publish(at, 'spoke', 'secretreader', { clusterName: 'spoke2' })
  await eventually(async () => assert.match(await readyOf(on, 'spoke'), /^ClusterReady/))
  await publish(at, 'spoke', 'aws', { cluster: 'arn:aws:eks:eu-west-1:123456789012:cluster/spoke' })
  await eventually(async () => {
    const map = await on.get<KubernetesObject & { data: Fields }>('configmap', 'spoke-access')
    assert.deepEqual([map.data.provider, map.data.cluster], ['aws', 'arn:aws:eks:eu-west-1:123456789012:cluster/spoke'])
  })
})

const fleet = (selectors: readonly object[]) => [
  {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSetInputProvider',
    metadata: {
      name: 'clusters',
      namespace: 'default',
      annotations: { 'fluxcd.controlplane.io/reconcileEvery': '1s' },
    },
    spec: { type: 'Clusters', selectors },
  },
  {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: {
      name: 'clusters',
      namespace: 'default',
      annotations: { 'fluxcd.controlplane.io/reconcileEvery': '1s' },
    },
    spec: {
      inputsFrom: [{ kind: 'ResourceSetInputProvider', name: 'clusters' }],
      resources: [
        {
          ...clusterOf('<< inputs.name >>', { clusterProfileRef: { name: '<< inputs.clusterProfile >>' } }),
          metadata: { name: '<< inputs.name >>', namespace: 'default' },
        },
      ],
    },
  },
]

const clustersOf = async (on: Hub): Promise<string> =>
  on.kubectl('get', 'clusters', '-o', 'jsonpath={.items[*].metadata.name}')

test('CL-004 ClusterProfiles and PlacementDecisions choose clusters, and an access that goes away takes none of them', async () => {
  const at = await scene()
  const { on, text } = at
  await on.apply(
    document(
      secret('creds', { config: text }),
      ...['a', 'b', 'c'].map(name => profileOf(name, { env: name === 'c' ? 'dev' : 'prod' })),
    ),
  )
  for (const name of ['a', 'b']) await publish(at, name, 'kubeconfig-secretreader', { name: 'creds', key: 'config' })
  await on.apply(document(...fleet([{ kind: 'ClusterProfile', matchLabels: { env: 'prod' } }])))
  await eventually(async () => assert.equal(await clustersOf(on), 'a b'))
  for (const name of ['a', 'b']) await eventually(async () => assert.match(await readyOf(on, name), /^ClusterReady/))

  await publish(at, 'a', 'somebody-elses', {})
  await eventually(async () => assert.match(await readyOf(on, 'a'), /somebody-elses/))
  assert.equal(await clustersOf(on), 'a b')

  const decision = {
    apiVersion: inventory,
    kind: 'PlacementDecision',
    metadata: { name: 'web', namespace: 'default', labels: { 'multicluster.x-k8s.io/placement-key': 'web' } },
    decisions: [{ clusterProfileRef: { name: 'b' } }],
  }
  await on.apply(
    document(
      decision,
      ...fleet([{ kind: 'PlacementDecision', matchLabels: { 'multicluster.x-k8s.io/placement-key': 'web' } }]),
    ),
  )
  await eventually(async () => assert.equal(await clustersOf(on), 'b'))

  await on.kubectl('delete', 'clusterprofile', 'b')
  await on.kubectl('annotate', 'resourcesetinputprovider/clusters', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  await eventually(async () => assert.match(await readyOf(on, 'b'), /ClusterProfile default\/b not found/))
  assert.equal(await clustersOf(on), 'b', 'what a decision still names stays')
  await on.apply(document({ ...decision, decisions: [] }))
  await eventually(async () => assert.equal(await clustersOf(on), ''))
})
