/** The forges' APIs, as their documentation shows them, on servers of our own. */

import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { after, test } from 'node:test'
import { connections } from '../../../../lib/platform/http/connections.ts'
import type { ForgeProvider } from '../../../../lib/sources/forge/forge.ts'
import type { ForgeSession, ForgeSessionOptions } from '../../../../lib/sources/forge/forge-client.ts'
import { forgeClient } from '../../../../lib/sources/forge/forge-client.ts'
import { readForgeCredentials } from '../../../../lib/sources/forge/forge-credentials.ts'
import { type JsonReply, type JsonRequest, jsonServer, page } from '../../../bed/json-server.ts'

const now = Date.parse('2026-01-01T00:00:00Z')
const wires = connections()
after(() => wires.close())
const client = forgeClient({ now: () => now }, wires)

const { signal } = new AbortController()
const token = { type: 'token', token: 'secret' } as const

const visiting = async <R>(
  options: Pick<ForgeSessionOptions, 'provider' | 'credentials'> & { readonly url: string },
  look: (visit: ForgeSession) => Promise<R>,
): Promise<R> => {
  const visit = await client.open({ ...options, url: new URL(options.url), signal })
  try {
    return await look(visit)
  } finally {
    await visit.close()
  }
}

/** A server that answers at these paths, below a prefix. */
const forgeAt = async (answers: Readonly<Record<string, (request: JsonRequest, origin: string) => JsonReply>>) => {
  const server = await jsonServer(request => answers[request.path]?.(request, server.url))
  return server
}

const lists = (items: readonly unknown[]) => (request: JsonRequest, origin: string) => page(request, items, 2, origin)

test('RS-139 RS-143 GitHub: branches, tags and pull requests, over all pages', async () => {
  const ref = (name: string) => ({ name, commit: { sha: `sha-${name}` } })
  const pull = (number: number) => ({
    number,
    title: `Change ${number}`,
    user: { login: 'octocat' },
    head: { ref: `feat/${number}`, sha: `sha-${number}` },
    labels: [{ name: 'preview' }],
  })
  const api = '/api/v3/repos/org/app'
  const server = await forgeAt({
    [`${api}/branches`]: lists([ref('main'), ref('next'), ref('old')]),
    [`${api}/tags`]: lists([ref('v1.0.0')]),
    [`${api}/pulls`]: lists([pull(3), pull(2), pull(1)]),
  })
  await visiting({ provider: 'GitHub', url: `${server.url}/org/app.git`, credentials: token }, async forge => {
    assert.deepEqual(await Array.fromAsync(forge.branches()), [
      { name: 'main', sha: 'sha-main' },
      { name: 'next', sha: 'sha-next' },
      { name: 'old', sha: 'sha-old' },
    ])
    assert.deepEqual(await Array.fromAsync(forge.tags()), [{ name: 'v1.0.0', sha: 'sha-v1.0.0' }])
    const requests = await Array.fromAsync(forge.changeRequests())
    assert.deepEqual(requests[0], {
      id: '3',
      sha: 'sha-3',
      branch: 'feat/3',
      author: 'octocat',
      title: 'Change 3',
      labels: ['preview'],
    })
    assert.equal(requests.length, 3)
  })
  const [first] = server.requests
  assert.equal(first!.headers.authorization, 'Bearer secret')
  assert.equal(first!.query.get('per_page'), '100')
  assert.equal(server.requests.at(-1)!.query.get('state'), 'open')
})

test('reads no more pages than are asked for', async () => {
  const items = Array.from({ length: 10 }, (_, i) => ({ name: `b${i}`, commit: { sha: 's' } }))
  const server = await forgeAt({ '/api/v3/repos/org/app/branches': lists(items) })
  await visiting({ provider: 'GitHub', url: `${server.url}/org/app` }, async forge => {
    for await (const { name } of forge.branches()) if (name === 'b2') break
  })
  assert.equal(server.requests.length, 2)
  assert.equal(server.requests[0]!.headers.authorization, undefined)
})

