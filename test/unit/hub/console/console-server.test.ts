import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiHandler } from '../../../../lib/hub/apiserver/api-server.ts'
import { withConsole } from '../../../../lib/hub/console/console-server.ts'
import { createLoginLinks } from '../../../../lib/hub/console/login-links.ts'
import { createSessions } from '../../../../lib/hub/console/sessions.ts'
import { type ObjectChange, type StoredObject, StoreError } from '../../../../lib/platform/ports/objects.ts'
import { readableSeals } from './readable-seals.ts'

const origin = 'http://127.0.0.1:6450'

/** Who the API recognizes by which token. */
const users: Readonly<Record<string, string>> = { 'token-of-jane': 'jane', 'token-of-joe': 'joe' }

/** What links need of a store. */
const objectsInMemory = () => {
  const known = new Map<string, StoredObject>()
  return {
    get: async ({ name }: { readonly name: string }) => known.get(name),
    commit: async (change: ObjectChange): Promise<StoredObject> => {
      const { ref, body } = change
      if (change.op === 'delete' && !known.delete(ref.name)) throw new StoreError('missing', ref.name)
      const stored = { ref, body, version: '1', refersTo: [] }
      if (change.op === 'create') known.set(ref.name, stored)
      return stored
    },
  }
}

const world = () => {
  const requests: { readonly line: string; readonly authorization: string | null; readonly cookie: string | null }[] =
    []
  const api: ApiHandler = async (request, peer) => {
    const { pathname, search } = new URL(request.url)
    const authorization = request.headers.get('authorization')
    const user = peer?.commonName ?? users[authorization?.replace('Bearer ', '') ?? '']
    requests.push({
      line: `${request.method} ${pathname}${search}`,
      authorization,
      cookie: request.headers.get('cookie'),
    })
    if (!user) return Response.json({ message: 'Unauthorized' }, { status: 401 })
    if (pathname.endsWith('/selfsubjectreviews'))
      return Response.json({ status: { userInfo: { username: user, groups: ['devs'] } } }, { status: 201 })
    if (search.includes('watch')) {
      const isRefused = pathname.includes('clusters')
      return isRefused ? Response.json({}, { status: 403 }) : new Response(`{"type":"ADDED","of":"${pathname}"}\n`)
    }
    return Response.json({ as: user })
  }
  let now = 0
  let chance = 0
  const ports = {
    clock: { now: () => now, monotonic: () => now },
    random: { bytes: (count: number) => Uint8Array.from({ length: count }, () => chance++ % 256) },
    objects: objectsInMemory(),
    seals: readableSeals(() => now),
  }
  const file = (type: string, text: string) => ({ type, body: new TextEncoder().encode(text) })
  const handle = withConsole({
    api,
    pages: { index: file('text/html', 'the page'), assets: new Map([['a.js', file('text/javascript', 'script')]]) },
    links: createLoginLinks(ports),
    sessions: createSessions(ports),
    address: () => origin,
    changes: 'stream',
  })
  const send = (line: string, headers: Readonly<Record<string, string>> = {}) => {
    const [method = '', path = ''] = line.split(' ')
    return handle(new Request(`${origin}${path}`, { method, headers }))
  }
  const logIn = async (token = 'token-of-jane') => {
    const link = await send('GET /console/link', { authorization: `Bearer ${token}` })
    const { url } = (await link.json()) as { readonly url: string }
    const code = new URL(url).hash.slice(1)
    const response = await send('POST /console/session', { origin, 'x-keelson-login-code': code })
    const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
    const session = await send('GET /console/session', { cookie })
    const { csrf = '' } = (await session.json()) as { readonly csrf?: string }
    return { code, response, cookie, csrf }
  }
  return { send, logIn, requests, handle, pass: (ms: number) => (now += ms) }
}

test('a link logs in once, within ten minutes, and only a page of this address may use it', async () => {
  const { send, logIn, pass } = world()
  const { code, response } = await logIn()
  assert.equal(response.status, 204)
  assert.match(
    response.headers.get('set-cookie') ?? '',
    /^keelson-session=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/,
  )
  const again = await send('POST /console/session', { origin, 'x-keelson-login-code': code })
  assert.equal(again.status, 401)
  const link = async () => {
    const { url } = (await (await send('GET /console/link', { authorization: 'Bearer token-of-jane' })).json()) as {
      url: string
    }
    return new URL(url).hash.slice(1)
  }
  const foreign = { origin: 'http://127.0.0.1:8000', 'x-keelson-login-code': await link() }
  assert.equal((await send('POST /console/session', foreign)).status, 403)
  const late = await link()
  pass(10 * 60_000)
  assert.equal((await send('POST /console/session', { origin, 'x-keelson-login-code': late })).status, 401)
})

test('only who has proven themselves to the API gets a link', async () => {
  const { send } = world()
  assert.equal((await send('GET /console/link')).status, 401)
  assert.equal((await send('GET /console/link', { authorization: 'Bearer unknown' })).status, 401)
})

