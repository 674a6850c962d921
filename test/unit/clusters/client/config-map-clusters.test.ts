import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { accountAccess } from '../../../../lib/clusters/client/account-access.ts'
import { aksAccess } from '../../../../lib/clusters/client/aks-access.ts'
import { clusters } from '../../../../lib/clusters/client/clusters.ts'
import { gkeAccess } from '../../../../lib/clusters/client/gke-access.ts'
import { namedClusterOf } from '../../../../lib/clusters/client/kubeconfig-config-map.ts'
import type { Fetch } from '../../../../lib/platform/cloud/send-request.ts'
import { certificateAuthority } from '../../../bed/certificates.ts'

const configMap = (data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'apps', name: 'fleet' },
  data,
})
const named = (data: Readonly<Record<string, string>>) => namedClusterOf(configMap(data))

/** A cloud that answers by path, and remembers what was asked with which token. */
const cloud = (answers: Readonly<Record<string, object>>) => {
  const asked: string[] = []
  const fetch = (async (url: string, { method, headers }: { method: string; headers: Record<string, string> }) => {
    const { pathname } = new URL(url)
    asked.push(`${method} ${pathname} ${headers.authorization}`)
    const answer = answers[pathname]
    return new Response(JSON.stringify(answer ?? { error: { message: 'none' } }), { status: answer ? 200 : 404 })
  }) as unknown as Fetch
  return { fetch, asked }
}

const kubeconfig = (server: string) =>
  btoa(
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': btoa('CA') } }],
      users: [{ name: 'u', user: {} }],
    }),
  )

const aks = '/subscriptions/s/resourceGroups/g/providers/Microsoft.ContainerService/managedClusters/c'
const azure = () =>
  cloud({
    [aks]: { properties: { aadProfile: { managed: true } } },
    [`${aks}/listClusterUserCredential`]: {
      kubeconfigs: [
        { value: kubeconfig('https://private.example:443') },
        { value: kubeconfig('https://public.example:443') },
      ],
    },
  })
const inAzure = (fetch: Fetch) =>
  aksAccess({
    fetch,
    identity: async ({ resource }) => ({ token: `for ${resource}`, expiresAt: 0 }),
    resourceManager: 'https://management.azure.com',
  })

test('KS-229 gets into an AKS cluster with Entra tokens: one to find it, one for its API server', async () => {
  const { fetch, asked } = azure()
  const { address, certificateAuthority, tokens } = await inAzure(fetch)(named({ provider: 'azure', cluster: aks }))
  assert.deepEqual([address, certificateAuthority], ['https://private.example:443', 'CA'])
  assert.equal(await tokens(), 'for 6dae42f8-4368-4678-94ff-3960e28e3630')
  assert.deepEqual(asked, [
    `GET ${aks} Bearer for https://management.azure.com`,
    `POST ${aks}/listClusterUserCredential Bearer for https://management.azure.com`,
  ])
})

const gke = 'projects/p/locations/l/clusters/c'
const google = () =>
  cloud({
    [`/v1/${gke}`]: {
      endpoint: '10.0.0.1',
      masterAuth: { clusterCaCertificate: btoa('CA') },
      controlPlaneEndpointsConfig: { dnsEndpointConfig: { endpoint: 'gke-1.example' } },
    },
  })
const atGoogle = (fetch: Fetch) => gkeAccess({ fetch, identity: async () => ({ token: 'google', expiresAt: 0 }) })

test("KS-229 authenticates to a GKE cluster with an access token, at the address from Google's API", async () => {
  const { fetch, asked } = google()
  const { address, certificateAuthority, tokens } = await atGoogle(fetch)(named({ provider: 'gcp', cluster: gke }))
  assert.deepEqual([address, certificateAuthority, await tokens()], ['https://10.0.0.1:443', 'CA', 'google'])
  assert.deepEqual(asked, [`GET /v1/${gke} Bearer google`])
})

test('KS-230 takes an address of the cluster only: no token of the hub goes elsewhere', async () => {
  const wanted = async (address: string) =>
    (await atGoogle(google().fetch)(named({ provider: 'gcp', cluster: gke, address }))).address
  assert.equal(await wanted('GKE-1.example'), 'https://gke-1.example:443')
  await assert.rejects(
    wanted('https://evil.example'),
    /'https:\/\/evil.example' does not belong to cluster projects\/p\/.*\['10.0.0.1', 'gke-1.example'\]/,
  )
  const inAks = async (address: string) =>
    (await inAzure(azure().fetch)(named({ provider: 'azure', cluster: aks, address }))).address
  assert.equal(await inAks('public.example'), 'https://public.example:443')
  await assert.rejects(inAks('evil.example'), /does not belong to cluster/)
  await assert.rejects(inAks('http://public.example'), /must use https/)
})

test('names what is wrong in the ConfigMap, and a cluster that can not be described', async () => {
  assert.throws(() => named({ provider: 'other' }), /provider 'other' not implemented \(from configmap apps\/fleet/)
  assert.throws(
    () => named({ provider: 'gcp', serviceAccountName: 'x' }),
    /serviceAccountName is not supported with provider gcp/,
  )
  await assert.rejects(
    atGoogle(google().fetch)(named({ provider: 'gcp', cluster: 'c' })),
    /invalid GKE cluster ID: 'c'/,
  )
  await assert.rejects(
    inAzure(azure().fetch)(named({ provider: 'azure', cluster: 'c' })),
    /invalid AKS cluster ID: 'c'/,
  )
  const other = 'projects/p/locations/l/clusters/other'
  await assert.rejects(
    atGoogle(google().fetch)(named({ provider: 'gcp', cluster: other })),
    /failed to describe GKE cluster/,
  )
  const generic = accountAccess(async () => assert.fail(), { now: () => 0 })
  await assert.rejects(generic(named({ provider: 'generic', serviceAccountName: 'x' })), /address is required/)
  await assert.rejects(generic(named({ provider: 'generic', address: 'https://a' })), /serviceAccountName is required/)
})

test('KS-231 shows a ServiceAccount to a cluster by a token for its address, or for the audiences named', async () => {
  const authority = certificateAuthority()
  const seen: string[] = []
  const server = createServer(authority.issue('api server'), (request, response) => {
    seen.push(request.headers.authorization ?? 'nobody')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ kind: 'APIVersions', versions: ['v1'], resources: [], groups: [] }))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issued: unknown[] = []
  const remotes = clusters({
    clock: { monotonic: () => performance.now() },
    providers: {
      generic: accountAccess(
        async (account, audiences) => {
          issued.push([account, audiences])
          return { token: `token-${issued.length}`, expiresAt: Date.now() + 3_600_000 }
        },
        { now: Date.now },
      ),
    },
  })
  try {
    const data = { provider: 'generic', address, 'ca.crt': authority.ca, serviceAccountName: 'deployer' }
    for (const audiences of ['', 'one\n two \n']) {
      const cluster = await remotes.fromConfigMap(configMap({ ...data, audiences }))
      await cluster.resourceFor('v1', 'Nothing').catch(() => {})
      await cluster.resourceFor('v1', 'Nothing').catch(() => {})
    }
    const account = { namespace: 'apps', name: 'deployer' }
    assert.deepEqual(issued, [
      [account, [address]],
      [account, ['one', 'two']],
    ])
    assert.deepEqual([...new Set(seen)], ['Bearer token-1', 'Bearer token-2'])
    await assert.rejects(
      remotes.fromConfigMap(configMap({ provider: 'gcp' })),
      /this hub has no identity for provider gcp/,
    )
  } finally {
    await remotes.close()
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
})
