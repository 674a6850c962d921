import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { test } from 'node:test'
import { SignJWT } from 'jose'
import { apiSample, bareRequestEvent, parseFunctionUrlRequest } from '../../../../events/function-url.ts'
import {
  isTrustedIssuersRequest,
  parseTrustedIssuers,
  trustedIssuersRequest,
} from '../../../../events/trusted-issuers.ts'
import { composeApiProxy } from '../../../../lib/compose/aws/api-proxy.ts'
import { createSessions } from '../../../../lib/hub/console/sessions.ts'
import { signedSeals } from '../../../../lib/hub/console/signed-seals.ts'
import { signRequest } from '../../../../lib/hub/runners/signed-request.ts'
import { eksToken } from '../../../../lib/platform/cloud/aws/eks-token.ts'
import { CloudError } from '../../../../lib/platform/cloud/cloud-error.ts'
import { readableSeals } from '../../hub/console/readable-seals.ts'

const account = '111122223333'
const issuer = 'https://login.acme.example'
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keySet = { keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'ES256', kid: 'k' }] }
const text = new TextEncoder()
const pages = { index: { type: 'text/html', body: text.encode('the page') }, assets: new Map() }
const now = Date.parse('2026-11-27T06:00:00Z')

/** A proxy, an STS that confirms every token as one of an account, and the events that were forwarded. */
const proxyWorld = (confirmed = account, failure?: Error) => {
  const forwarded: object[] = []
  const logged: string[] = []
  const identity = `<Arn>arn:aws:iam::${confirmed}:user/jane</Arn><UserId>AIDA</UserId><Account>${confirmed}</Account>`
  const fetch = async () => ({
    status: 200,
    headers: new Headers(),
    body: (async function* () {
      yield Buffer.from(identity)
    })(),
  })
  const apiServer = async (event: object) => {
    const isForIssuers = isTrustedIssuersRequest(event)
    if (!isForIssuers && failure) throw failure
    if (!isForIssuers) forwarded.push(event)
    const answer = isForIssuers
      ? { accounts: [account], keySet, issuers: [{ url: issuer, keySet }] }
      : 'as it is written'
    return (async function* () {
      yield Buffer.from(JSON.stringify(answer))
    })()
  }
  const proxy = composeApiProxy(
    {
      cloud: { fetch, environment: {} },
      clock: { now: () => now, monotonic: () => now, sleep: async () => {} },
      log: { info: () => {}, error: message => void logged.push(message) },
      apiServer,
      pages,
    },
    {
      issuersRequest: trustedIssuersRequest,
      parseIssuers: parseTrustedIssuers,
      bare: bareRequestEvent,
    },
    { hubName: 'keelson', region: 'eu-west-1' },
  )
  const send = async (event: object) => {
    const answer = await proxy(event, parseFunctionUrlRequest(event), AbortSignal.timeout(10_000))
    if ('response' in answer) {
      const { status, headers } = answer.response
      if (status === 200) return `200 ${await answer.response.text()}`
      const { message } = (await answer.response.json()) as Answer
      return [status, message, headers.get('retry-after')].filter(Boolean).join(' ')
    }
    return Buffer.concat(await Array.fromAsync(answer.stream)).toString()
  }
  /** The response of the proxy itself. */
  const respond = async (event: object): Promise<Response> => {
    const answer = await proxy(event, parseFunctionUrlRequest(event), AbortSignal.timeout(10_000))
    assert.ok('response' in answer)
    return answer.response
  }
  return { send, respond, forwarded, logged }
}

interface Answer {
  readonly message: string
}

const endpoint = 'https://sts.eu-west-1.amazonaws.com'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
const secrets = { ...apiSample, rawPath: '/api/v1/secrets', rawQueryString: 'limit=500' }
const withToken = async (event: typeof secrets) => {
  const { token } = await eksToken(credentials, { clusterName: 'keelson', region: 'eu-west-1', endpoint, now })
  return { ...event, headers: { ...event.headers, authorization: `Bearer ${token}` } }
}

test('forwards the event of a caller unchanged, and streams the response unchanged', async () => {
  const { send, forwarded } = proxyWorld()
  const event = await withToken(secrets)
  assert.equal(await send(event), '"as it is written"')
  assert.deepEqual(forwarded, [event])
})

test('responds itself without a token, and to one of an account that the hub does not trust', async () => {
  const { send, forwarded } = proxyWorld()
  assert.equal(await send(secrets), '401 Unauthorized')
  const other = proxyWorld('444455556666')
  assert.equal(await other.send(await withToken(secrets)), '401 Unauthorized')
  assert.deepEqual([...forwarded, ...other.forwarded], [])
})

