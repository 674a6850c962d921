import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oidcEndpoints, type PersonLogins } from '../../../../lib/hub/console/oidc-endpoints.ts'
import { SessionTooLarge } from '../../../../lib/hub/console/sessions.ts'
import { readableSeals } from './readable-seals.ts'

const origin = 'http://127.0.0.1:6450'
const issuer = 'https://login.example.com'

const world = (token = 'token-of-jane', address?: string) => {
  let now = 0
  const failures: string[] = []
  const logins: PersonLogins = {
    issuers: () => [issuer],
    begin: async (at, redirectUri) => ({
      url: `${at}/auth?state=s&redirect_uri=${redirectUri}`,
      checks: { issuer: at, redirectUri, state: 's', nonce: 'n', verifier: 'v' },
    }),
    finish: async ({ state }, callback) => {
      if (callback.searchParams.get('state') !== state) throw new Error('unexpected state')
      return token
    },
  }
  const handle = oidcEndpoints({
    logins,
    seals: readableSeals(() => now),
    address: () => address,
    sessions: {
      open: async (_, credential) => {
        if ('token' in credential && credential.token === 'long') throw new SessionTooLarge()
        return `keelson-session=${JSON.stringify(credential)}; HttpOnly`
      },
    },
    onFailure: (at, error) => failures.push(`${at}: ${error.message}`),
  })
  const get = async (path: string, cookie = '') => {
    const url = new URL(path, origin)
    const response = (await handle(new Request(url, { headers: { cookie } }), url))!
    return { response, location: response.headers.get('location'), cookies: response.headers.getSetCookie() }
  }
  const begin = async () => {
    const { cookies } = await get(`/console/login?issuer=${encodeURIComponent(issuer)}`)
    return { cookie: cookies[0]!.split(';')[0]!, attributes: cookies[0]! }
  }
  return { get, begin, handle, failures, pass: (ms: number) => (now += ms) }
}

test('a login leads to the issuer and back, and its checks are sealed in a cookie for the console alone', async () => {
  const { get, begin } = world()
  const { location } = await get(`/console/login?issuer=${encodeURIComponent(issuer)}`)
  assert.equal(location, `${issuer}/auth?state=s&redirect_uri=${origin}/console/callback`)
  const { cookie, attributes } = await begin()
  assert.match(attributes, /^keelson-login=\S+; Path=\/console; HttpOnly; SameSite=Lax; Max-Age=600$/)
  const back = await get('/console/callback?state=s&code=c', cookie)
  assert.equal(back.location, '/')
  assert.match(back.cookies[0]!, /^keelson-login=; .*Max-Age=0/)
  assert.equal(back.cookies[1], 'keelson-session={"token":"token-of-jane"}; HttpOnly')
})

test('an issuer leads back to the domain name of the hub, where a request does not name it', async () => {
  const { get } = world('token-of-jane', 'https://hub.acme.example')
  const { location } = await get(`/console/login?issuer=${encodeURIComponent(issuer)}`)
  assert.match(location!, /&redirect_uri=https:\/\/hub\.acme\.example\/console\/callback$/)
})

test('without the cookie of this browser, or after ten minutes, nobody is logged in', async () => {
  const { get, begin, pass } = world()
  const { cookie } = await begin()
  for (const other of ['', 'keelson-login=AAAA', 'keelson-session=x'])
    assert.equal((await get('/console/callback?state=s&code=c', other)).location, '/login?failure=expired')
  pass(10 * 60_000)
  const late = await get('/console/callback?state=s&code=c', cookie)
  assert.deepEqual([late.location, late.cookies.length], ['/login?failure=expired', 1])
})

test('another state is refused; the log has the reason, the address has a word', async () => {
  const { get, begin, failures } = world()
  const { cookie } = await begin()
  const { location, cookies } = await get('/console/callback?state=other&code=c', cookie)
  assert.deepEqual([location, cookies.length], ['/login?failure=refused', 1])
  assert.deepEqual(failures, [`${issuer}: unexpected state`])
  const { get: getLong, begin: beginLong } = world('long')
  const long = await getLong('/console/callback?state=s&code=c', (await beginLong()).cookie)
  assert.equal(long.location, '/login?failure=size')
})

test('only issuers of the configuration are offered and led to', async () => {
  const { get, handle } = world()
  assert.deepEqual(await (await get('/console/issuers')).response.json(), { issuers: [issuer] })
  const { location } = await get('/console/login?issuer=https://evil.example')
  assert.equal(location, '/login?failure=issuer')
  for (const [method, path] of [
    ['POST', '/console/login'],
    ['GET', '/console/session'],
  ] as const) {
    const url = new URL(path, origin)
    assert.equal(await handle(new Request(url, { method }), url), undefined)
  }
})
