import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { http1Transport } from '../../../../lib/clusters/client/http1-transport.ts'
import { certificateAuthority } from '../../../bed/certificates.ts'

const authority = certificateAuthority()

/** A server until the test ends, with the number of connections that it has had, and a transport to it. */
const serving = async (t: TestContext, listener: RequestListener, trusted = authority) => {
  const server = createServer(authority.issue('hub'), listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let connections = 0
  server.on('secureConnection', () => connections++)
  const address = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  const transport = http1Transport({ server: `${address}/hubs/one/`, certificateAuthority: trusted.ca })
  t.after(async () => {
    await transport.close()
    server.closeAllConnections()
    server.close()
  })
  return { ...transport, address, connections: () => connections }
}

const posted = (signal: AbortSignal = AbortSignal.timeout(5_000)) =>
  ({
    method: 'POST',
    path: '/runner/v1/sync',
    headers: { 'x-of': 'runner' },
    body: '{"é":1}',
    signal,
  }) as const

test('sends a request and returns the response, over one connection', async t => {
  const it = await serving(t, async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    response
      .writeHead(409, { 'x-kind': 'Status' })
      .end(`${request.method} ${request.url} ${request.headers['x-of']} ${body}`)
  })
  for (const _ of ['first', 'second']) {
    const { status, header, body } = await it.send(posted())
    assert.deepEqual([status, header('x-kind'), header('x-other')], [409, 'Status', undefined])
    assert.equal(body, 'POST /hubs/one/runner/v1/sync runner {"é":1}')
  }
  assert.equal(it.connections(), 1)
})

test('fails as a cluster does that is unreachable', async t => {
  const it = await serving(t, () => {}, certificateAuthority('another'))
  await assert.rejects(it.send(posted()), {
    code: 'unreachable',
    message: `Post "${it.address}/hubs/one/runner/v1/sync": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
  })
  const { send } = http1Transport({ server: 'https://127.0.0.1:1' })
  await assert.rejects(send(posted()), {
    message: 'Post "https://127.0.0.1:1/runner/v1/sync": dial tcp 127.0.0.1:1: connect: connection refused',
  })
})

test('a response that breaks off is none', async t => {
  const it = await serving(t, (_, response) => {
    response.writeHead(200, { 'content-length': '10' }).write('12345', () => response.destroy())
  })
  await assert.rejects(it.send(posted()), { code: 'unreachable', message: /: connection reset by peer$/ })
})

test('after a request without a response, the next one opens a connection', async t => {
  let requests = 0
  const it = await serving(t, (_, response) => {
    if (++requests !== 3) setTimeout(() => response.end('ok'), 20)
  })
  // Two connections, of which the third request uses one.
  await Promise.all([it.send(posted()), it.send(posted())])
  assert.equal(it.connections(), 2)
  await assert.rejects(it.send(posted(AbortSignal.timeout(50))), { message: /: context deadline exceeded / })
  assert.equal((await it.send(posted())).body, 'ok')
  assert.equal(it.connections(), 3)
  await assert.rejects(it.send(posted(AbortSignal.abort())), { code: 'unreachable' })
  assert.equal(requests, 4)
})
