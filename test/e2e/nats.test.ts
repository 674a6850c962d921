import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { certificateAuthority } from '../bed/certificates.ts'
import { eventually } from '../bed/eventually.ts'
import { type NatsServer, natsServer } from '../bed/nats-server.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { alert, failed, provider, type Scene, secret, within } from '../unit/signals/notify/alerting-scene.ts'

// Made for these tests; the public one belongs to the seed.
const seed = 'SUAJAQYKZHSJQ6ECMJXUDA4IKBVQWAOC6SJ6VZGZ4OMBHGBWR4IFNADHNA'
const user = 'UBK6XTS67T33AVA4EZW2ZAMZR4Y7QQQPREVOU42MPTUHZHYRFTNZDEMY'

const users = `
{ user: listener, password: listener }
{ user: flux, password: "pass word" }
{ user: mute, password: mute-password, permissions: { publish: "elsewhere" } }
{ nkey: ${user} }`

const configuration = (more = ''): string => `authorization: { timeout: 20, users: [${users}] }\n${more}`

const tell = async (scene: Scene, texts: Record<string, string>, more: object = {}): Promise<void> => {
  await scene.create(secret('credentials', texts))
  const spec = { type: 'nats', channel: 'flux.events', secretRef: { name: 'credentials' }, ...more }
  await scene.create(provider('it', spec))
  await scene.create(alert('it'))
  await scene.happens(failed)
}

const isToldTo = async (server: NatsServer, count = 1): Promise<void> => {
  await eventually(() => assert.equal(server.published.length, count))
  const { subject, payload } = server.published.at(-1)!
  assert.equal(subject, 'flux.events')
  const { involvedObject, message, metadata } = JSON.parse(payload)
  assert.deepEqual([involvedObject.name, message, metadata.env], ['app', failed.message, 'prod'])
}

test('a NATS server gets events as a user, with an nkey, or with the credentials in its address', async () => {
  const server = await natsServer(configuration())
  const ways: readonly Record<string, string>[] = [
    { address: `nats://${server.host}`, username: 'flux', password: 'pass word' },
    { address: server.host, nkey: seed },
    { address: `nats://flux:pass%20word@${server.host}` },
    { address: `nats://127.0.0.1:1,nats://${server.host}`, nkey: seed, username: 'flux', password: 'wrong' },
  ]
  for (const [i, texts] of ways.entries())
    await within(async scene => {
      await tell(scene, texts)
      assert.deepEqual(await scene.complaints(), [])
      await isToldTo(server, i + 1)
    })
})

test('a NATS server that trusts an operator gets events with the credentials of a user', () =>
  within(async scene => {
    const server = await natsServer('jwt')
    await tell(scene, { address: `nats://${server.host}`, creds: server.creds })
    assert.deepEqual(await scene.complaints(), [])
    await isToldTo(server)
  }))

test('a NATS server that requires TLS gets events if its certificate is trusted', async () => {
  const authority = certificateAuthority()
  const { cert, key } = authority.issue('nats')
  const dir = tempDir({ 'server.crt': cert, 'server.key': key })
  const tls = `tls: { cert_file: "${join(dir, 'server.crt')}", key_file: "${join(dir, 'server.key')}" }`
  const server = await natsServer(configuration(tls))
  const texts = { address: `nats://${server.host}`, nkey: seed }
  await within(async scene => {
    await tell(scene, texts)
    assert.match((await scene.complaints()).join(), /error connecting to server: .*(certificate|issuer)/)
  })
  await within(async scene => {
    await scene.create(secret('authority', { 'ca.crt': authority.ca }))
    await tell(scene, texts, { certSecretRef: { name: 'authority' } })
    assert.deepEqual(await scene.complaints(), [])
    await isToldTo(server)
  })
})

test('what a NATS server refuses is reported without a word of the secrets', async () => {
  const [server, small] = [await natsServer(configuration()), await natsServer(configuration('max_payload: 100'))]
  const refusals: readonly (readonly [Record<string, string>, object, RegExp])[] = [
    [{ username: 'flux', password: 'guessed-wrong' }, {}, /Authorization Violation/],
    [{}, { address: `nats://flux:guessed-wrong@${server.host}` }, /Authorization Violation/],
    [{ username: 'mute', password: 'mute-password' }, {}, /Permissions Violation for Publish to "flux.events"/i],
    [{ nkey: `${seed.slice(0, -1)}5` }, {}, /the nkey in the Secret is not a seed/],
    [{ creds: seed }, {}, /the creds in the Secret have no 'NATS USER JWT'/],
    [{ nkey: seed }, { address: small.host }, /the event has \d+ bytes, more than the NATS server's limit of 100/],
    [{}, { proxySecretRef: { name: 'proxy' } }, /requires a socks5 proxy/],
    [{}, { channel: 'flux.>' }, /must be a subject without wildcards/],
    [{}, { channel: 'flux\r\nPUB x' }, /must be a subject without wildcards/],
    [{}, { address: 'http://127.0.0.1' }, /must be nats:\/\//],
    [{}, { address: 'nats://169.254.169.254:4222' }, /is a link-local address/],
    [{}, { address: '127.0.0.1:1' }, /error connecting to server: connect ECONNREFUSED/],
  ]
  for (const [texts, spec, expected] of refusals)
    await within(async scene => {
      await scene.create(secret('proxy', { address: 'http://127.0.0.1:1' }))
      await tell(scene, texts, { address: `nats://${server.host}`, ...spec })
      const complaints = (await scene.complaints()).join()
      assert.match(complaints, expected)
      assert.doesNotMatch(complaints, /guessed-wrong|mute-password|SUAJ/)
    })
  assert.deepEqual([...server.published, ...small.published], [])
})
