import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { build, printResources, RemoteStatusError } from '../../../lib/engines/kustomize/build.ts'
import { parseRemoteTarget } from '../../../lib/engines/kustomize/remote-target.ts'
import { remoteBases } from '../../../lib/sources/bases/remote-bases.ts'
import { gitClient } from '../../../lib/sources/git/git-client.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { wires } from '../../bed/wires.ts'
import { memoryTree } from '../../conformance/memory-tree.ts'

const pod = (name: string): string => `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n`

/** Bases as a hub fetches them. */
const bases = (limits?: { maxBytes: number; timeoutMs: number }) => {
  const ways = wires()
  return remoteBases(gitClient(ways), ways, limits)
}

/** A server of files; gives its address. */
const serving = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  endWithTest({
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const built = async (entry: string, remotes = bases()): Promise<string> =>
  printResources(
    (await build(memoryTree({ 'kustomization.yaml': `resources: ['${entry}']\n` }), '', { remotes })).resources,
  )

test('builds on a base of a repository, at its default branch, a branch, a tag, a commit or a full name', async () => {
  const repo = await gitRepo({ 'base/kustomization.yaml': 'resources: [pod.yaml]\n', 'base/pod.yaml': pod('main') })
  const tagged = await repo.push({ 'base/pod.yaml': pod('tagged') }, { branch: 'next', tag: 'v1', annotation: 'one' })
  await repo.push({ 'base/pod.yaml': pod('branch') }, { branch: 'next' })
  const at = (ref: string): Promise<string> => built(`${repo.url}//base${ref}`)
  assert.equal(await at(''), pod('main'))
  assert.equal(await at('?ref=next'), pod('branch'))
  assert.equal(await at('?ref=v1'), pod('tagged'))
  assert.equal(await at(`?ref=${tagged}`), pod('tagged'))
  assert.equal(await at('?ref=refs/heads/next'), pod('branch'))
  await assert.rejects(at('?ref=missing'), /couldn't find remote ref "refs\/heads\/missing"/)
})

test('uses the user and password of an address, for that server alone', async () => {
  const auth = { username: 'me', password: 'p@ss' }
  const repo = await gitRepo({ 'kustomization.yaml': 'resources: [pod.yaml]\n', 'pod.yaml': pod('private') }, { auth })
  const url = new URL(repo.url)
  assert.equal(await built(`http://me:p%40ss@${url.host}${url.pathname}`), pod('private'))
  await assert.rejects(built(repo.url), /unable to list remote for 'http:\/\/127\.0\.0\.1:\d+\/repo\.git'/)
})

test('reads files over HTTP, with redirects and with the address’s user', async () => {
  const seen: (string | undefined)[] = []
  const url = await serving((request, response) => {
    seen.push(request.headers.authorization)
    if (request.url === '/moved.yaml?a=1') response.writeHead(302, { location: '/pod.yaml' }).end()
    else response.end(pod('file'))
  })
  assert.equal(await built(`${url}/moved.yaml?a=1`), pod('file'))
  assert.deepEqual(seen, [undefined, undefined])
  assert.equal(await built(`${url.replace('http://', 'http://me:secret@')}/pod.yaml`), pod('file'))
  assert.equal(seen.at(-1), `Basic ${Buffer.from('me:secret').toString('base64')}`)
})

test('reports the status of a refusal, and never the query or user of an address', async () => {
  const url = await serving((_, response) => response.writeHead(410).end('gone'))
  await assert.rejects(bases().file(`${url}/x`), new RemoteStatusError(410, 'Gone'))
  await assert.rejects(bases().file('http://me:secret@127.0.0.1:1/a?token=secret'), error => {
    assert.match(
      (error as Error).message,
      /^Get "http:\/\/127\.0\.0\.1:1\/a": dial tcp 127\.0\.0\.1:1: connect: connection refused$/,
    )
    return true
  })
})

test('bounds the size, the time and the redirects of a file', async () => {
  const url = await serving((request, response) => {
    if (request.url === '/slow') return
    if (request.url === '/round') response.writeHead(301, { location: '/round' }).end()
    else response.end('x'.repeat(2000))
  })
  const bounded = bases({ maxBytes: 1000, timeoutMs: 200 })
  await assert.rejects(bounded.file(`${url}/large`), /the file is larger than 1000 bytes$/)
  await assert.rejects(bounded.file(`${url}/slow`), /context deadline exceeded$/)
  await assert.rejects(bounded.file(`${url}/round`), /the file redirects more than 10 times$/)
})

test('fetches nothing from link-local addresses, nor from where a redirect leads to one or out of HTTP', async () => {
  const url = await serving((request, response) =>
    response
      .writeHead(302, { location: request.url === '/meta' ? 'http://169.254.169.254/' : 'file:///etc/passwd' })
      .end(),
  )
  await assert.rejects(bases().file('http://169.254.169.254/latest/meta-data'), /is a link-local address/)
  await assert.rejects(bases().file(`${url}/meta`), /is a link-local address/)
  await assert.rejects(bases().file(`${url}/file`), /the file redirects to file:\/\/\/etc\/passwd$/)
  const target = parseRemoteTarget('http://169.254.169.254/org/repo')!
  await assert.rejects(bases().repository(target), /is a link-local address/)
})

test('says which addresses it can read', async () => {
  await assert.rejects(
    built('git@git.example:org/repo.git'),
    /remote bases are read over https or http, and git@git\.example:org\/repo\.git is neither/,
  )
})
