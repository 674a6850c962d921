import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { certificateAuthority } from '../../../bed/certificates.ts'
import { alert, failed, provider, type Scene, secret, within } from './alerting-scene.ts'

const key = 'c2hhcmVkIGtleSBvZiBhIHRlc3Q='

/** An Event Hubs namespace with one hub: it takes what its shared key has signed, or one token, over TLS. */
const openNamespace = async () => {
  const authority = certificateAuthority()
  const received: { readonly host: string; readonly event: { readonly message: string } }[] = []
  const server = createServer(authority.issue('hub'), async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { host = '', authorization = '' } = request.headers
    const isThere = request.method === 'POST' && request.url === '/news/messages?api-version=2014-01'
    const isKnown = authorization === 'Bearer a-token' || isSigned(authorization, `https://${host}/news`)
    if (isThere && isKnown) received.push({ host, event: JSON.parse(body) })
    response.writeHead(!isThere ? 404 : isKnown ? 201 : 401).end(isKnown ? '' : `no: ${authorization}`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  // All names lead to the namespace: it is Azure's in production.
  const proxied: string[] = []
  const proxy = createHttpServer().on('connect', (request, client, head) => {
    proxied.push(request.url ?? '')
    const upstream = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      upstream.write(head)
      upstream.pipe(client).pipe(upstream)
    })
    for (const socket of [client, upstream]) socket.on('error', () => client.destroy())
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    ca: authority.ca,
    host: `127.0.0.1:${port}`,
    proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    proxied,
    received,
    [Symbol.dispose]: () => {
      for (const each of [server, proxy]) each.close().closeAllConnections()
    },
  }
}

/** As the service checks a shared access signature: the URL-encoded resource, a line feed, the time in seconds. */
const isSigned = (authorization: string, resource: string): boolean => {
  const [scheme, said] = authorization.split(' ')
  const fields = new URLSearchParams(said)
  const expected = createHmac('sha256', key).update(`${encodeURIComponent(resource)}\n${fields.get('se')}`)
  const isAlive = Number(fields.get('se')) > Date.UTC(2026, 0, 1) / 1000
  const [by, of] = [fields.get('skn'), fields.get('sr')]
  return (
    scheme === 'SharedAccessSignature' &&
    isAlive &&
    by === 'sender' &&
    of === resource &&
    fields.get('sig') === expected.digest('base64')
  )
}

const connectionString = (host: string, sharedKey = key): string =>
  `Endpoint=sb://${host}/;SharedAccessKeyName=sender;SharedAccessKey=${sharedKey};EntityPath=news`

const tell = async (scene: Scene, ca: string, texts: Record<string, string>, more: object = {}): Promise<string> => {
  await scene.create(secret('credentials', texts))
  await scene.create(secret('authority', { 'ca.crt': ca }))
  const references = { secretRef: { name: 'credentials' }, certSecretRef: { name: 'authority' } }
  await scene.create(provider('it', { type: 'azureeventhub', ...references, ...more }))
  await scene.create(alert('it'))
  await scene.happens(failed)
  return (await scene.complaints()).join()
}

test('an Event Hub gets events with the shared key of a connection string', async () => {
  using namespace = await openNamespace()
  await within(async scene => {
    assert.equal(await tell(scene, namespace.ca, { address: connectionString(namespace.host) }), '')
    assert.deepEqual(
      namespace.received.map(({ event }) => event.message),
      [failed.message],
    )
  })
})

test('an Event Hub gets events with a token, through a proxy, and only in a namespace of Azure', async () => {
  using namespace = await openNamespace()
  const spec = { address: 'news', proxySecretRef: { name: 'proxy' } }
  const via = (scene: Scene) => scene.create(secret('proxy', { address: namespace.proxy }))
  await within(async scene => {
    await via(scene)
    // The certificate of the test is not for that name: that far it gets.
    const complaint = await tell(scene, namespace.ca, { token: 'a-token' }, { ...spec, channel: 'team' })
    assert.match(complaint, /team\.servicebus\.windows\.net/)
    assert.deepEqual(namespace.proxied, ['team.servicebus.windows.net:443'])
  })
  for (const channel of ['team.servicebus.example.com', 'team.servicebus.windows.net.example.com', 'a/b'])
    await within(async scene => {
      await via(scene)
      assert.match(await tell(scene, namespace.ca, { token: 'a-token' }, { ...spec, channel }), /must be a namespace/)
    })
  assert.equal(namespace.proxied.length, 1)
})

test('what an Event Hub refuses is reported without a word of the key', async () => {
  using namespace = await openNamespace()
  const refusals: readonly (readonly [Record<string, string>, RegExp])[] = [
    [{ address: connectionString(namespace.host, 'guessed-wrong') }, /failed with status code 401/],
    [{ address: connectionString(namespace.host), token: 'a' }, /cannot be set at the same time/],
    [{ address: connectionString(namespace.host).replace('EntityPath', 'Path') }, /has no EntityPath/],
    [{ address: connectionString('169.254.169.254') }, /is a link-local address/],
    [{ address: 'news' }, /requires an address .* and a channel/],
  ]
  for (const [texts, expected] of refusals)
    await within(async scene => {
      const complaint = await tell(scene, namespace.ca, texts)
      assert.match(complaint, expected)
      assert.doesNotMatch(complaint, /guessed-wrong|c2hhcmVk/)
    })
  assert.deepEqual(namespace.received, [])
})
