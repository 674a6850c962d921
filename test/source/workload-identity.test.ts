import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { serviceAccountTokens } from '../../lib/hub/apiserver/identity/service-account-tokens.ts'
import { signingKey } from '../../lib/hub/apiserver/identity/signing-key.ts'
import { httpProxy } from '../bed/forward-proxy.ts'
import { endWithTest } from '../bed/teardown.ts'
import { wires } from '../bed/wires.ts'
import { type Asked, fakeCloud, formOf, jwtParts } from '../unit/platform/cloud/fake-cloud.ts'
import { shown } from '../unit/reconcile/world.ts'
import { filesLayer, group, minute, openRegistry } from './oci/oci-world.ts'
import { openSourceWorld } from './source-world.ts'

// The clouds' token services are stand-ins that answer as documented; registries, tokens and hub are real.

const issuer = 'https://hub.example'
const ecr = '123456789012.dkr.ecr.eu-west-1.amazonaws.com'
const role = 'arn:aws:iam::123456789012:role/puller'
const auth = { username: 'AWS', password: 'pass:word' }

const sts = (): { text: string } => ({
  text: '<r><AccessKeyId>ASIA1</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2999-01-01T00:00:00Z</Expiration></r>',
})
const ecrToken = () => ({
  json: {
    authorizationData: [
      { authorizationToken: btoa(`${auth.username}:${auth.password}`), expiresAt: Date.UTC(2999, 0) / 1000 },
    ],
  },
})

/** As if the authority were one of this machine's: what is shown to a cloud goes to servers that the machine itself trusts. */
const trust = (authority: string): void => setDefaultCACertificates([...getCACertificates('default'), authority])

interface Scene {
  readonly answers?: Readonly<Record<string, (asked: Asked) => { readonly json: unknown } | { readonly text: string }>>
  readonly tokenIssuer?: string
  readonly isEnabled?: boolean
  readonly routes?: Readonly<Record<string, number>>
}

/** A hub that reaches clouds, with a ServiceAccount `tenant`. */
const openScene = async ({ answers = {}, tokenIssuer, isEnabled = true, routes = {} }: Scene) => {
  const cloud = fakeCloud(answers)
  const proxy = endWithTest(await httpProxy(routes))
  const world = await openSourceWorld(
    ports => ({
      accounts: {
        cloud: { fetch: cloud.fetch, clock: ports.clock },
        ownAws: async () => ({ accessKeyId: 'AKIAHUB', secretAccessKey: 'x' }),
        region: 'eu-west-1',
      },
      tokens: serviceAccountTokens({ ...ports, key: signingKey(ports as never), issuer, maxExpirationMs: 3_600_000 }),
      connections: wires({ proxyFor: () => new URL(proxy.url) }),
    }),
    { objectLevelWorkloadIdentity: isEnabled, ...(tokenIssuer && { tokenIssuer }) },
  )
  const author = { fieldManager: 'author', force: true }
  const namespace = 'default'
  return {
    ...world,
    cloud,
    annotates: (annotations: Readonly<Record<string, string>>) =>
      world.hub.patch(
        { group: '', kind: 'ServiceAccount', namespace, name: 'tenant' },
        {
          type: 'apply',
          object: { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'tenant', namespace, annotations } },
        },
        author,
      ),
    applies: async (kind: string, spec: object): Promise<readonly string[]> => {
      const ref = { group, kind, namespace, name: 'app' }
      const object = {
        apiVersion: `${group}/v1`,
        kind,
        metadata: { name: 'app', namespace },
        spec: { interval: '10m', ...spec },
      }
      await world.hub.patch(ref, { type: 'apply', object }, author)
      await world.settle()
      return shown(await world.hub.get<KubernetesObject>(ref))
    },
  }
}

const artifact = { url: `oci://${ecr}/app`, provider: 'aws', serviceAccountName: 'tenant' }
const readyIn = (lines: readonly string[]) => lines.find(line => line.startsWith('Ready='))

