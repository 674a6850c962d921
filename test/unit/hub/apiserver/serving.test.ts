import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { parseYaml } from '../../../../lib/engines/yaml/parse.ts'
import { certificateAuthority, serverCertificate } from '../../../../lib/hub/apiserver/identity/certificate.ts'
import { kubeconfig } from '../../../../lib/hub/apiserver/identity/kubeconfig.ts'
import { servingIdentity } from '../../../../lib/hub/apiserver/identity/serving-identity.ts'
import { listen } from '../../../../lib/hub/apiserver/wire/listen.ts'
import { systemClock } from '../../../../lib/platform/adapters/embedded/system-clock.ts'
import { systemRandom } from '../../../../lib/platform/adapters/embedded/system-random.ts'
import { eventually } from '../../../bed/eventually.ts'
import { endWithTest } from '../../../bed/teardown.ts'
import { tempDir } from '../../../bed/temp-dir.ts'
import { by, configMap, configMapRef } from '../store/world.ts'
import { apiWorld, configMaps } from './world.ts'

const validity = { from: new Date('2026-01-01T00:00:00Z'), days: 30 }

test('issues certificates that verify, for names and addresses', () => {
  const authority = certificateAuthority('keelson', Buffer.from([0x80, 1]), validity)
  const server = serverCertificate(authority, ['localhost', '127.0.0.1', '::1', 'fd00::12'], Buffer.from([2]), validity)
  const [root, leaf] = [new X509Certificate(authority.certificate), new X509Certificate(server.certificate)]
  assert.deepEqual([root.ca, leaf.ca, root.checkIssued(root), leaf.checkIssued(root)], [true, false, true, true])
  assert.deepEqual([root.verify(root.publicKey), leaf.verify(root.publicKey)], [true, true])
  assert.deepEqual(
    [leaf.checkHost('localhost'), leaf.checkIP('127.0.0.1'), leaf.checkIP('fd00::12'), leaf.checkHost('example.com')],
    ['localhost', '127.0.0.1', 'fd00::12', undefined],
  )
  assert.deepEqual([leaf.validFromDate, leaf.validToDate], [validity.from, new Date('2026-01-31T00:00:00Z')])
  assert.equal(root.serialNumber, '8001')
})

test('keeps its identity over restarts, for its owner only', async () => {
  const dir = tempDir()
  const ports = { clock: systemClock, random: systemRandom }
  const [first, second] = [await servingIdentity(dir, ports), await servingIdentity(dir, ports)]
  assert.deepEqual([second.authority, second.token], [first.authority, first.token])
  assert.ok(new X509Certificate(second.server.certificate).verify(new X509Certificate(first.authority).publicKey))
  for (const name of ['ca.key', 'ca.crt', 'token']) assert.equal(statSync(join(dir, name)).mode & 0o777, 0o600, name)
  assert.ok(first.token.length >= 43)
})

test('makes a new authority before the old one runs out', async () => {
  const dir = tempDir()
  const first = await servingIdentity(dir, { clock: systemClock, random: systemRandom })
  const later = { ...systemClock, now: () => Date.now() + 9 * 365 * 86_400_000 }
  const second = await servingIdentity(dir, { clock: later, random: systemRandom })
  assert.notEqual(second.authority, first.authority)
})

test('serves over TLS to those who trust its authority, and lets go of watches whose client went', async () => {
  const { handle, hub } = await apiWorld()
  const identity = await servingIdentity(tempDir(), { clock: systemClock, random: systemRandom })
  let open = 0
  const listener = await listen({
    port: 0,
    certificate: identity.server,
    handle: async incoming => {
      open++
      incoming.signal.addEventListener('abort', () => open--)
      return handle(incoming)
    },
  })
  endWithTest({ [Symbol.asyncDispose]: listener.close })
  const trusting = new Agent({ connect: { ca: identity.authority } })
  await hub.create(configMap('a'), by('me'))
  await assert.rejects(request(`${listener.url}${configMaps}`), /unable to verify the first certificate/)
  const { statusCode, body } = await request(`${listener.url}${configMaps}?watch=1`, { dispatcher: trusting })
  const [first] = (await body[Symbol.asyncIterator]().next()).value.toString().split('\n')
  assert.deepEqual([statusCode, JSON.parse(first).type, open], [200, 'ADDED', 1])
  body.destroy()
  await eventually(() => assert.equal(open, 0), { within: 3000, every: 10 })
  await trusting.close()
})

test('disconnects clients that receive nothing, and sends slow ones the whole response', async () => {
  const cancelled: string[] = []
  const parts = (what: string) =>
    new ReadableStream<Uint8Array>(
      {
        pull: controller => controller.enqueue(Buffer.alloc(1_000_000)),
        cancel: () => void cancelled.push(what),
      },
      { highWaterMark: 0 },
    )
  const handle = async ({ url }: Request) => new Response(url.endsWith('text') ? 'brief' : parts('endless'))
  const listener = await listen({ port: 0, handle, stalledMs: 1000 })
  endWithTest({ [Symbol.asyncDispose]: listener.close })
  const { port } = listener
  const stuck = connect(port, '127.0.0.1')
  stuck.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  stuck.pause()
  await eventually(() => assert.deepEqual(cancelled, ['endless']), { within: 10_000, every: 20 })
  stuck.destroy()
  const { statusCode, headers, body } = await request(`${listener.url}/text`)
  assert.deepEqual([statusCode, headers['content-length'], await body.text()], [200, '5', 'brief'])
  const slow = await request(listener.url)
  let taken = 0
  for await (const part of slow.body) {
    taken += part.length
    await sleep(1)
    if (taken > 10_000_000) break
  }
  assert.ok(taken > 10_000_000)
})

