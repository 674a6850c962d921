import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { clusters } from '../../../../lib/clusters/client/clusters.ts'
import { eksAccess, eksClusterOf } from '../../../../lib/clusters/client/eks-access.ts'
import type { ClusterAccess } from '../../../../lib/clusters/client/kubeconfig.ts'
import { namedClusterOf } from '../../../../lib/clusters/client/kubeconfig-config-map.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { FetchInit } from '../../../../lib/platform/cloud/send-request.ts'
import { certificateAuthority } from '../../../bed/certificates.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

const host = 'ABC123.gr7.eu-west-1.eks.amazonaws.com'
const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/prod'
const own = { accessKeyId: 'AKIAOWN', secretAccessKey: 's' }

const assumed = `<AssumeRoleResponse><AssumeRoleResult><Credentials><AccessKeyId>AKIAROLE</AccessKeyId>
<SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-01-01T01:00:00Z</Expiration>
</Credentials></AssumeRoleResult></AssumeRoleResponse>`

interface Cluster {
  readonly endpoint?: string
  /** PEM. */
  readonly authority?: string
  readonly isEksHost?: (host: string) => boolean
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

/** AWS as far as it is asked: it takes notes of that. */
const world = (cluster: Cluster = {}) => {
  const { endpoint = `https://${host}`, authority = 'PEM', isEksHost } = cluster
  const clock = manualClock()
  const asked: { url: string; init: FetchInit }[] = []
  const fetch = async (url: string, init: FetchInit) => {
    asked.push({ url, init })
    const described = { cluster: { endpoint, certificateAuthority: { data: base64(authority) } } }
    const text = url.includes('/clusters/') ? JSON.stringify(described) : assumed
    return {
      status: 200,
      headers: new Headers(),
      body: new Blob([text]).stream() as AsyncIterable<Uint8Array> & ReadableStream,
    }
  }
  const eks = eksAccess({ fetch, clock, identity: async () => own, environment: {}, ...(isEksHost && { isEksHost }) })
  return { clock, asked, eks }
}

const access = (more: Partial<ClusterAccess> = {}): ClusterAccess => ({
  server: `https://${host}`,
  insecureSkipTlsVerify: false,
  warnings: [],
  ...more,
})

const urlIn = (token: string) => new URL(Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString())

test('makes tokens of its own identity, in the region of the address, without requests to AWS, and renews them in time', async () => {
  const { eks, asked, clock } = world()
  const token = eks.tokens({ clusterName: 'prod' }, access())
  const first = await token()
  const url = urlIn(first)
  assert.equal(url.host, 'sts.eu-west-1.amazonaws.com')
  assert.match(url.searchParams.get('X-Amz-Credential')!, /^AKIAOWN\/20260101\/eu-west-1\/sts\//)
  assert.match(url.searchParams.get('X-Amz-SignedHeaders')!, /x-k8s-aws-id/)
  assert.equal(await token(), first)
  await clock.advance(14 * 60_000)
  assert.notEqual(await token(), first)
  assert.deepEqual(asked, [])
})

test('takes a role once for all clusters that want it', async () => {
  const { eks, asked } = world()
  const roleArn = 'arn:aws:iam::210987654321:role/deployer'
  for (const clusterName of ['a', 'b']) {
    const token = await eks.tokens({ clusterName, roleArn, externalId: 'x' }, access())()
    assert.match(urlIn(token).searchParams.get('X-Amz-Credential')!, /^AKIAROLE\//)
  }
  assert.equal(asked.length, 1)
  assert.match(asked[0]!.init.body!, /RoleArn=arn%3Aaws%3Aiam%3A%3A210987654321%3Arole%2Fdeployer.*ExternalId=x/)
})

test('presents its identity to EKS only, whatever the kubeconfig', () => {
  const { eks } = world()
  const login = { clusterName: 'prod', region: 'eu-west-1' }
  const elsewhere = [
    'https://evil.example.com',
    'https://eks.amazonaws.com.evil.example.com',
    'https://evil.com/x.eu-west-1.eks.amazonaws.com',
    `http://${host}`,
    'https://10.0.0.1',
  ]
  for (const server of elsewhere) assert.throws(() => eks.tokens(login, access({ server })), /sent to EKS only/, server)
  for (const more of [{ proxyUrl: 'http://evil' }, { tlsServerName: 'evil' }, { insecureSkipTlsVerify: true }])
    assert.throws(() => eks.tokens(login, access(more)), /sent to EKS only/)
})

test('KS-228 finds a cluster by its ARN, with as few requests as possible', async () => {
  const cluster = { arn, region: 'eu-west-1', name: 'prod' }
  const { eks, asked } = world()
  assert.deepEqual(await eks.find(cluster, {}), { address: `https://${host}`, certificateAuthority: 'PEM' })
  assert.equal(asked[0]!.url, 'https://eks.eu-west-1.amazonaws.com/clusters/prod')
  assert.match(asked[0]!.init.headers.authorization!, /Credential=AKIAOWN\/20260101\/eu-west-1\/eks\//)
  assert.deepEqual(await eks.find(cluster, { address: host, certificateAuthority: 'CA' }), {
    address: `https://${host}`,
    certificateAuthority: 'CA',
  })
  assert.equal(asked.length, 1)
  await assert.rejects(eks.find(cluster, { address: 'https://evil.example.com', certificateAuthority: 'CA' }), {
    name: 'KubeconfigError',
    message: `EKS endpoint 'https://${host}' does not match specified address: 'https://evil.example.com'`,
  })
})

const configMap = (data: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'apps', name: 'target' },
  data,
})

test('KS-228 reads the keys that Flux reads, and says which one is wrong', () => {
  assert.deepEqual(namedClusterOf(configMap({ provider: 'aws', cluster: arn, address: host, 'ca.crt': 'PEM' })), {
    ...{ provider: 'aws', cluster: arn, namespace: 'apps', audiences: [], at: 'configmap apps/target' },
    known: { address: host, certificateAuthority: 'PEM' },
  })
  assert.deepEqual(eksClusterOf(arn, 'here'), { arn, region: 'eu-west-1', name: 'prod' })
  assert.throws(
    () => eksClusterOf('prod', 'here'),
    /^KubeconfigError: here: invalid EKS cluster ARN: 'prod'\. must match \^arn:aws/,
  )
  const wrong: [Record<string, string>, RegExp][] = [
    [
      { provider: 'other' },
      /^KubeconfigError: provider 'other' not implemented \(from configmap apps\/target: it must be one of aws,/,
    ],
    [{ provider: 'aws', cluster: arn, serviceAccountName: 'x' }, /serviceAccountName is not supported/],
  ]
  for (const [data, message] of wrong) assert.throws(() => namedClusterOf(configMap(data)), message)
})

test('a hub without an AWS identity says so', async () => {
  const remotes = clusters({ clock: manualClock() })
  await assert.rejects(remotes.fromConfigMap(configMap({ provider: 'aws', cluster: arn })), {
    message: 'EKS requires an AWS identity, and this hub has none: use a token',
  })
  await remotes.close()
})

test('KS-228 shows a fresh token to the cluster that AWS names, under the authority that AWS names', async () => {
  const authority = certificateAuthority()
  const seen: string[] = []
  const server = createServer(authority.issue('eks'), (request, response) => {
    seen.push(request.headers.authorization ?? '')
    response.setHeader('content-type', 'application/json').end('{"kind":"ConfigMap","apiVersion":"v1","metadata":{}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const endpoint = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { eks, clock } = world({ endpoint, authority: authority.ca, isEksHost: name => name === '127.0.0.1' })
  const remotes = clusters({ clock, eks })
  try {
    const get = async () => {
      const cluster = await remotes.fromConfigMap(configMap({ provider: 'aws', cluster: arn }))
      await cluster.get('v1', { group: '', kind: 'ConfigMap', namespace: 'a', name: 'b' }).catch(() => {})
    }
    await get()
    await clock.advance(14 * 60_000)
    await get()
  } finally {
    await remotes.close()
    server.close()
    server.closeAllConnections()
  }
  const tokens = new Set(seen)
  assert.equal(tokens.size, 2)
  for (const token of tokens) assert.equal(urlIn(token.slice('Bearer '.length)).host, 'sts.eu-west-1.amazonaws.com')
})
