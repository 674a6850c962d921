import assert from 'node:assert/strict'
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { connections } from '../../lib/platform/http/connections.ts'
import { codeCommit } from '../../lib/sources/forge/code-commit.ts'
import { codeCommitLogin } from '../../lib/sources/git/code-commit.ts'
import { gitLogin } from '../../lib/sources/git/git-login.ts'
import { listTags } from '../../lib/sources/git/list-tags.ts'
import { httpProxy, socksProxy } from '../bed/forward-proxy.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { endWithTest } from '../bed/teardown.ts'
import { shown } from '../unit/reconcile/world.ts'
import { openGitWorld } from './git-world.ts'

type World = Awaited<ReturnType<typeof openGitWorld>>

const listening = async (server: Server): Promise<string> => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const putSecret = async ({ hub }: World, name: string, texts: Readonly<Record<string, string>>): Promise<void> => {
  const data = Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
  )
  await hub.create(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' }, data },
    { fieldManager: 'author' },
  )
}

const readyOf = async (world: World, name: string) =>
  shown(await world.hub.get<GitRepository>(world.ref(name))).find(line => line.startsWith('Ready='))

test('goes through the proxy of the spec, with its credentials', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const auth = { username: 'u', password: 'p:w' }
  const [http, socks] = [endWithTest(await httpProxy()), endWithTest(await socksProxy({}, { auth }))]
  const world = await openGitWorld()
  for (const [name, { url: address }] of Object.entries({ http, socks })) {
    await putSecret(world, name, { address, ...auth })
    await world.applies(name, { url: repo.url, proxySecretRef: { name } })
    assert.match(String(await readyOf(world, name)), /^Ready=True/)
  }
  const { host, origin, pathname } = new URL(repo.url)
  assert.deepEqual([...new Set(http.seen)], [`POST ${origin}${pathname}/git-upload-pack u:p:w`])
  assert.deepEqual([...new Set(socks.seen)], [`${host} u:p:w`])
  await world.applies('gone', { url: repo.url, proxySecretRef: { name: 'gone' } })
  assert.match(
    String(await readyOf(world, 'gone')),
    /^Ready=False AuthenticationFailed: failed to configure proxy options: /,
  )
})

test('logs in to GitHub as the installation of an App, once while its token lasts', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  const asked: string[] = []
  const api = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const [head = '', body = '', signature = ''] = String(request.headers.authorization)
      .replace('Bearer ', '')
      .split('.')
    const isSigned = verify(
      'sha256',
      Buffer.from(`${head}.${body}`),
      createPublicKey(pem),
      Buffer.from(signature, 'base64url'),
    )
    response.statusCode = isSigned ? 201 : 401
    response.end(JSON.stringify(isSigned ? { token: 'ghs_installation' } : { message: 'no' }))
  })
  const githubAppBaseURL = await listening(api)
  const repo = await gitRepo({ 'a.yaml': '1' }, { auth: { username: 'x-access-token', password: 'ghs_installation' } })
  const world = await openGitWorld()
  const githubAppPrivateKey = String(privateKey.export({ type: 'pkcs1', format: 'pem' }))
  const app = { githubAppID: '1', githubAppInstallationID: '42', githubAppPrivateKey, githubAppBaseURL }
  await putSecret(world, 'app', app)
  await world.applies('app', { url: repo.url, provider: 'github', secretRef: { name: 'app' } })
  assert.match(String(await readyOf(world, 'app')), /^Ready=True/)
  await world.applies('again', { url: repo.url, provider: 'github', secretRef: { name: 'app' } })
  assert.match(String(await readyOf(world, 'again')), /^Ready=True/)
  assert.deepEqual(asked, ['POST /app/installations/42/access_tokens'])

  await putSecret(world, 'plain', { username: 'u', password: 'p' })
  await world.applies('plain', { url: repo.url, provider: 'github', secretRef: { name: 'plain' } })
  const message = 'secretRef with github app data must be specified when provider is set to github'
  assert.equal(await readyOf(world, 'plain'), `Ready=False InvalidProviderConfiguration: ${message}`)
  await putSecret(world, 'broken', { ...app, githubAppPrivateKey: 'hush' })
  await world.applies('broken', { url: repo.url, provider: 'github', secretRef: { name: 'broken' } })
  assert.equal(
    await readyOf(world, 'broken'),
    "Ready=False AuthenticationFailed: failed to configure authentication options: 'githubAppPrivateKey' is not an RSA private key in PEM format",
  )
})