test('leads agents without a token to the issuers that the hub trusts', async () => {
  const { respond, forwarded } = proxyWorld()
  const { status, headers } = await respond({ ...apiSample, rawPath: '/mcp' })
  assert.equal(status, 401)
  const [, metadata] = /^Bearer resource_metadata="(https:.*)"$/.exec(headers.get('www-authenticate') ?? '') ?? []
  const { origin, pathname } = new URL(metadata!)
  const found = (await (await respond({ ...apiSample, rawPath: pathname })).json()) as Record<string, unknown>
  assert.deepEqual([found.resource, found.authorization_servers], [`${origin}/mcp`, [issuer]])
  assert.equal((await respond(secrets)).headers.get('www-authenticate'), null)
  assert.deepEqual(forwarded, [])
})

test('forwards what a runner seems to have signed for this path within the last minute, whose key only the hub knows', async () => {
  const { send, forwarded } = proxyWorld()
  const { privateKey: key } = generateKeyPairSync('ed25519')
  const path = '/runner/v1/sync'
  const signed = (at: number, rawPath = path, method = 'POST') => {
    const authorization = signRequest({ cluster: 'ships/aurora', path, body: '{}', now: at }, key)
    const context = { ...apiSample.requestContext, http: { ...apiSample.requestContext.http, method } }
    return {
      ...apiSample,
      rawPath,
      headers: { ...apiSample.headers, authorization },
      body: '{}',
      requestContext: context,
    }
  }
  const event = signed(now)
  assert.equal(await send(event), '"as it is written"')
  assert.deepEqual(forwarded, [event])
  for (const refused of [
    signed(now - 61_000),
    signed(now, '/runner/v1/report'),
    signed(now, '/api/v1/secrets'),
    signed(now, path, 'PUT'),
    { ...event, headers: apiSample.headers },
  ])
    assert.equal(await send(refused), '401 Unauthorized')
  assert.equal(forwarded.length, 1)
})

test('serves version and health without a token, and forwards nothing but the path', async () => {
  const { send, forwarded } = proxyWorld()
  const event = { ...apiSample, rawPath: '/livez', rawQueryString: 'a=b', body: 'x' }
  assert.equal(await send(event), '"as it is written"')
  const { domainName } = apiSample.requestContext
  assert.deepEqual(forwarded, [
    {
      ...{ rawPath: '/livez', rawQueryString: '', headers: {}, isBase64Encoded: false },
      requestContext: { domainName, http: { method: 'GET' } },
    },
  ])
  for (const rawPath of ['/livez/../api', '/livez/etcd', '/metrics', '//version'])
    assert.equal(await send({ ...apiSample, rawPath }), '401 Unauthorized', rawPath)
  const posted = { ...apiSample.requestContext, http: { ...apiSample.requestContext.http, method: 'POST' } }
  assert.equal(await send({ ...apiSample, rawPath: '/livez', requestContext: posted }), '401 Unauthorized')
})

const sealsAt = (clock: number, key = privateKey) =>
  signedSeals({
    seals: readableSeals(() => clock),
    key: async () => ({ id: 'k', privateKey: key, publicKey }),
    clock: { now: () => clock },
  })

test("serves the console's pages itself, and forwards a session that the hub has signed, while it lasts", async () => {
  const { send, forwarded } = proxyWorld()
  const page = { ...apiSample, rawPath: '/units', headers: { ...apiSample.headers, accept: 'text/html' } }
  assert.equal(await send(page), '200 the page')
  assert.deepEqual(forwarded, [], 'a page needs nothing of the hub')
  const cookieOf = async (clock: number, key = privateKey) => {
    const sessions = createSessions({ seals: sealsAt(clock, key), random: { bytes: count => new Uint8Array(count) } })
    const cookie = await sessions.open(new URL('https://hub.example/'), { token: 'of jane' })
    return cookie.split(';')[0]!
  }
  const withCookie = (cookie: string) => ({ ...secrets, cookies: ['theme=dark', cookie] })
  const known = withCookie(await cookieOf(now))
  assert.equal(await send(known), '"as it is written"')
  assert.deepEqual(forwarded, [known])
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const token = await new SignJWT({}).setProtectedHeader({ alg: 'ES256' }).setExpirationTime('1h').sign(privateKey)
  for (const cookie of [
    await cookieOf(now - 13 * 3_600_000),
    await cookieOf(now, other),
    '__Host-keelson-session=aaaa',
    '__Host-keelson-session=a.b.c',
    `__Host-keelson-session=${token}`,
    (await cookieOf(now)).replace('__Host-', ''),
  ])
    assert.equal(await send(withCookie(cookie)), '401 Unauthorized', cookie)
  assert.equal(forwarded.length, 1)
})