test('a session acts as the person, by their own token, and the API sees no cookie', async () => {
  const { send, logIn, requests } = world()
  const { cookie, csrf } = await logIn('token-of-joe')
  const response = await send('GET /api/v1/namespaces', { cookie, 'x-keelson-csrf': csrf })
  assert.deepEqual(await response.json(), { as: 'joe' })
  assert.deepEqual(requests.at(-1), {
    ...{ line: 'GET /api/v1/namespaces', authorization: 'Bearer token-of-joe', cookie: null },
  })
})

test('a cookie alone is no credential, whatever the method: other pages of this host could send it', async () => {
  const { send, logIn, requests } = world()
  const { cookie, csrf } = await logIn()
  const before = requests.length
  for (const line of [
    'GET /api/v1/secrets',
    'POST /api/v1/namespaces',
    'DELETE /api/v1/namespaces/a',
    'GET /console/watch?path=/api/v1/a',
  ])
    for (const header of ['', 'wrong', csrf.slice(1)])
      assert.equal((await send(line, { cookie, ...(header && { 'x-keelson-csrf': header }) })).status, 403, line)
  assert.equal(requests.length, before, 'the API was not asked')
})

test('a session ends after a working day, when somebody logs out, and when it was altered', async () => {
  const { send, logIn, pass } = world()
  const { cookie } = await logIn()
  assert.equal((await send('DELETE /console/session', { cookie, origin: 'http://evil.example' })).status, 403)
  const out = await send('DELETE /console/session', { cookie, origin })
  assert.match(out.headers.get('set-cookie') ?? '', /^keelson-session=; .*Max-Age=0/)
  assert.equal((await send('GET /console/session', { cookie: 'keelson-session=AAAA' })).status, 401)
  assert.equal((await send('GET /console/session', { cookie })).status, 200)
  pass(12 * 60 * 60_000)
  assert.equal((await send('GET /console/session', { cookie })).status, 401)
})

test('over TLS the cookie is Secure, and no other host can set it', async () => {
  const { handle, send } = world()
  const link = await send('GET /console/link', { authorization: 'Bearer token-of-jane' })
  const { url } = (await link.json()) as { readonly url: string }
  const headers = { origin: 'https://hub.example', 'x-keelson-login-code': new URL(url).hash.slice(1) }
  const response = await handle(new Request('https://hub.example/console/session', { method: 'POST', headers }))
  assert.match(response.headers.get('set-cookie') ?? '', /^__Host-keelson-session=.*; Secure$/)
})

test('a certificate becomes the same identity', async () => {
  const { handle, send } = world()
  const peer = { commonName: 'cert-user', organizations: [], fingerprint: 'ab' }
  const link = await handle(new Request(`${origin}/console/link`), peer)
  const { url } = (await link.json()) as { readonly url: string }
  const headers = { origin, 'x-keelson-login-code': new URL(url).hash.slice(1) }
  const opened = await send('POST /console/session', headers)
  const cookie = opened.headers.get('set-cookie')!.split(';')[0]!
  const { csrf } = (await (await send('GET /console/session', { cookie })).json()) as { readonly csrf: string }
  const response = await send('GET /api/v1/pods', { cookie, 'x-keelson-csrf': csrf })
  assert.deepEqual(await response.json(), { as: 'cert-user' })
})

test('pages may not be framed, and load nothing from elsewhere; programs get the API at the same address', async () => {
  const { send } = world()
  for (const path of ['/', '/units', '/objects/Kustomization/a/b', '/login']) {
    const page = await send(`GET ${path}`, { accept: 'text/html,*/*' })
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /unsafe|\*|https?:/)
    assert.deepEqual([page.headers.get('x-frame-options'), await page.text()], ['DENY', 'the page'])
  }
  const asset = await send('GET /console/assets/a.js')
  assert.match(asset.headers.get('cache-control') ?? '', /immutable/)
  const bearer = { authorization: 'Bearer token-of-jane' }
  assert.deepEqual(await (await send('GET /', bearer)).json(), { as: 'jane' })
  for (const path of ['/api', '/apis/x/v1', '/version', '/healthz', '/openapi/v3'])
    assert.deepEqual(await (await send(`GET ${path}`, { ...bearer, accept: 'text/html' })).json(), { as: 'jane' }, path)
})

test('several watches come over one connection, each as the API gives it to this person', async () => {
  const { send, logIn } = world()
  const { cookie, csrf } = await logIn()
  const session = { cookie, 'x-keelson-csrf': csrf }
  const path = (name: string) => `path=${encodeURIComponent(`/apis/x/v1/${name}?watch=1`)}`
  const response = await send(`GET /console/watch?${path('clusters')}&${path('units')}`, session)
  const text = await response.text()
  assert.match(text, /^\n/)
  assert.match(text, /^0 !$/m)
  assert.match(text, /^1 \{"type":"ADDED","of":"\/apis\/x\/v1\/units"\}$/m)
  for (const bad of ['', 'path=http://evil.example/api/v1', 'path=/console/link', Array(21).fill(path('a')).join('&')])
    assert.equal((await send(`GET /console/watch?${bad}`, session)).status, 400, bad)
})
