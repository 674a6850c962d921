import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { gitRepo } from '../../bed/git-repo.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { openSession } from './session.ts'

const main = { branch: 'main' }
const basic = { username: 'user', password: 'p:ß' }

/** An HTTP server of the running test's own; returns its address. */
const httpServer = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  endWithTest({
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('authenticates with user and password, from the Secret or the address, and with a bearer token', async () => {
  const withPassword = await gitRepo({ a: '1' }, { auth: basic })
  await openSession(withPassword.url, { secret: basic }).resolve(main)
  await openSession(withPassword.url.replace('://', `://user:${encodeURIComponent(basic.password)}@`)).resolve(main)
  const withToken = await gitRepo({ a: '1' }, { auth: { token: 'secret-token' } })
  await openSession(withToken.url, { secret: { bearerToken: 'secret-token' } }).resolve(main)
})

test('says that credentials are needed, without showing those it has', async () => {
  const repo = await gitRepo({ a: '1' }, { auth: basic })
  const address = repo.url.replace('://', '://user:wrong@')
  await assert.rejects(openSession(address).resolve(main), {
    code: 'unauthorized',
    message: `unable to clone '${repo.url}': authentication required: Unauthorized\n`,
  })
  await assert.rejects(openSession(address).resolve(main, true), {
    message: `unable to list remote for '${repo.url}': authentication required: Unauthorized\n`,
  })
})

test('quotes nothing from the response of another server', async () => {
  for (const [status, words] of [
    [401, 'authentication required'],
    [403, 'authorization failed'],
    [404, 'repository not found'],
  ] as const) {
    const url = await httpServer((_, response) => {
      response.writeHead(status, { 'content-type': 'text/plain' }).end('inside: hunter2')
    })
    await assert.rejects(openSession(`${url}/a.git`).resolve(main), {
      message: `unable to clone '${url}/a.git': ${words}: 15 bytes of text/plain`,
    })
  }
})

test('trusts the authority and shows the client certificate that the Secret holds', async () => {
  const repo = await gitRepo({ a: '1' }, { tls: 'mutual' })
  const { cert, key } = repo.server.clientCertificate!
  const client = { 'tls.crt': cert, 'tls.key': key }
  await openSession(repo.url, { secret: { 'ca.crt': repo.server.ca!, ...client } }).resolve(main)
  await openSession(repo.url, { secret: { caFile: repo.server.ca!, ...client } }).resolve(main)
  await assert.rejects(openSession(repo.url, { secret: { 'ca.crt': repo.server.ca! } }).resolve(main), {
    code: 'unreachable',
  })
  await assert.rejects(openSession(repo.url, { secret: client }).resolve(main), {
    code: 'unreachable',
    message: `unable to clone '${repo.url}': Get "${repo.url}/info/refs?service=git-upload-pack": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  })
})

test('follows a redirect, but takes no credentials to another host', async () => {
  const open = await gitRepo({ a: '1' })
  const closed = await gitRepo({ a: '1' }, { auth: basic })
  for (const [target, works] of [
    [open, true],
    [closed, false],
  ] as const) {
    const asked: string[] = []
    const front = await httpServer((request, response) => {
      asked.push(`${request.method} ${request.headers.authorization ? 'with' : 'without'} credentials`)
      response.writeHead(301, { location: target.url + request.url!.replace(/^\/old/, '') }).end()
    })
    const session = openSession(`${front}/old`, { secret: basic })
    if (works) await session.fetch(await session.resolve(main))
    else await assert.rejects(session.resolve(main), { code: 'unauthorized' })
    assert.deepEqual(asked, ['POST with credentials', 'GET with credentials'])
    assert.ok(target.server.requests.length > 0)
    assert.ok(target.server.requests.every(({ headers }) => headers.authorization === undefined))
  }
})

test('follows no redirect to other places, nor in circles', async () => {
  const elsewhere = await httpServer((_, response) => response.writeHead(302, { location: '/login?next=x' }).end())
  await assert.rejects(openSession(`${elsewhere}/a.git`).resolve(main), {
    code: 'protocol',
    message: `unable to clone '${elsewhere}/a.git': ${elsewhere}/a.git/info/refs?service=git-upload-pack redirects to ${elsewhere}/login`,
  })
  const circle = await httpServer((request, response) => response.writeHead(302, { location: request.url! }).end())
  await assert.rejects(openSession(`${circle}/a.git`).resolve(main), { code: 'protocol' })
})

test('never connects to a link-local address, not even by a redirect', async () => {
  const forbidden = /169\.254\.169\.254 is a link-local address/
  await assert.rejects(openSession('http://169.254.169.254/a.git').resolve(main), {
    code: 'unreachable',
    message: forbidden,
  })
  const front = await httpServer((_, response) =>
    response.writeHead(302, { location: 'http://169.254.169.254/info/refs?service=git-upload-pack' }).end(),
  )
  await assert.rejects(openSession(`${front}/a.git`).resolve(main), { message: forbidden })
})

test('reports servers that are not there, lack the repository, or are no git servers', async () => {
  const failure = (url: string) => openSession(url).resolve(main)
  await assert.rejects(failure('http://127.0.0.1:9/x.git'), {
    code: 'unreachable',
    message: `unable to clone 'http://127.0.0.1:9/x.git': Get "http://127.0.0.1:9/x.git/info/refs?service=git-upload-pack": dial tcp 127.0.0.1:9: connect: connection refused`,
  })
  const repo = await gitRepo({ a: '1' })
  const missing = `${repo.server.url}/nope.git`
  await assert.rejects(failure(missing), {
    code: 'repositoryNotFound',
    message: `unable to clone '${missing}': repository not found: `,
  })
  const site = await httpServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
  await assert.rejects(failure(`${site}/a.git`), {
    code: 'protocol',
    message: /does not support git's smart HTTP protocol$/,
  })
  const broken = await httpServer((_, response) => response.writeHead(503).end())
  await assert.rejects(failure(`${broken}/a.git`), { code: 'protocol', message: /status code: 503$/ })
})

test('gives up when the time is over', async () => {
  const silent = await httpServer(() => {})
  await assert.rejects(openSession(`${silent}/a.git`, { signal: AbortSignal.timeout(200) }).resolve(main), {
    code: 'unreachable',
    message: /context deadline exceeded$/,
  })
})

test('stops reading a response that exceeds the limit', async () => {
  const endless = await httpServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' })
    const line = `0064${'a'.repeat(40)} refs/heads/${'x'.repeat(44)}`
    const pour = () => {
      while (response.write(line.repeat(1000)) && !response.destroyed);
    }
    response.on('drain', pour)
    pour()
  })
  const limits = {
    maxPackBytes: 1 << 20,
    maxObjects: 1,
    maxObjectBytes: 1,
    maxTotalBytes: 1,
    maxFiles: 1,
    maxEntries: 1,
    maxBytes: 1,
    maxDepth: 1,
  }
  await assert.rejects(openSession(`${endless}/a.git`, { limits }).resolve(main), { name: 'GitError' })
})

test('reports credentials that can not be used, and shows none of them', async () => {
  const repo = await gitRepo({ a: '1' }, { tls: true })
  const unusable: Record<string, string>[] = [
    { 'ca.crt': 'no certificate' },
    { 'ca.crt': repo.server.ca!, 'tls.crt': 'no certificate', 'tls.key': 'secret-key' },
  ]
  for (const secret of unusable) {
    await assert.rejects(openSession(repo.url, { secret }).resolve(main), error => {
      assert.match(String(error), /^GitError: unable to clone/)
      assert.doesNotMatch(inspect(error, { depth: 10 }), /secret-/)
      return true
    })
  }
  assert.throws(() => openSession('http://user:%zz@127.0.0.1/a.git'), { name: 'InvalidCredentials' })
  assert.throws(() => openSession(repo.url, { secret: { bearerToken: 'secret\n' } }), { name: 'InvalidCredentials' })
})

test('says that the time is over when it ends during unpacking', async () => {
  const repo = await gitRepo(Object.fromEntries(Array.from({ length: 6000 }, (_, index) => [`f${index}`, `${index}`])))
  const ending = new AbortController()
  const session = openSession(repo.url, { signal: ending.signal })
  const target = await session.resolve(main)
  repo.server.intercept = (_, response) => {
    response.once('finish', () => setTimeout(() => ending.abort(new DOMException('late', 'TimeoutError')), 1))
    return false
  }
  await assert.rejects(session.fetch(target), { code: 'unreachable', message: /context deadline exceeded$/ })
})