test('says so when it has no identity with a provider, and who may not act as a ServiceAccount', async () => {
  const repo = await gitRepo({})
  const world = await openGitWorld()
  await world.applies('aws', { url: repo.url, provider: 'aws' })
  assert.match(
    String(await readyOf(world, 'aws')),
    /AuthenticationFailed: failed to configure authentication options: AWS: this hub has no AWS identity/,
  )
  await world.applies('azure', { url: repo.url, provider: 'azure', serviceAccountName: 'any' })
  assert.match(String(await readyOf(world, 'azure')), /FeatureGateDisabled: to use spec\.serviceAccountName/)
  assert.deepEqual(repo.operations(), [])
})

const clock = { now: () => Date.parse('2026-11-21T12:00:00Z') }

test('shows its token of Azure to Azure DevOps alone', async () => {
  const wires = connections()
  const asked: string[] = []
  const azure = async ({ resource }: { resource: string }) => {
    asked.push(resource)
    return { token: 'entra', expiresAt: 0 }
  }
  const login = gitLogin({ clock, connections: wires })
  assert.equal(await login.azure(new URL('https://dev.azure.com/org/project/_git/repo'), {}, azure), 'Bearer entra')
  assert.deepEqual(asked, ['499b84ac-1321-427f-aa17-267ca6975798'])
  for (const url of [
    'https://dev.azure.com.evil.example/x',
    'http://dev.azure.com/x',
    'https://example.com/dev.azure.com',
  ])
    await assert.rejects(
      login.azure(new URL(url), {}, azure),
      /is not an address of Azure DevOps|must be reached over https/,
    )
  assert.equal(asked.length, 1)
  await wires.close()
})

test('signs requests for CodeCommit, in its regions only', async () => {
  const credentials = {
    accessKeyId: 'AKIDEXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    sessionToken: 't',
  }
  const url = new URL('https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/app')
  const { username, password } = codeCommitLogin(url, credentials, clock.now())
  assert.equal(username, 'AKIDEXAMPLE%t')
  assert.equal(password, '20261121T120000Zfe9e88983bce05416908a6ba14ed665961eb03ad69124fff63a0c7ac8223bbaf')
  assert.notEqual(password, codeCommitLogin(new URL(`${url}2`), credentials, clock.now()).password)
  for (const other of ['https://git-codecommit.evil.example/v1', 'http://git-codecommit.eu-west-1.amazonaws.com/v1'])
    assert.throws(() => codeCommitLogin(new URL(other), credentials, clock.now()), /invalid AWS CodeCommit Git URL/)
})

test('RS-139 lists the tags of CodeCommit with a signed git request, and returns the commits of annotated ones', async () => {
  const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
  const url = new URL('https://git-codecommit.eu-west-1.amazonaws.com/v1/repos/app')
  const repo = await gitRepo({ 'a.yaml': '1' }, { auth: codeCommitLogin(url, credentials, clock.now()) })
  const first = await repo.push({ 'a.yaml': '2' }, { tag: 'v1.0.0' })
  const second = await repo.push({ 'a.yaml': '3' }, { tag: 'v1.1.0', annotation: 'the second' })
  const wires = connections()
  endWithTest({ [Symbol.asyncDispose]: () => wires.close() })
  const { agent } = wires.open()
  const { signal } = new AbortController()
  const tagsAs = (identity: () => Promise<typeof credentials>) => {
    const tagsOf = (_: URL, authorization: string) => listTags({ url: new URL(repo.url), authorization, agent, signal })
    return Array.fromAsync(codeCommit(url, { clock, fetch: fetch as never, signal, identity, tagsOf }).tags())
  }
  assert.deepEqual(await tagsAs(async () => credentials), [
    { name: 'v1.0.0', sha: first },
    { name: 'v1.1.0', sha: second },
  ])
  assert.deepEqual(repo.operations(), ['ls-refs'])
  await assert.rejects(
    tagsAs(async () => ({ ...credentials, secretAccessKey: 'another' })),
    /authentication/i,
  )
})