test('RS-139 RS-143 GitLab: a project in groups, its branches, tags, merge requests and environments', async () => {
  const project = '/api/v4/projects/group%2Fsub%2Fapp'
  const ref = (name: string) => ({ name, commit: { id: `sha-${name}` } })
  const server = await forgeAt({
    [`${project}/repository/branches`]: lists([ref('main'), ref('next'), ref('old')]),
    [`${project}/repository/tags`]: ({ query }) =>
      query.get('page') === '2' ? { json: [ref('v2')] } : { json: [ref('v1')], headers: { 'x-next-page': '2' } },
    [`${project}/merge_requests`]: lists([
      { iid: 7, sha: 's7', source_branch: 'feat', title: 'T', author: { username: 'ann' }, labels: ['a'] },
    ]),
    [`${project}/environments`]: lists([{ id: 1 }, { id: 2 }]),
    [`${project}/environments/1`]: () => ({
      json: {
        id: 1,
        name: 'review/feat',
        slug: 'review-feat-x1',
        last_deployment: { ref: 'feat', sha: 's1', user: { username: 'bob' } },
      },
    }),
    [`${project}/environments/2`]: () => ({ json: { id: 2, name: 'never', slug: 'never', last_deployment: null } }),
  })
  await visiting({ provider: 'GitLab', url: `${server.url}/group/sub/app`, credentials: token }, async forge => {
    assert.equal((await Array.fromAsync(forge.branches())).length, 3)
    assert.deepEqual(await Array.fromAsync(forge.tags()), [
      { name: 'v1', sha: 'sha-v1' },
      { name: 'v2', sha: 'sha-v2' },
    ])
    assert.deepEqual(await Array.fromAsync(forge.changeRequests()), [
      { id: '7', sha: 's7', branch: 'feat', author: 'ann', title: 'T', labels: ['a'] },
    ])
    assert.deepEqual(await Array.fromAsync(forge.environments!()), [
      { id: '1', name: 'review/feat', slug: 'review-feat-x1', sha: 's1', branch: 'feat', author: 'bob' },
    ])
  })
  assert.equal(server.requests[0]!.headers['private-token'], 'secret')
})

test('RS-139 RS-143 Gitea: branches, tags and pull requests', async () => {
  const api = '/api/v1/repos/org/app'
  const server = await forgeAt({
    [`${api}/branches`]: lists([{ name: 'main', commit: { id: 's' } }]),
    [`${api}/tags`]: lists([{ name: 'v1', id: 'tag', commit: { sha: 'c' } }]),
    [`${api}/pulls`]: lists([
      { number: 1, title: 'T', user: { login: 'u' }, head: { ref: 'feat', sha: 'h' }, labels: null },
    ]),
  })
  await visiting({ provider: 'Gitea', url: `${server.url}/org/app`, credentials: token }, async forge => {
    assert.deepEqual(await Array.fromAsync(forge.branches()), [{ name: 'main', sha: 's' }])
    assert.deepEqual(await Array.fromAsync(forge.tags()), [{ name: 'v1', sha: 'c' }])
    assert.deepEqual(await Array.fromAsync(forge.changeRequests()), [
      { id: '1', sha: 'h', branch: 'feat', author: 'u', title: 'T', labels: [] },
    ])
  })
  assert.equal(server.requests[0]!.headers.authorization, 'token secret')
})

