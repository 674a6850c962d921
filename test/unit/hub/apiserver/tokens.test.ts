import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  byServiceAccountToken,
  unionAuthenticator,
} from '../../../../lib/hub/apiserver/authentication/authenticators.ts'
import { admin, bearerToken } from '../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { serviceAccountTokens } from '../../../../lib/hub/apiserver/identity/service-account-tokens.ts'
import { signingKey } from '../../../../lib/hub/apiserver/identity/signing-key.ts'
import { by } from '../store/world.ts'
import type { Answer } from './world.ts'
import { apiWorld } from './world.ts'

const issuer = 'https://hub.example.com'
const day = 24 * 60 * 60_000
const accounts = '/api/v1/namespaces/default/serviceaccounts'

/** An API that knows its admin by the token `admin`, and ServiceAccounts by theirs; with an account `bot`. */
const tokenWorld = async () => {
  const { hub, platform, clock } = await apiWorld()
  const key = signingKey({ objects: platform.objects, keys: platform.keys })
  const tokens = serviceAccountTokens({ hub, key, clock, random: platform.random, issuer, maxExpirationMs: day })
  const authenticate = unionAuthenticator(bearerToken('admin', admin), byServiceAccountToken(tokens))
  const world = await apiWorld({ hub, clock, tokens, authenticate })
  await hub.create(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot', namespace: 'default' } },
    by('test'),
  )
  const send = (method: string, path: string, body?: unknown, token = 'admin'): Promise<Answer> =>
    world.send(method, path, { headers: { authorization: `Bearer ${token}` }, ...(body !== undefined && { body }) })
  return {
    hub,
    clock,
    platform,
    send,
    tokenOf: async (spec: object = {}): Promise<string> =>
      (await send('POST', `${accounts}/bot/token`, { spec })).json.status.token,
    whoami: (token: string) => send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, token),
    review: async (token: string, audiences: string[] = []) =>
      (await send('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } })).json.status,
  }
}

test('makes tokens by which a program is the service account, until they run out', async () => {
  const { send, whoami, clock } = await tokenWorld()
  const { status, json } = await send('POST', `${accounts}/bot/token`, { spec: { expirationSeconds: 900 } })
  assert.deepEqual([status, json.spec], [201, { audiences: [issuer], expirationSeconds: 900, boundObjectRef: null }])
  const me = await whoami(json.status.token)
  const { uid, extra, ...rest } = me.json.status.userInfo
  assert.deepEqual(rest, {
    username: 'system:serviceaccount:default:bot',
    groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
  })
  assert.match(extra['authentication.kubernetes.io/credential-id'][0], /^JTI=/)
  await clock.advance(959_000)
  assert.equal((await whoami(json.status.token)).status, 201, 'clocks may differ by a minute, as for Kubernetes')
  await clock.advance(1_000)
  assert.equal((await whoami(json.status.token)).status, 401)
})

test('shortens a life that is too long, and warns as Kubernetes does', async () => {
  const { send } = await tokenWorld()
  const { status, json, headers } = await send('POST', `${accounts}/bot/token`, {
    spec: { expirationSeconds: 2 ** 32 },
  })
  assert.deepEqual([status, json.spec.expirationSeconds], [201, 86_400])
  const { exp, iat } = JSON.parse(Buffer.from(json.status.token.split('.')[1], 'base64url').toString())
  assert.equal(exp - iat, 86_400)
  assert.equal(headers.get('warning'), '299 - "requested expiration of 4294967296 seconds shortened to 86400 seconds"')
})

test('refuses tokens that are altered, of another hub, for another audience, or of an account that is gone', async () => {
  const { tokenOf, whoami, hub } = await tokenWorld()
  const token = await tokenOf()
  const [head, , signature] = token.split('.')
  const forged = { iss: issuer, aud: [issuer], sub: 'system:serviceaccount:default:bot', exp: 2 ** 33 }
  const altered = [head, Buffer.from(JSON.stringify(forged)).toString('base64url'), signature].join('.')
  const unsigned = [Buffer.from('{"alg":"none"}').toString('base64url'), altered.split('.')[1], ''].join('.')
  const stranger = await (await tokenWorld()).tokenOf()
  const elsewhere = await tokenOf({ audiences: ['https://vault.example.com'] })
  for (const bad of [altered, unsigned, stranger, elsewhere]) assert.equal((await whoami(bad)).status, 401)
  assert.equal((await whoami(token)).status, 201)
  const ref = { group: '', kind: 'ServiceAccount', namespace: 'default', name: 'bot' }
  await hub.delete(ref, {})
  await hub.create(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot', namespace: 'default' } },
    by('test'),
  )
  assert.equal((await whoami(token)).status, 401, 'an account of the same name is another')
})

test('reviews tokens of others, for the requested audiences', async () => {
  const { tokenOf, review } = await tokenWorld()
  const token = await tokenOf({ audiences: ['a', 'b'] })
  const { authenticated, audiences, user } = await review(token, ['b', 'c'])
  assert.deepEqual([authenticated, audiences, user.username], [true, ['b'], 'system:serviceaccount:default:bot'])
  assert.deepEqual(await review(token), {
    user: {},
    error: `[invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences ["${issuer}"]]`,
  })
  assert.deepEqual(await review('abc'), { user: {}, error: 'invalid bearer token' })
  const { user: own } = await review('admin')
  assert.equal(own.username, 'kubernetes-admin')
})

test('a token that is bound to a Secret ends with it', async () => {
  const { hub, tokenOf, whoami, send } = await tokenWorld()
  const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: 'bound' }
  const missing = await send('POST', `${accounts}/bot/token`, { spec: { boundObjectRef } })
  assert.deepEqual([missing.status, missing.json.message], [404, 'secrets "bound" not found'])
  await hub.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bound', namespace: 'default' } }, by('test'))
  const token = await tokenOf({ boundObjectRef })
  assert.equal((await whoami(token)).status, 201)
  await hub.delete({ group: '', kind: 'Secret', namespace: 'default', name: 'bound' }, {})
  assert.equal((await whoami(token)).status, 401)
})