test('forwards a login with its code, and nothing else that a stranger sends', async () => {
  const { send, forwarded } = proxyWorld()
  const code = 'c'.repeat(43)
  const http = { ...apiSample.requestContext.http, method: 'POST' }
  const login = {
    ...{ ...apiSample, rawPath: '/console/session', rawQueryString: 'a=b', body: 'x' },
    requestContext: { ...apiSample.requestContext, http },
    headers: { ...apiSample.headers, 'x-keelson-login-code': code, 'sec-fetch-site': 'same-origin', cookie: 'a=b' },
  }
  assert.equal(await send(login), '"as it is written"')
  const { domainName } = apiSample.requestContext
  const headers = { 'x-keelson-login-code': code, 'sec-fetch-site': 'same-origin' }
  assert.deepEqual(forwarded, [
    {
      ...{ rawPath: '/console/session', rawQueryString: '', headers, isBase64Encoded: false },
      requestContext: { domainName, http: { method: 'POST' } },
    },
  ])
  for (const bad of ['', 'c'.repeat(44), `${'c'.repeat(42)}!`]) {
    const headers = { ...login.headers, 'x-keelson-login-code': bad }
    assert.equal(await send({ ...login, headers }), '401 Unauthorized', bad)
  }
})

test('forwards a login at an issuer that the hub trusts, with the cookie of one that the hub has begun, and nothing else', async () => {
  const { send, forwarded } = proxyWorld()
  const ask = async (rawPath: string, rawQueryString: string, cookies: readonly string[] = []) => {
    const headers = { ...apiSample.headers, 'x-forwarded-host': 'evil.example' }
    await send({ ...apiSample, rawPath, rawQueryString, cookies, headers, body: 'x' })
    const { headers: sent, rawQueryString: query } = forwarded.pop() as typeof apiSample
    return { sent, query }
  }
  assert.deepEqual(await ask('/console/issuers', 'a=b', ['a=b']), { sent: {}, query: '' })
  const trusted = `issuer=${encodeURIComponent(issuer)}`
  assert.deepEqual(await ask('/console/login', `a=b&${trusted}`, ['a=b']), { sent: {}, query: trusted })
  assert.deepEqual(await ask('/console/login', 'issuer=https://evil.example'), { sent: {}, query: '' })
  const begunAt = async (clock: number, key = privateKey) => {
    const checks = { issuer, state: 's', nonce: 'n', verifier: 'v', redirectUri: '/' }
    return `keelson-login=${await sealsAt(clock, key).seal(checks, 'console/login', 600_000)}`
  }
  const begun = await begunAt(now)
  const back = await ask('/console/callback', 'state=s&code=c', ['a=b', begun])
  assert.deepEqual(back, { sent: { cookie: begun }, query: 'state=s&code=c' })
  const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  for (const foreign of ['keelson-login=a.b.c', await begunAt(now - 601_000), await begunAt(now, other)])
    assert.deepEqual(await ask('/console/callback', 'state=s&code=c', [foreign]), { sent: {}, query: '' })
  for (const rawPath of ['/console/login/x', '/console/link', '/console/watch'])
    assert.equal(await send({ ...apiSample, rawPath }), '401 Unauthorized', rawPath)
})

test('a client can not send the request for trusted issuers', async () => {
  const { send, forwarded } = proxyWorld()
  const event = await withToken({ ...secrets, rawQueryString: 'question=trustedIssuers' })
  await send({ ...event, body: JSON.stringify(trustedIssuersRequest) })
  assert.equal(isTrustedIssuersRequest(forwarded[0]), false)
})

test('responds 429 when Lambda is throttled, and does not describe other failures', async () => {
  const event = await withToken(secrets)
  const busy = proxyWorld(account, new CloudError('AWS', 'Lambda responded 429', { status: 429 }))
  const said = 'Too many requests: Lambda has reached its concurrency limit, please try again later'
  assert.equal(await busy.send(event), `429 ${said} 1`)
  const broken = proxyWorld(account, new CloudError('AWS', 'the function keelson-apiserver failed'))
  assert.equal(await broken.send(event), '500 Internal error occurred: the hub failed to handle the request')
  assert.deepEqual(broken.logged, ['request failed'])
})
