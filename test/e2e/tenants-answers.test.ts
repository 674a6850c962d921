/** Two tenants who log in by OpenID Connect: each sees only their own in every answer, and someone without rights sees nothing. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import {
  Client,
  discoverOAuthProtectedResourceMetadata,
  type FetchLike,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { Agent, fetch as fetchWith } from 'undici'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigFor } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { kubectlEnding } from '../bed/kubectl.ts'
import { oidcProvider } from '../bed/oidc-provider.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const { path: folder } = endWithTest(disposableDir())
const provider = await oidcProvider()
const authentication = join(folder, 'authentication.yaml')
const jwt = {
  issuer: { url: provider.issuer, audiences: ['keelson'], certificateAuthority: provider.ca },
  claimMappings: { username: { claim: 'sub', prefix: 'oidc:' } },
}
writeFileSync(
  authentication,
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt: [jwt] }),
)
const [on, repo] = await Promise.all([
  hub({ flags: ['--authentication-config', authentication] }),
  gitRepo({ 'config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config}\ndata: {color: blue}\n' }),
])

/** All that a tenant has bears their name. */
const tenant = (name: string): string => `
apiVersion: v1
kind: Namespace
metadata: {name: ${name}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: owner, namespace: ${name}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: admin}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: 'oidc:${name}'}]
---${kubeconfigFor('https://127.0.0.1:9', `dead-${name}`, name)}
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: cluster-${name}, namespace: ${name}}
spec: {interval: 1h, kubeConfig: {secretRef: {name: dead-${name}}}}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: source-${name}, namespace: ${name}}
spec: {interval: 1h, url: '${repo.url}', ref: {branch: main}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: unit-${name}, namespace: ${name}, annotations: {kustomize.keelson.dev/drift: report}}
spec: {interval: 1h, prune: true, path: ./, targetNamespace: ${name}, sourceRef: {kind: GitRepository, name: source-${name}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: lost-${name}, namespace: ${name}}
spec: {interval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: source-${name}}, kubeConfig: {secretRef: {name: dead-${name}}}}
---
apiVersion: v1
kind: Secret
metadata: {name: webhook, namespace: ${name}}
stringData: {token: token-of-${name}}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: hook-${name}, namespace: ${name}}
spec: {type: github, events: [push], secretRef: {name: webhook}, resources: [{kind: GitRepository, name: source-${name}}]}
---`

const ca = Buffer.from(
  JSON.parse(await on.kubectl('config', 'view', '--raw', '-o', 'json')).clusters[0].cluster[
    'certificate-authority-data'
  ],
  'base64',
)
const dispatcher = new Agent({ connect: { ca } })
after(() => dispatcher.close())

const trusting = ((url: string, init: object) => fetchWith(url, { ...init, dispatcher })) as unknown as FetchLike
const mcp = `${on.server}/mcp`

test('an agent without a token finds out where it gets one', async () => {
  const { status, headers } = await trusting(mcp, { method: 'POST' })
  assert.equal(status, 401)
  const [, resourceMetadataUrl] = /^Bearer resource_metadata="(.*)"$/.exec(headers.get('www-authenticate') ?? '') ?? []
  const found = await discoverOAuthProtectedResourceMetadata(
    mcp,
    { resourceMetadataUrl: resourceMetadataUrl! },
    trusting,
  )
  assert.deepEqual([found.resource, found.authorization_servers], [mcp, [provider.issuer]])
  // Where a client begins that was given no challenge.
  assert.deepEqual(await discoverOAuthProtectedResourceMetadata(mcp, {}, trusting), found)
})

/** What tools of MCP answer someone who has logged in: the summary of the fleet, and the units in a namespace. */
const toldByTools = async (person: string, namespace: string): Promise<string> => {
  const headers = { authorization: `Bearer ${await provider.token({ sub: person })}` }
  const client = new Client({ name: 'test', version: '1' })
  const options = { requestInit: { headers }, fetch: trusting }
  await client.connect(new StreamableHTTPClientTransport(new URL(mcp), options))
  const calls = ['fleet_summary', 'list_units', 'list_clusters', 'history'].map(name =>
    client.callTool({ name, arguments: { namespace } }),
  )
  const said = JSON.stringify(await Promise.all(calls))
  await client.close()
  return said
}

/** The kubeconfig of someone who has logged in. */
const kubeconfigOf = async (person: string): Promise<string> => {
  const config = JSON.parse(await on.kubectl('config', 'view', '--raw', '--minify', '-o', 'json'))
  config.users[0].user = { token: await provider.token({ sub: person }) }
  const file = join(folder, `${person}.json`)
  writeFileSync(file, JSON.stringify(config), { mode: 0o600 })
  return file
}

