import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { test } from 'node:test'
import type { ForgeProvider } from '../../../../lib/sources/forge/forge.ts'
import { readForgeCredentials } from '../../../../lib/sources/forge/forge-credentials.ts'
import { jsonServer } from '../../../bed/json-server.ts'
import { client, forgeAt, lists, now, openSession, signal, token } from './forge-scene.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
})

const secret = (data: Readonly<Record<string, string>>) => ({
  name: 'default/app',
  data: new Map(Object.entries(data).map(([key, value]) => [key, Buffer.from(value)])),
})

test('RS-148 a GitHub App proves itself with its key, for an installation by number or by owner', async () => {
  const server = await forgeAt({
    '/api/v3/users/org/installation': () => ({ json: { id: 42 } }),
    '/api/v3/app/installations/42/access_tokens': () => ({ status: 201, json: { token: 'ghs_x' } }),
    '/api/v3/repos/org/app/branches': lists([]),
  })
  const app = { githubAppID: '7', githubAppPrivateKey: privateKey }
  const owners: Readonly<Record<string, string>>[] = [
    { githubAppInstallationID: '42' },
    { githubAppInstallationOwner: 'org' },
  ]
  for (const owner of owners) {
    const credentials = readForgeCredentials(secret({ ...app, ...owner }))
    await openSession({ provider: 'GitHub', url: `${server.url}/org/app`, credentials }, async forge => {
      assert.deepEqual(await Array.fromAsync(forge.branches()), [])
    })
    assert.equal(server.requests.at(-1)!.headers.authorization, 'Bearer ghs_x')
  }
  const jwt = server.requests[0]!.headers.authorization!.replace('Bearer ', '')
  const [header, claims, signature] = jwt.split('.') as [string, string, string]
  assert.ok(verify('sha256', Buffer.from(`${header}.${claims}`), publicKey, Buffer.from(signature, 'base64url')))
  const { iat, exp, iss } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  assert.deepEqual([iss, iat, exp - iat], ['7', now / 1000 - 60, 540])
})

test('RS-148 credentials that can not be used are reported, and not shown', () => {
  const read = (data: Readonly<Record<string, string>>) => () => readForgeCredentials(secret(data))
  assert.throws(read({ username: 'x' }), /secret 'default\/app': key 'password' not found/)
  assert.throws(read({ githubAppID: '7' }), /key 'githubAppPrivateKey' not found/)
  const app = { githubAppID: '7', githubAppPrivateKey: 'k' }
  assert.throws(read(app), /exactly one of 'githubAppInstallationID' and 'githubAppInstallationOwner'/)
  assert.throws(read({ ...app, githubAppInstallationID: '1', githubAppInstallationOwner: 'o' }), /exactly one of/)
})

test('what a forge refuses is reported with its status and reason, without credentials', async () => {
  const server = await forgeAt({
    '/api/v3/repos/org/secret/branches': () => ({ status: 403, json: { message: 'rate limit exceeded' } }),
    '/api/v3/repos/org/odd/branches': () => ({ text: '<html>' }),
    '/api/v3/repos/org/none/branches': () => ({ json: { not: 'a list' } }),
  })
  const branchesOf = (provider: ForgeProvider, path: string) =>
    openSession({ provider, url: server.url + path, credentials: token }, visit => Array.fromAsync(visit.branches()))
  await assert.rejects(
    branchesOf('GitHub', '/org/secret'),
    /GET .*\/repos\/org\/secret\/branches: 403 rate limit exceeded$/,
  )
  await assert.rejects(branchesOf('GitHub', '/org/gone'), /404 Not Found$/)
  await assert.rejects(branchesOf('GitHub', '/org/odd'), /the response is not JSON/)
  await assert.rejects(branchesOf('GitHub', '/org/none'), /the response is not a list/)
  await assert.rejects(branchesOf('GitHub', '/org'), /it must be the address of a repository/)
  const nowhere = openSession({ provider: 'Gitea', url: 'http://127.0.0.1:9/org/app' }, visit =>
    Array.fromAsync(visit.tags()),
  )
  await assert.rejects(nowhere, /connection refused/)
})

test('follows a repository that was renamed, but shows credentials to no other host', async () => {
  const other = await jsonServer(() => ({ json: [] }))
  const server = await forgeAt({
    '/api/v3/repos/org/old/branches': ({ query }) => ({
      status: 301,
      headers: { location: `/api/v3/repos/org/new/branches?${query}` },
    }),
    '/api/v3/repos/org/new/branches': () => ({ json: [{ name: 'main', commit: { sha: 's' } }] }),
    '/api/v3/repos/org/away/branches': () => ({ status: 302, headers: { location: `${other.url}/x` } }),
    '/api/v3/repos/org/next/branches': () => ({ json: [], headers: { link: `<${other.url}/y>; rel="next"` } }),
  })
  const branchesOf = (path: string) =>
    openSession({ provider: 'GitHub', url: server.url + path, credentials: token }, visit =>
      Array.fromAsync(visit.branches()),
    )
  assert.deepEqual(await branchesOf('/org/old'), [{ name: 'main', sha: 's' }])
  await assert.rejects(
    branchesOf('/org/away'),
    /\/org\/away\/branches: the response redirects to http:\/\/127\.0\.0\.1:\d+\/x$/,
  )
  assert.deepEqual(await branchesOf('/org/next'), [])
  assert.equal(other.requests.length, 0)
})

test('RS-141 an external service gives sets with ids of their own, up to 900 KiB', async () => {
  const server = await forgeAt({
    '/ok': () => ({ json: { inputs: [{ id: '1', tenant: 'a', flags: ['x'] }, { id: '2' }] } }),
    '/same': () => ({ json: { inputs: [{ id: '1' }, { id: '1' }] } }),
    '/number': () => ({ json: { inputs: [{ id: 1 }] } }),
    '/none': () => ({ json: {} }),
    '/big': () => ({ json: { inputs: [{ id: '1', text: 'x'.repeat(900 * 1024) }] } }),
  })
  const read = (path: string) =>
    client.readService({ url: new URL(server.url + path), credentials: { type: 'bearer', token: 't' }, signal })
  assert.deepEqual(await read('/ok?env=prod'), [{ id: '1', tenant: 'a', flags: ['x'] }, { id: '2' }])
  assert.equal(server.requests[0]!.headers.authorization, 'Bearer t')
  assert.equal(server.requests[0]!.query.get('env'), 'prod')
  await assert.rejects(read('/same'), /inputs\[1\] has the same id '1' as another one/)
  await assert.rejects(read('/number'), /inputs\[0\] must have an 'id' that is a string/)
  await assert.rejects(read('/none'), /the response has no list 'inputs'/)
  await assert.rejects(read('/big'), /the response is larger than 921600 bytes/)
})
