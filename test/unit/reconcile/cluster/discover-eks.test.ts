/** EKS clusters of accounts and regions become Clusters: against a server that speaks AWS' shapes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eksDirectory } from '../../../../lib/clusters/client/eks-directory.ts'
import { namedClusterOf } from '../../../../lib/clusters/client/kubeconfig-config-map.ts'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Fetch } from '../../../../lib/platform/cloud/send-request.ts'
import { discoverEksClusters } from '../../../../lib/reconcile/cluster/discover-eks.ts'
import { type EksServer, eksServer } from '../../../bed/eks-server.ts'
import { openWorld } from '../world.ts'

const author = { fieldManager: 'someone' }
const own = { account: '111111111111', region: 'eu-west-1' }
const other = { account: '222222222222', region: 'us-east-1' }
const roleArn = 'arn:aws:iam::222222222222:role/keelson-discovery'
const accounts = `
- regions: [eu-west-1]
- regions: [us-east-1, eu-west-1]
  roleArn: ${roleArn}
  externalId: shared
`

const story = async (
  annotation: string | undefined,
  tell: (
    world: Awaited<ReturnType<typeof openWorld>> & {
      readonly aws: EksServer
      readonly errors: string[]
      discover(): Promise<void>
      clusters(): Promise<Readonly<Record<string, Readonly<Record<string, string>>>>>
    },
  ) => Promise<void>,
) => {
  await using aws = await eksServer()
  aws.roles.set(roleArn, 'shared')
  const world = await openWorld(() => [])
  try {
    const annotations: Record<string, string> =
      annotation === undefined ? {} : { 'keelson.dev/discover-eks': annotation }
    await world.hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet', annotations } }, author)
    const clock = { now: Date.now, sleep: async () => {} }
    const eks = eksDirectory({
      ...{ clock, fetch: fetch as unknown as Fetch, environment: { AWS_ENDPOINT_URL: aws.url } },
      identity: async () => ({ accessKeyId: 'AKIAOWN', secretAccessKey: 's' }),
    })
    const errors: string[] = []
    const log = {
      info: () => {},
      error: (message: string, fields: object = {}) => void errors.push(`${message} ${JSON.stringify(fields)}`),
    }
    await tell({
      ...{ ...world, aws, errors },
      discover: () => discoverEksClusters({ hub: world.hub, log, eks }),
      clusters: async () => {
        const { items } = await world.hub.list<Cluster>({ group: 'fleet.keelson.dev', kind: 'Cluster' })
        return Object.fromEntries(
          items.map(({ metadata }) => [`${metadata.namespace}/${metadata.name}`, metadata.labels ?? {}]),
        )
      },
    })
  } finally {
    await world.close()
  }
}

const where = (name: string, { account, region }: typeof own) => ({
  'fleet.keelson.dev/eks-cluster': name,
  'fleet.keelson.dev/account': account,
  'topology.kubernetes.io/region': region,
})

test('CL-008 clusters of each account and region become Clusters with their tags as labels, over all pages, through throttling', () =>
  story(accounts, async ({ aws, hub, discover, clusters, errors }) => {
    aws.clusters = [
      { ...own, name: 'Prod_1', tags: { env: 'prod', 'Cost Center': 'R&D / 7', 'aws:cloudformation:stack': 'x' } },
      ...['a', 'b', 'c', 'd'].map(name => ({ ...own, name })),
      { ...other, name: 'prod', tags: { 'kustomize.toolkit.fluxcd.io/name': 'fake' } },
      { ...other, name: 'soon', status: 'CREATING' },
    ]
    aws.throttle = 2
    await discover()
    assert.deepEqual(errors, [])
    assert.deepEqual(await clusters(), {
      'fleet/prod-1-eu-west-1-111111111111': {
        ...{ env: 'prod', 'Cost-Center': 'R-D---7' },
        ...where('Prod_1', own),
      },
      ...Object.fromEntries(
        ['a', 'b', 'c', 'd'].map(name => [`fleet/${name}-eu-west-1-111111111111`, where(name, own)]),
      ),
      'fleet/prod-us-east-1-222222222222': where('prod', other),
    })
    assert.equal(aws.requests.filter(request => request === 'ListClusters eu-west-1 as AKIAOWN').length, 3, 'pages')
    assert.ok(aws.requests.includes(`AssumeRole ${roleArn} shared`))
    // The access is one that units can use, and needs no DescribeCluster with the hub's own identity.
    const name = 'prod-us-east-1-222222222222'
    const access = await hub.get<KubernetesObject>({ group: '', kind: 'ConfigMap', namespace: 'fleet', name })
    const { provider, cluster, known } = namedClusterOf(access!)
    assert.deepEqual([provider, cluster], ['aws', 'arn:aws:eks:us-east-1:222222222222:cluster/prod'])
    assert.deepEqual(known, {
      address: 'https://PROD.gr7.us-east-1.eks.amazonaws.com',
      certificateAuthority: 'authority of prod',
    })
    const found = await hub.get<Cluster>({ group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'fleet', name })
    assert.deepEqual(found?.spec.kubeConfig, { configMapRef: { name } })
  }))

test('what is unchanged is not written again; a changed tag is followed, labels and fields of users stay', () =>
  story(accounts, async ({ aws, hub, discover, clusters }) => {
    aws.clusters = [{ ...own, name: 'a', tags: { env: 'test' } }]
    await discover()
    const ref = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'fleet', name: 'a-eu-west-1-111111111111' }
    const patch = { metadata: { labels: { mine: 'yes' } }, spec: { suspend: true } }
    await hub.patch(ref, { type: 'merge', patch }, author)
    const before = await hub.get<Cluster>(ref)
    await discover()
    assert.equal((await hub.get<Cluster>(ref))?.metadata.resourceVersion, before?.metadata.resourceVersion)
    aws.clusters = [{ ...own, name: 'a', tags: { stage: 'two' } }]
    await discover()
    assert.deepEqual((await clusters())['fleet/a-eu-west-1-111111111111'], {
      mine: 'yes',
      stage: 'two',
      ...where('a', own),
    })
    assert.equal((await hub.get<Cluster>(ref))?.spec.suspend, true)
  }))

test('CL-008 one that vanishes is marked, never deleted, and unmarked when it is back; a list that fails marks nothing', () =>
  story(accounts, async ({ aws, discover, clusters, errors }) => {
    aws.clusters = [
      { ...own, name: 'a' },
      { ...other, name: 'b' },
    ]
    await discover()
    const marks = async () =>
      Object.fromEntries(
        Object.entries(await clusters()).map(([name, labels]) => [name, labels['keelson.dev/vanished']]),
      )
    const [a, b] = ['fleet/a-eu-west-1-111111111111', 'fleet/b-us-east-1-222222222222'] as const
    assert.deepEqual(await marks(), { [a]: undefined, [b]: undefined })
    aws.clusters = []
    aws.denied = 'ROLE222222222222'
    await discover()
    assert.deepEqual(await marks(), { [a]: 'true', [b]: undefined }, 'b could not be read')
    assert.match(errors[0] ?? '', /us-east-1.*ListClusters in us-east-1: .* returned 403/)
    aws.denied = undefined
    aws.clusters = [{ ...own, name: 'a' }]
    await discover()
    assert.deepEqual(await marks(), { [a]: undefined, [b]: 'true' })
    // A role that may no longer be assumed, and one that throttles for good.
    aws.clusters = [{ ...other, name: 'b' }]
    aws.roles.clear()
    aws.throttle = 1000
    errors.length = 0
    await discover()
    assert.deepEqual(await marks(), { [a]: undefined, [b]: 'true' })
    assert.equal(errors.length, 3)
    assert.match(
      errors[1] ?? '',
      /AssumeRole of arn:aws:iam::222222222222:role\/keelson-discovery: .* returned 403 AccessDenied/,
    )
  }))

test('it is off by default, tags select, and an annotation that can not be understood does nothing but say so', async () => {
  await story(undefined, async ({ aws, discover, clusters }) => {
    aws.clusters = [{ ...own, name: 'a' }]
    await discover()
    assert.deepEqual([await clusters(), aws.requests], [{}, []])
  })
  await story('- {regions: [eu-west-1], tags: {env: prod}}', async ({ aws, discover, clusters }) => {
    aws.clusters = [
      { ...own, name: 'a', tags: { env: 'prod' } },
      { ...own, name: 'b', tags: { env: 'test' } },
    ]
    await discover()
    assert.deepEqual(Object.keys(await clusters()), ['fleet/a-eu-west-1-111111111111'])
  })
  for (const [text, problem] of [
    ['- {regions: [everywhere]}', /accounts\[0\]\.regions\[0\]/],
    ['- {roleArn: x, regions: [eu-west-1]}', /accounts\[0\]\.roleArn/],
    ['regions: []', /must be a list of accounts with regions/],
  ] as const)
    await story(text, async ({ aws, discover, errors }) => {
      await discover()
      assert.deepEqual(aws.requests, [])
      assert.match(errors[0] ?? '', problem)
      assert.match(errors[0] ?? '', /annotation keelson.dev\/discover-eks of Namespace fleet/)
    })
})

test('a Cluster of the same name that somebody made is left alone', () =>
  story(accounts, async ({ aws, hub, discover, clusters }) => {
    aws.clusters = [{ ...own, name: 'a', tags: { env: 'prod' } }]
    const name = 'a-eu-west-1-111111111111'
    const spec = { kubeConfig: { secretRef: { name: 'mine' } } }
    await hub.create(
      { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Cluster', metadata: { name, namespace: 'fleet' }, spec },
      author,
    )
    await discover()
    assert.deepEqual(await clusters(), { [`fleet/${name}`]: {} })
  }))