const questions = ['fleet', 'clusters', 'runs', 'versions', 'drift', 'deliveries', 'cost', 'orphans'] as const
const kinds = ['runs', 'deliveries', 'clusters', 'kustomizations', 'gitrepositories', 'events', 'secrets'] as const

const names = ['crimson', 'azure'] as const

test('each tenant sees only their own in every answer, and a user without rights sees nothing', async () => {
  await on.apply(names.map(tenant).join(''))
  for (const name of names) {
    await on.kubectl(
      'wait',
      `kustomization/unit-${name}`,
      `receiver/hook-${name}`,
      '-n',
      name,
      '--for=condition=Ready',
      '--timeout=200s',
    )
    const { status } = JSON.parse(await on.kubectl('get', `receiver/hook-${name}`, '-n', name, '-o', 'json'))
    const body = JSON.stringify({
      ref: 'refs/heads/main',
      repository: { clone_url: repo.url },
      sender: { login: `sender-${name}` },
    })
    const signature = createHmac('sha256', `token-of-${name}`).update(body).digest('hex')
    const headers = { 'x-github-event': 'push', 'x-hub-signature-256': `sha256=${signature}` }
    assert.equal((await fetch(on.edge + status.webhookPath, { method: 'POST', body, headers })).status, 200)
    await on.kubectl('patch', 'configmap/config', '-n', name, '-p', `{"data": {"color": "by-hand-in-${name}"}}`)
    await on.kubectl(
      'annotate',
      `kustomization/unit-${name}`,
      '-n',
      name,
      `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`,
    )
    await eventually(async () => {
      const runs = await on.kubectl('get', 'runs', '-n', name, '-o', 'json')
      for (const part of [`by-hand-in-${name}`, `lost-${name}`]) assert.ok(runs.includes(part), part)
    })
  }
  const keelson = async (kubeconfig: string, ...args: readonly string[]): Promise<Ending> =>
    ending(process.execPath, [program, ...args, '--kubeconfig', kubeconfig])

  for (const [own, other] of [names, names.toReversed()] as [string, string][]) {
    const kubeconfig = await kubeconfigOf(own)
    for (const question of questions) {
      for (const scope of [['-n', own], ['-n', other], ['-A']]) {
        const { stdout, stderr } = await keelson(kubeconfig, question, ...scope, '-o', 'json')
        const isOwn = scope[1] === own && question !== 'orphans'
        if (isOwn) assert.ok(stdout.includes(own), `${question}: ${stdout}${stderr}`)
        // The namespace that was asked for may be named in the refusal.
        const said = stdout + stderr.replaceAll(`namespace "${other}"`, '').replaceAll(`namespace ${other}`, '')
        assert.equal(said.includes(other), false, `${question} ${scope.join(' ')}: ${said}`)
      }
    }
    assert.match(await toldByTools(own, own), new RegExp(`unit-${own}.*cluster-${own}`))
    assert.doesNotMatch(await toldByTools(own, other), new RegExp(`(unit|lost|cluster|source)-${other}`))
    for (const kind of kinds) {
      const all = await kubectlEnding(kubeconfig, ['get', kind, '-A', '-o', 'json'])
      assert.notEqual(all.exitCode, 0, kind)
      assert.equal(all.stdout.includes(other), false, kind)
    }
    for (const path of ['summary', 'units', 'clusters', 'sources', 'versions', 'usage']) {
      const { stdout } = await kubectlEnding(kubeconfig, ['get', '--raw', `/fleet/${path}`])
      assert.equal(stdout.includes(other), false, `/fleet/${path}: ${stdout}`)
    }
  }

  const nobody = await kubeconfigOf('nobody')
  for (const question of questions)
    for (const scope of [...names.map(name => ['-n', name]), ['-A']]) {
      const { stdout, stderr, exitCode } = await keelson(nobody, question, ...scope, '-o', 'json')
      // What a tenant uses is a list of what one may see: an empty one here. All others are refused.
      if (question === 'cost') assert.deepEqual(JSON.parse(stdout || '{"items": []}').items, [])
      else assert.notEqual(exitCode, 0, `${question} ${scope.join(' ')}: ${stdout}`)
      for (const name of names) {
        const said = stdout + stderr.replaceAll(`namespace "${name}"`, '').replaceAll(`namespace ${name}`, '')
        assert.equal(said.includes(name), false, `${question} ${scope.join(' ')}: ${said}`)
      }
    }
  for (const name of names)
    assert.doesNotMatch(await toldByTools('nobody', name), new RegExp(`(unit|lost|cluster|source)-${name}`))
  for (const path of ['summary', 'units', 'clusters', 'sources', 'versions', 'usage']) {
    const { stdout } = await kubectlEnding(nobody, ['get', '--raw', `/fleet/${path}`])
    for (const name of names) assert.equal(stdout.includes(name), false, `/fleet/${path}: ${stdout}`)
  }
})
