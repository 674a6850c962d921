/** A hub's tools for agents: over HTTP and over standard input and output, with the protocol's own clients and its conformance suite. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { request as send } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client, type FetchLike, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Agent, fetch } from 'undici'
import { parse } from 'yaml'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const conformance = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./missing, sourceRef: {kind: GitRepository, name: app}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: agent, namespace: default}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: agent, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: flux-view}
subjects: [{kind: ServiceAccount, name: agent, namespace: default}]
`

const [repo, on] = await Promise.all([
  gitRepo({ 'config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n' }),
  hub({ flags: ['--mcp-writes'] }),
])
await on.apply(appRepository(repo) + unit)
await eventually(async () => {
  const { status } = await on.get<Kustomization>('kustomization', 'app')
  assert.equal(conditionOf(status?.conditions, 'Ready')?.status, 'False')
})
const { clusters, users } = parse(readFileSync(on.kubeconfig, 'utf8')) as Kubeconfig
const adminToken = users[0].user.token
const ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64')
const dispatcher = new Agent({ connect: { ca } })
after(() => dispatcher.close())

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly 'certificate-authority-data': string } }]
  readonly users: readonly [{ readonly user: { readonly token: string } }]
}

interface ToolCall {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

const why: ToolCall = { name: 'why', arguments: { kind: 'ks', namespace: 'default', name: 'app' } }

const textOf = async (client: Client, call: ToolCall): Promise<string> =>
  JSON.stringify((await client.callTool(call)).content)

const overHttp = async (token: string): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${token}` }
  const trusting = ((url: string, init: object) => fetch(url, { ...init, dispatcher })) as unknown as FetchLike
  const options = { requestInit: { headers }, fetch: trusting }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${on.server}/mcp`), options))
  return client
}

test('MC-01, MC-02: an agent asks over HTTP, as a ServiceAccount with its token', async () => {
  const client = await overHttp((await on.kubectl('create', 'token', 'agent')).trim())
  assert.match(await textOf(client, why), /missing: no such file or directory/)
  const refused = await textOf(client, { ...why, name: 'reconcile' })
  assert.match(refused, /The hub refused \(403\)/)
  await client.close()
})

test('keelson why does without Events for a user who may not list them', async () => {
  const as = ['--as', 'system:serviceaccount:default:agent', '-n', 'default', '--kubeconfig', on.kubeconfig]
  const shown = await ending(process.execPath, [program, 'why', 'ks/app', ...as])
  assert.deepEqual([shown.exitCode, shown.stderr], [1, ''])
  assert.match(shown.stdout, /missing: no such file or directory/)
  assert.match(
    shown.stdout,
    /\n\nEvents not shown: events is forbidden: User "system:serviceaccount:default:agent" cannot list/,
  )
})

test('MC-01: keelson mcp serves the same tools to an agent that starts it', async () => {
  const client = new Client({ name: 'test', version: '1' })
  const args = [program, 'mcp', '--kubeconfig', on.kubeconfig]
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'pipe' }))
  const { tools } = await client.listTools()
  assert.ok(tools.some(({ name }) => name === 'why'))
  assert.ok(!tools.some(({ name }) => name === 'reconcile'))
  assert.match(await textOf(client, why), /missing: no such file or directory/)
  const docs = await textOf(client, { name: 'search_docs', arguments: { query: 'windows' } })
  assert.match(docs, /clusters/)
  await client.close()
  const allowed = new Client({ name: 'test', version: '1' })
  const writing = { command: process.execPath, args: [...args, '--allow-writes'], stderr: 'pipe' as const }
  await allowed.connect(new StdioClientTransport(writing))
  assert.match(await textOf(allowed, { ...why, name: 'reconcile' }), /Requested a reconciliation/)
  await allowed.close()
})

test('MC-03, MC-04: an agent traces an object to its unit, and has that plan its changes: the next push waits, and its plan says what it would do', async () => {
  await on.apply(`
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: planned, namespace: default}
spec: {interval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: app}}
`)
  await on.kubectl('wait', 'kustomization/planned', '--for=condition=Ready', '--timeout=60s')
  const client = await overHttp(adminToken)
  const applied = { cluster: 'hub', kind: 'configmap', namespace: 'default', name: 'a' }
  const { structuredContent } = await client.callTool({ name: 'trace', arguments: applied })
  const { lastAppliedRevision } = (await on.get<Kustomization>('kustomization', 'planned')).status ?? {}
  assert.match(
    JSON.stringify(structuredContent),
    new RegExp(`"Kustomization/default/planned".*"revision":"${lastAppliedRevision}".*"GitRepository/default/app"`),
  )
  const made = await textOf(client, {
    ...{ name: 'make_plan', arguments: { kind: 'Kustomization', namespace: 'default', name: 'planned' } },
  })
  assert.match(made, /Changes of Kustomization\/default\/planned wait for an approval from now on/)
  await repo.push({
    'config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default, labels: {by: push}}\n',
  })
  await textOf(client, { name: 'reconcile', arguments: { kind: 'gitrepository', namespace: 'default', name: 'app' } })
  await eventually(async () => {
    const plans = await textOf(client, { name: 'list_plans', arguments: { namespace: 'default' } })
    assert.match(plans, /kustomization-planned-[\s\S]*~1/)
  })
  assert.equal(await on.kubectl('get', 'configmap', 'a', '-o', 'jsonpath={.metadata.labels.by}'), '')
  await client.close()
})

test('MC-10: the conformance suite of the protocol finds nothing', async () => {
  const proxy = createServer((request, response) => {
    const authorized = send(
      `${on.server}${request.url}`,
      {
        ca,
        servername: 'localhost',
        method: request.method,
        headers: { ...request.headers, authorization: `Bearer ${adminToken}` },
      },
      answer => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(authorized)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  after(() => proxy.close())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`
  // Its other scenarios call tools of a test server. That of DNS rebinding is for servers which ask for no credential.
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'prompts-list']) {
    const { exitCode, stdout, stderr } = await ending(process.execPath, [
      ...[conformance, 'server', '--url', url, '--scenario', scenario],
    ])
    assert.equal(exitCode, 0, `${scenario}:\n${stdout}${stderr}`)
  }
})
