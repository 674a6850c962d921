import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { TokenRefused } from '../../../../lib/hub/apiserver/authentication/sts-token.ts'
import {
  knownIssuers,
  type TrustedIssuers,
  tokenVerifier,
} from '../../../../lib/hub/apiserver/authentication/token-verifier.ts'
import { serviceAccountTokens } from '../../../../lib/hub/apiserver/identity/service-account-tokens.ts'
import { signingKey } from '../../../../lib/hub/apiserver/identity/signing-key.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { by } from '../store/world.ts'
import { apiWorld } from './world.ts'

const account = '111122223333'

/** The verifier for a hub with a ServiceAccount `bot`. STS takes the text of each token for the account that signed it. */
const verifierWorld = async () => {
  const { hub, platform, clock } = await apiWorld()
  const key = signingKey({ objects: platform.objects, keys: platform.keys })
  const issuer = 'https://hub.example.com'
  const tokens = serviceAccountTokens({ hub, key, clock, random: platform.random, issuer, maxExpirationMs: 3_600_000 })
  await hub.create(
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'bot', namespace: 'default' } },
    by('test'),
  )
  const world = {
    clock,
    accounts: [account],
    issuers: [] as TrustedIssuers['issuers'],
    requests: 0,
    failing: undefined as Error | undefined,
    logged: [] as string[],
    tokenOf: async (seconds: number) =>
      (await tokens.issue({ namespace: 'default', name: 'bot', audiences: [issuer], seconds })).token,
    verifies: (authorization?: string) =>
      hasTrustedToken({ headers: new Headers(authorization === undefined ? {} : { authorization }) }),
  }
  const hasTrustedToken = tokenVerifier({
    clock,
    log: { info: (message, fields) => void world.logged.push(`${message}: ${fields?.why}`), error: () => {} },
    identityBehind: async token => {
      if (world.failing) throw world.failing
      if (!/^\d{12}$/.test(token)) throw new TokenRefused('STS answers 403')
      return { account: token, arn: '', principal: '', userId: '', session: '' }
    },
    issuersOf: knownIssuers(clock, async (): Promise<TrustedIssuers> => {
      world.requests++
      return { accounts: [...world.accounts], keySet: await tokens.keySet(), issuers: world.issuers }
    }),
  })
  return world
}

test('accepts a token that STS attributes to an account of the hub, and one that a key of the hub signed', async () => {
  const { verifies, tokenOf } = await verifierWorld()
  assert.equal(await verifies(`Bearer ${account}`), true)
  assert.equal(await verifies(`Bearer ${await tokenOf(600)}`), true)
})

test('rejects all others: no token, a refused one, another account, another key, an expired token', async () => {
  const { verifies, tokenOf, clock, logged } = await verifierWorld()
  for (const authorization of [undefined, 'Bearer', 'Basic YTpi', 'Bearer nonsense', 'Bearer 444455556666'])
    assert.equal(await verifies(authorization), false, authorization)
  const other = await verifierWorld()
  assert.equal(await verifies(`Bearer ${await other.tokenOf(600)}`), false, 'of another hub')
  const [head, claims, signature] = (await tokenOf(600)).split('.') as [string, string, string]
  const changed = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('bot', 'b0t')).toString('base64url')
  assert.equal(await verifies(`Bearer ${head}.${changed}.${signature}`), false, 'changed')
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  assert.equal(await verifies(`Bearer ${unsigned}.${claims}.`), false, 'unsigned')
  const short = await tokenOf(600)
  await clock.advance(700_000)
  assert.equal(await verifies(`Bearer ${short}`), false, 'expired')
  assert.ok(logged.every(line => !line.includes(claims)))
})

test('reads the issuers once a minute, and earlier for an unknown issuer, at most every five seconds', async () => {
  const world = await verifierWorld()
  for (let at = 0; at < 3; at++) await world.verifies(`Bearer ${account}`)
  assert.equal(world.requests, 1)
  assert.equal(await world.verifies('Bearer 444455556666'), false)
  assert.equal(world.requests, 1)
  await world.clock.advance(5_000)
  world.accounts.push('444455556666')
  assert.equal(await world.verifies('Bearer 444455556666'), true)
  assert.equal(world.requests, 2)
  await world.clock.advance(60_000)
  await world.verifies(`Bearer ${account}`)
  assert.equal(world.requests, 3)
})

test('reads no issuers for a token that STS refuses, and fails when STS does not respond', async () => {
  const world = await verifierWorld()
  await world.verifies('Bearer nonsense')
  assert.equal(world.requests, 0)
  assert.deepEqual(world.logged, ['authentication failed: token refused: STS answers 403'])
  world.failing = new ApiError(503, 'ServiceUnavailable', 'STS does not answer')
  await assert.rejects(world.verifies(`Bearer ${account}`), { code: 503 })
})

test('accepts tokens of issuers of people until they expire, or the issuer is no longer trusted', async () => {
  const world = await verifierWorld()
  const { verifies, clock } = world
  const seconds = () => Math.floor(clock.now() / 1000)
  const keys = await generateKeyPair('RS256')
  const keySet = { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' }] }
  const url = 'https://login.example.com'
  const tokenOf = (claims: object, key = keys.privateKey) =>
    new SignJWT({ iss: url, exp: seconds() + 600, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(key)
  const token = await tokenOf({})
  assert.equal(await verifies(`Bearer ${token}`), false, 'of an issuer that is not known yet')
  world.issuers = [{ url, keySet }]
  await clock.advance(5_000)
  assert.equal(await verifies(`Bearer ${token}`), true)
  assert.equal(await verifies(`Bearer ${await tokenOf({ exp: seconds() - 61 })}`), false)
  assert.equal(await verifies(`Bearer ${await tokenOf({ iss: 'https://other.example.com' })}`), false)
  const other = await generateKeyPair('RS256')
  assert.equal(await verifies(`Bearer ${await tokenOf({}, other.privateKey)}`), false)
  world.issuers = [{ url: 'https://two.example.com', keySet }]
  await clock.advance(60_000)
  assert.equal(await verifies(`Bearer ${token}`), false, 'no longer trusted')
})
