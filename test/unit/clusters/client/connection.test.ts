import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterError } from '../../../../lib/clusters/client/client.ts'
import { type ClusterRequest, connection } from '../../../../lib/clusters/client/connection.ts'
import type { Transport, TransportResponse } from '../../../../lib/clusters/client/transport.ts'

const answer = (status: number, headers: Record<string, string> = {}): TransportResponse => ({
  status,
  header: name => headers[name],
  body: '',
})
const get: ClusterRequest = { method: 'GET', path: '/api/v1/pods', headers: {} }
const open = (send: Transport, timeoutMs?: number) =>
  connection('https://prod', send, { clock: { monotonic: () => 0 }, ...(timeoutMs && { timeoutMs }) })

/** A transport that gives one after the other, and counts. */
const giving = (...answers: (TransportResponse | Error)[]) => {
  const sent: string[] = []
  const send: Transport = async ({ method }) => {
    sent.push(method)
    const next = answers.shift()
    if (!next) throw new Error('asked too often')
    if (next instanceof Error) throw next
    return next
  }
  return { send, sent }
}

test('tries again when the server says when, three times at most', async () => {
  const soon = answer(429, { 'retry-after': '0' })
  const patient = giving(soon, answer(503, { 'retry-after': '0' }), answer(200))
  assert.equal((await open(patient.send).request(get)).status, 200)
  const throttled = giving(soon, soon, soon, soon)
  assert.equal((await open(throttled.send).request(get)).status, 429)
  assert.equal(throttled.sent.length, 4)
})

test('does not wait for long', async () => {
  const { send, sent } = giving(answer(429, { 'retry-after': '60' }))
  assert.equal((await open(send).request(get)).status, 429)
  assert.equal(sent.length, 1)
})

test('repeats a request whose kept-alive connection was closed, unless it is a POST', async () => {
  const closed = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  assert.equal((await open(giving(closed, answer(200)).send).request(get)).status, 200)
  const posted = giving(closed, answer(201))
  await assert.rejects(open(posted.send).request({ ...get, method: 'POST' }), {
    code: 'unreachable',
    message: 'Post "https://prod/api/v1/pods": connection reset by peer',
  })
})

test('a cluster that does not respond in time is unreachable; a caller that aborts gets its own reason', async () => {
  const silent: Transport = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  await assert.rejects(open(silent, 20).request(get), {
    code: 'unreachable',
    message:
      'Get "https://prod/api/v1/pods": context deadline exceeded (Client.Timeout exceeded while awaiting headers)',
  })
  const caller = new AbortController()
  const waiting = open(silent).request({ ...get, signal: caller.signal })
  caller.abort(new Error('the lease was lost'))
  await assert.rejects(waiting, /the lease was lost/)
})

const failure = (what: object): Error => Object.assign(new Error(), what)

test('describes in common terms why there was no response', async () => {
  const messages = await Promise.all(
    [
      failure({ code: 'ECONNREFUSED', address: '10.0.0.1', port: 6443 }),
      failure({ code: 'ENOTFOUND', hostname: 'prod' }),
      failure({ code: 'UND_ERR_CONNECT_TIMEOUT' }),
      failure({ code: 'CERT_HAS_EXPIRED' }),
      failure({ cause: failure({ code: 'EHOSTUNREACH', address: '10.0.0.1', port: 443 }) }),
      new AggregateError([
        failure({ code: 'ECONNREFUSED', address: '::1', port: 443 }),
        failure({ code: 'ECONNREFUSED' }),
      ]),
      new Error('something else'),
    ].map(error =>
      open(() => Promise.reject(error))
        .request({ ...get, method: 'POST' })
        .catch((error: ClusterError) => error.message.replace('Post "https://prod/api/v1/pods": ', '')),
    ),
  )
  assert.deepEqual(messages, [
    'dial tcp 10.0.0.1:6443: connect: connection refused',
    'dial tcp: lookup prod: no such host',
    'dial tcp prod:443: i/o timeout',
    'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
    'dial tcp 10.0.0.1:443: connect: no route to host',
    'dial tcp ::1:443: connect: connection refused',
    'something else',
  ])
})