test('refuses orders that make no sense', async () => {
  const { send } = await tokenWorld()
  const told = async (name: string, spec: object) => {
    const { status, json } = await send('POST', `${accounts}/${name}/token`, { spec })
    return `${status} ${json.message}`
  }
  assert.deepEqual(
    [
      await told('bot', { expirationSeconds: 599 }),
      await told('bot', { boundObjectRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'x' } }),
      await told('nobody', {}),
      `${(await send('GET', `${accounts}/bot/token`)).status}`,
    ],
    [
      '422 TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes',
      '400 cannot bind token to object of type /v1, Kind=ConfigMap',
      '404 serviceaccounts "nobody" not found',
      '405',
    ],
  )
})

test('keeps its signing key sealed and out of reach, and uses one in all processes', async () => {
  const { platform, send, tokenOf, whoami } = await tokenWorld()
  const token = await tokenOf()
  const record = await platform.objects.get({
    group: 'keelson.dev',
    kind: 'SigningKey',
    namespace: '',
    name: 'service-accounts',
  })
  assert.ok(
    record && !Buffer.from(record.body, 'base64').toString('latin1').includes('\x2a\x86\x48\xce\x3d\x03\x01\x07'),
  )
  const others = await Promise.all(
    [1, 2, 3].map(() => signingKey({ objects: platform.objects, keys: platform.keys })()),
  )
  const keys = (await send('GET', '/openid/v1/jwks')).text
  for (const { id } of others) assert.equal(JSON.parse(keys).keys[0].kid, id)
  assert.equal((await send('GET', '/.well-known/openid-configuration')).json.issuer, issuer)
  assert.equal((await whoami(token)).status, 201)
})