test('OC-015: a registry sees the role of the ServiceAccount, for which its token was exchanged, once while it lasts', async () => {
  const registry = await openRegistry({ tls: true, auth, names: [ecr] })
  trust(registry.server.ca!)
  await registry.push({ layers: [filesLayer({ 'a.yaml': 'a: 1' })] }, 'app', 'latest')
  const routes = { [ecr]: Number(registry.server.host.split(':')[1]) }
  const answers = {
    'POST sts.eu-west-1.amazonaws.com/': sts,
    'POST api.ecr.eu-west-1.amazonaws.com/': ecrToken,
  }
  const { cloud, annotates, applies, advance } = await openScene({ answers, routes, tokenIssuer: issuer })
  await annotates({ 'eks.amazonaws.com/role-arn': role })
  assert.match(String(readyIn(await applies('OCIRepository', artifact))), /^Ready=True Succeeded/)
  const [exchanged, login] = cloud.asked as [Asked, Asked]
  const { Action, RoleArn, RoleSessionName, WebIdentityToken = '' } = formOf(exchanged)
  assert.deepEqual([Action, RoleArn, RoleSessionName], ['AssumeRoleWithWebIdentity', role, 'tenant.default'])
  const { sub, aud, iss } = jwtParts(WebIdentityToken).claims
  assert.deepEqual([sub, aud, iss], ['system:serviceaccount:default:tenant', ['sts.amazonaws.com'], issuer])
  assert.match(login.headers.get('authorization')!, /Credential=ASIA1\//)
  await advance(11 * minute)
  assert.equal(cloud.asked.length, 2)
  await annotates({ 'eks.amazonaws.com/role-arn': `${role}2` })
  await advance(11 * minute)
  assert.equal(formOf(cloud.asked[2]!).RoleArn, `${role}2`)
})

test('without an issuer that AWS can reach, the hub takes the role with the account as external ID', async () => {
  const answers = { 'POST sts.eu-west-1.amazonaws.com/': sts }
  const { cloud, annotates, applies } = await openScene({ answers })
  await annotates({ 'eks.amazonaws.com/role-arn': role })
  const bucket = {
    provider: 'aws',
    endpoint: 's3.test',
    bucketName: 'b',
    region: 'eu-west-1',
    serviceAccountName: 'tenant',
  }
  await applies('Bucket', bucket)
  const { Action, ExternalId } = formOf(cloud.asked[0]!)
  assert.deepEqual([Action, ExternalId], ['AssumeRole', 'system:serviceaccount:default:tenant'])
  assert.match(cloud.asked[0]!.headers.get('authorization')!, /Credential=AKIAHUB\//)
})

test('Azure DevOps and buckets of Google see the ServiceAccount too', async () => {
  const entra = 'POST login.microsoftonline.com/tenant-1/oauth2/v2.0/token'
  const answers = {
    [entra]: () => ({ json: { access_token: 'entra', expires_in: 3600 } }),
    'POST sts.googleapis.com/v1/token': () => ({ json: { access_token: 'google', expires_in: 3600 } }),
  }
  const { cloud, annotates, applies } = await openScene({ answers, tokenIssuer: issuer })
  const provider = 'projects/1/locations/global/workloadIdentityPools/p/providers/hub'
  await annotates({
    'azure.workload.identity/tenant-id': 'tenant-1',
    'azure.workload.identity/client-id': 'client-1',
    'gcp.auth.fluxcd.io/workload-identity-provider': provider,
  })
  const url = 'https://dev.azure.com/org/project/_git/repo'
  await applies('GitRepository', { url, provider: 'azure', serviceAccountName: 'tenant' })
  const asked = formOf(cloud.asked[0]!)
  assert.deepEqual([asked.client_id, asked.scope], ['client-1', '499b84ac-1321-427f-aa17-267ca6975798/.default'])
  assert.deepEqual(jwtParts(asked.client_assertion!).claims.aud, ['api://AzureADTokenExchange'])
  cloud.asked.length = 0
  await applies('Bucket', {
    provider: 'gcp',
    endpoint: 'storage.googleapis.com',
    bucketName: 'b',
    serviceAccountName: 'tenant',
  })
  assert.equal(formOf(cloud.asked[0]!).audience, `//iam.googleapis.com/${provider}`)
})

test('says what is missing: the feature gate, the account, its annotation, or an address of the hub', async () => {
  const gate =
    'to use spec.serviceAccountName for provider authentication please enable the ObjectLevelWorkloadIdentity feature gate in the controller'
  const off = await openScene({ isEnabled: false })
  await off.annotates({})
  const stalled = [`Stalled=True FeatureGateDisabled: ${gate}`, `Ready=False FeatureGateDisabled: ${gate}`]
  assert.deepEqual(await off.applies('OCIRepository', artifact), stalled)
  const repository = {
    url: 'https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/app',
    provider: 'aws',
    serviceAccountName: 'tenant',
  }
  assert.deepEqual(await off.applies('GitRepository', repository), [
    ...stalled,
    `FetchFailed=True FeatureGateDisabled: ${gate}`,
  ])
  const bucket = { provider: 'aws', endpoint: 's3.test', bucketName: 'b', serviceAccountName: 'tenant' }
  assert.deepEqual(await off.applies('Bucket', bucket), [...stalled, `FetchFailed=True FeatureGateDisabled: ${gate}`])

  const on = await openScene({})
  const failed = 'Ready=False AuthenticationFailed: failed to configure authentication options: AWS:'
  assert.equal(
    readyIn(await on.applies('GitRepository', repository)),
    `${failed} failed to get service account 'default/tenant': serviceaccounts "tenant" not found`,
  )
  await on.annotates({})
  assert.equal(
    readyIn(await on.applies('GitRepository', { ...repository, interval: '11m' })),
    `${failed} ServiceAccount default/tenant has no annotation eks.amazonaws.com/role-arn`,
  )
  await on.annotates({ 'azure.workload.identity/tenant-id': 't', 'azure.workload.identity/client-id': 'c' })
  const devOps = { url: 'https://dev.azure.com/org/project/_git/repo', provider: 'azure', serviceAccountName: 'tenant' }
  assert.match(
    String(readyIn(await on.applies('GitRepository', devOps))),
    /ServiceAccount default\/tenant has no token that Azure can verify: the hub needs a public issuer address/,
  )
})