test('RS-139 RS-143 Azure DevOps: refs by continuation token, pull requests by skipping', async () => {
  const repository = '/org/my%20project/_apis/git/repositories/app'
  const pull = (pullRequestId: number) => ({
    pullRequestId,
    title: 'T',
    sourceRefName: 'refs/heads/feat',
    lastMergeSourceCommit: { commitId: 'c' },
    createdBy: { uniqueName: 'ann@example.com' },
  })
  const pulls = Array.from({ length: 150 }, (_, i) => pull(i))
  const server = await forgeAt({
    [`${repository}/refs`]: ({ query }) => {
      if (query.get('filter') === 'tags/')
        return { json: { value: [{ name: 'refs/tags/v1', objectId: 't', peeledObjectId: 'c' }] } }
      return query.get('continuationToken') === 'more'
        ? { json: { value: [{ name: 'refs/heads/feat/x', objectId: 'b' }] } }
        : {
            json: { value: [{ name: 'refs/heads/main', objectId: 'a' }] },
            headers: { 'x-ms-continuationtoken': 'more' },
          }
    },
    [`${repository}/pullrequests`]: ({ query }) => {
      const skip = Number(query.get('$skip'))
      return { json: { value: pulls.slice(skip, skip + 100) } }
    },
  })
  const url = `${server.url}/org/my%20project/_git/app`
  await visiting({ provider: 'AzureDevOps', url, credentials: token }, async forge => {
    assert.deepEqual(await Array.fromAsync(forge.branches()), [
      { name: 'main', sha: 'a' },
      { name: 'feat/x', sha: 'b' },
    ])
    assert.deepEqual(await Array.fromAsync(forge.tags()), [{ name: 'v1', sha: 'c' }])
    const requests = await Array.fromAsync(forge.changeRequests())
    assert.equal(requests.length, 150)
    assert.deepEqual(requests[149], {
      id: '149',
      sha: 'c',
      branch: 'feat',
      author: 'ann@example.com',
      title: 'T',
      labels: [],
    })
  })
  assert.equal(server.requests[0]!.headers.authorization, `Basic ${Buffer.from(':secret').toString('base64')}`)
  await assert.rejects(
    visiting({ provider: 'AzureDevOps', url: `${server.url}/org/app` }, async () => {}),
    /it must have the form <organization>\/<project>\/_git\/<repository>/,
  )
})

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
    await visiting({ provider: 'GitHub', url: `${server.url}/org/app`, credentials }, async forge => {
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

test('RS-148 credentials that can not be used are told, and not shown', () => {
  const read = (data: Readonly<Record<string, string>>) => () => readForgeCredentials(secret(data))
  assert.throws(read({ username: 'x' }), /secret 'default\/app': key 'password' not found/)
  assert.throws(read({ githubAppID: '7' }), /key 'githubAppPrivateKey' not found/)
  const app = { githubAppID: '7', githubAppPrivateKey: 'k' }
  assert.throws(read(app), /exactly one of 'githubAppInstallationID' and 'githubAppInstallationOwner'/)
  assert.throws(read({ ...app, githubAppInstallationID: '1', githubAppInstallationOwner: 'o' }), /exactly one of/)
})

test('what a forge refuses is told with its status and reason, without credentials', async () => {
  const server = await forgeAt({
    '/api/v3/repos/org/secret/branches': () => ({ status: 403, json: { message: 'rate limit exceeded' } }),
    '/api/v3/repos/org/odd/branches': () => ({ text: '<html>' }),
    '/api/v3/repos/org/none/branches': () => ({ json: { not: 'a list' } }),
  })
  const branchesOf = (provider: ForgeProvider, path: string) =>
    visiting({ provider, url: server.url + path, credentials: token }, visit => Array.fromAsync(visit.branches()))
  await assert.rejects(
    branchesOf('GitHub', '/org/secret'),
    /GET .*\/repos\/org\/secret\/branches: 403 rate limit exceeded$/,
  )
  await assert.rejects(branchesOf('GitHub', '/org/gone'), /404 Not Found$/)
  await assert.rejects(branchesOf('GitHub', '/org/odd'), /the response is not JSON/)
  await assert.rejects(branchesOf('GitHub', '/org/none'), /the response is not a list/)
  await assert.rejects(branchesOf('GitHub', '/org'), /it must be the address of a repository/)
  const nowhere = visiting({ provider: 'Gitea', url: 'http://127.0.0.1:9/org/app' }, visit =>
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
    visiting({ provider: 'GitHub', url: server.url + path, credentials: token }, visit =>
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