test('sends the events of a watch as messages of a WebSocket, and refuses others as it does without', async () => {
  const { handle, hub } = await apiWorld()
  const listener = await listen({ port: 0, handle })
  endWithTest({ [Symbol.asyncDispose]: listener.close })
  await hub.create(configMap('a', {}, { key: 'x'.repeat(70_000) }), by('me'))
  const url = listener.url.replace('http', 'ws')
  const socket = new WebSocket(`${url}${configMaps}?watch=true`, ['base64.binary.k8s.io'])
  const events: string[] = []
  socket.addEventListener('message', ({ data }) => {
    const { type, object } = JSON.parse(String(data))
    events.push(`${type} ${object.metadata.name}`)
  })
  await eventually(() => assert.deepEqual(events, ['ADDED a']), { within: 5000, every: 5 })
  await hub.create(configMap('b'), by('me'))
  await hub.delete(configMapRef('a'), {})
  await eventually(() => assert.deepEqual(events, ['ADDED a', 'ADDED b', 'DELETED a']), { within: 5000, every: 5 })
  assert.equal(socket.protocol, 'base64.binary.k8s.io')
  socket.close()
  await once(socket, 'close')
  const brief = new WebSocket(`${url}${configMaps}?watch=true&timeoutSeconds=1`)
  const [{ code }] = (await once(brief, 'close')) as [CloseEvent]
  assert.equal(code, 1000)
  const unknown = new WebSocket(`${url}/api/v1/nodes?watch=true`)
  await once(unknown, 'error')
  const asking = async (path: string) => {
    const client = connect(listener.port, '127.0.0.1')
    client.end(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    )
    let text = ''
    for await (const part of client) text += part
    return text
  }
  assert.match(await asking('/api/v1/nodes?watch=true'), /^HTTP\/1.1 404 .*"reason":"NotFound"/s)
  assert.match(await asking(configMaps), /^HTTP\/1.1 200 OK.*"kind":"ConfigMapList"/s)
})

test('the WebSocket of a watch responds to pings, and ends if its client sends data that a watch does not use', async () => {
  const { handle } = await apiWorld()
  const listener = await listen({ port: 0, handle })
  endWithTest({ [Symbol.asyncDispose]: listener.close })
  const handshake = (key: string, protocols = '') =>
    `GET ${configMaps}?watch=true HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: ${key}\r\nSec-WebSocket-Version: 13\r\n${protocols}\r\n`
  const key = 'dGhlIHNhbXBsZSBub25jZQ=='
  const mask = Buffer.alloc(4)
  const conversation = async (hello: string, ...frames: readonly Buffer[]) => {
    const client = connect(listener.port, '127.0.0.1')
    client.write(Buffer.concat([Buffer.from(hello), ...frames]))
    const parts: Buffer[] = []
    for await (const part of client) parts.push(part)
    return Buffer.concat(parts).toString('latin1')
  }
  const ping = Buffer.concat([Buffer.from([0x89, 0x82]), mask, Buffer.from('hi')])
  const close = Buffer.concat([Buffer.from([0x88, 0x82]), mask, Buffer.from([0x03, 0xe8])])
  const whole = await conversation(handshake(key), ping, close)
  assert.match(whole, /^HTTP\/1.1 101 .*Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r\n/s)
  assert.ok(whole.includes('\x8a\x02hi'), 'a pong with what the ping held')
  assert.ok(whole.endsWith('\x88\x02\x03\xe8'), 'closed with the code of the client')

  const long = Buffer.concat([Buffer.from([0x82, 0xfe, 0x00, 0x80]), mask, Buffer.alloc(128)])
  assert.match(await conversation(handshake(key), long), /^HTTP\/1.1 101 /)
  const unmasked = Buffer.from([0x82, 0x01, 0x78])
  assert.match(await conversation(handshake(key), unmasked), /^HTTP\/1.1 101 /)
  assert.match(await conversation(handshake('no key')), /^HTTP\/1.1 400 /)
  const several = await conversation(handshake(key, 'Sec-WebSocket-Protocol: a, b\r\n'), close)
  assert.doesNotMatch(several, /Sec-WebSocket-Protocol/i)
})

test('writes a kubeconfig that holds everything inline', () => {
  const [config] = parseYaml(kubeconfig({ server: 'https://127.0.0.1:1', authority: 'PEM', token: 'secret' }))
  assert.deepEqual(config, {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'keelson', cluster: { server: 'https://127.0.0.1:1', 'certificate-authority-data': 'UEVN' } }],
    users: [{ name: 'keelson', user: { token: 'secret' } }],
    contexts: [{ name: 'keelson', context: { cluster: 'keelson', user: 'keelson' } }],
    'current-context': 'keelson',
  })
})
