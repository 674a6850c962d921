import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { pacedGate, queryGate } from '../../../../lib/reconcile/rollout/query-gate.ts'

let respond: RequestListener = () => {}
const server = createServer((request, response) => respond(request, response))
await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/query?query=up`
const query = queryGate(fetch)
const never = new AbortController().signal

const responding = (body: string, status = 200): void => {
  respond = (_, response) => response.writeHead(status).end(body)
}

/** As in the documentation of Prometheus' HTTP API. */
const prometheus = (resultType: string, result: unknown): string =>
  JSON.stringify({ status: 'success', data: { resultType, result } })

test('the value of a query is that of the first sample of a response of Prometheus', async () => {
  for (const [body, value] of [
    [prometheus('scalar', [1435781451.781, '0.25']), 0.25],
    [prometheus('vector', [{ metric: {}, value: [1435781451.781, '3'] }]), 3],
    [prometheus('vector', []), null],
    [prometheus('vector', [{ metric: {}, value: [1435781451.781, 'NaN'] }]), null],
    [prometheus('matrix', [{ metric: {}, values: [[1435781451.781, '1']] }]), null],
    [JSON.stringify({ status: 'error', errorType: 'bad_data' }), null],
  ] as const) {
    responding(body)
    assert.deepEqual(await query(url, never, 0), { status: 200, body: JSON.parse(body), value })
  }
})

test('a response that is no JSON is text, with its status', async () => {
  responding('not now', 503)
  assert.deepEqual(await query(url, never, 0), { status: 503, body: 'not now', value: null })
})

test('a response of more than 1 MB is refused, before all of it has come', async () => {
  let isOpen = true
  respond = (_, response) => {
    response.on('close', () => {
      isOpen = false
    })
    const piece = Buffer.alloc(256 * 1024, 'x')
    const more = () => {
      if (isOpen) response.write(piece, () => setImmediate(more))
    }
    more()
  }
  await assert.rejects(query(url, never, 0), /more than 1048576 bytes/)
})

test('a query ends with the pass', async () => {
  const pass = new AbortController()
  respond = () => pass.abort(new Error('the pass has ended'))
  await assert.rejects(query(url, pass.signal, 0), /the pass has ended/)
})

test('a result is used again until the interval of a gate is over, a failure too, but not that of a pass that has ended', async () => {
  let now = 1_000
  const results = ['one', new Error('refused'), 'two', 'three'].values()
  const paced = pacedGate(
    async () => {
      const body = results.next().value
      if (body instanceof Error) throw body
      return { status: 200, body, value: null }
    },
    { now: () => now },
  )
  const bodyOf = async (address: string) => (await paced(address, never, 60_000)).body
  assert.deepEqual([await bodyOf('a'), await bodyOf('a')], ['one', 'one'])
  await assert.rejects(bodyOf('b'), /refused/)
  await assert.rejects(bodyOf('b'), /refused/)
  now += 60_000
  const ended = AbortSignal.abort(new Error('the pass has ended'))
  await assert.rejects(paced('a', ended, 60_000), /the pass has ended/)
  assert.equal(await bodyOf('a'), 'three')
})
