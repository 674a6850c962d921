import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doorkeeper, type TrustedIssuers } from '../../../../lib/hub/apiserver/authentication/doorkeeper.ts'
import { TokenRefused } from '../../../../lib/hub/apiserver/authentication/sts-token.ts'
import { serviceAccountTokens } from '../../../../lib/hub/apiserver/identity/service-account-tokens.ts'
import { signingKey } from '../../../../lib/hub/apiserver/identity/signing-key.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { by } from '../store/world.ts'
import { apiWorld } from './world.ts'

const account = '111122223333'

/** A door before a hub with a ServiceAccount `bot`; STS says that each token's text is the account that signed it. */
const doorWorld = async () => {
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
    asked: 0,
    failing: undefined as Error | undefined,
    logged: [] as string[],
    tokenOf: async (seconds: number) =>
      (await tokens.issue({ namespace: 'default', name: 'bot', audiences: [issuer], seconds })).token,
    knows: (authorization?: string) =>
      isKnown({ headers: new Headers(authorization === undefined ? {} : { authorization }) }),
  }
  const isKnown = doorkeeper({
    clock,
    log: { info: (message, fields) => void world.logged.push(`${message}: ${fields?.why}`), error: () => {} },
    identityBehind: async token => {
      if (world.failing) throw world.failing
      if (!/^\d{12}$/.test(token)) throw new TokenRefused('STS answers 403')
      return { account: token, arn: '', principal: '', userId: '', session: '' }
    },
    trustedIssuers: async (): Promise<TrustedIssuers> => {
      world.asked++
      return { accounts: [...world.accounts], keySet: await tokens.keySet() }
    },
  })
  return world
}

test('lets in whom STS knows as one of an account of the hub, and whom a key of the hub vouches for', async () => {
  const { knows, tokenOf } = await doorWorld()
  assert.equal(await knows(`Bearer ${account}`), true)
  assert.equal(await knows(`Bearer ${await tokenOf(600)}`), true)
})

test('lets nobody else in: no token, a refused one, another account, another key, a token that has run out', async () => {
  const { knows, tokenOf, clock, logged } = await doorWorld()
  for (const authorization of [undefined, 'Bearer', 'Basic YTpi', 'Bearer nonsense', 'Bearer 444455556666'])
    assert.equal(await knows(authorization), false, authorization)
  const other = await doorWorld()
  assert.equal(await knows(`Bearer ${await other.tokenOf(600)}`), false, 'of another hub')
  const [head, claims, signature] = (await tokenOf(600)).split('.') as [string, string, string]
  const changed = Buffer.from(Buffer.from(claims, 'base64url').toString().replace('bot', 'b0t')).toString('base64url')
  assert.equal(await knows(`Bearer ${head}.${changed}.${signature}`), false, 'changed')
  const unsigned = Buffer.from('{"alg":"none"}').toString('base64url')
  assert.equal(await knows(`Bearer ${unsigned}.${claims}.`), false, 'unsigned')
  const short = await tokenOf(600)
  await clock.advance(700_000)
  assert.equal(await knows(`Bearer ${short}`), false, 'run out')
  assert.ok(logged.every(line => !line.includes(claims)))
})

test('asks the hub once a minute, and again for a stranger, but not for each', async () => {
  const world = await doorWorld()
  for (let at = 0; at < 3; at++) await world.knows(`Bearer ${account}`)
  assert.equal(world.asked, 1)
  assert.equal(await world.knows('Bearer 444455556666'), false)
  assert.equal(world.asked, 1)
  await world.clock.advance(5_000)
  world.accounts.push('444455556666')
  assert.equal(await world.knows('Bearer 444455556666'), true)
  assert.equal(world.asked, 2)
  await world.clock.advance(60_000)
  await world.knows(`Bearer ${account}`)
  assert.equal(world.asked, 3)
})

test('asks the hub nothing for a token that STS refuses, and says when STS can not be asked', async () => {
  const world = await doorWorld()
  await world.knows('Bearer nonsense')
  assert.equal(world.asked, 0)
  assert.deepEqual(world.logged, ['a caller is not known: token refused: STS answers 403'])
  world.failing = new ApiError(503, 'ServiceUnavailable', 'STS does not answer')
  await assert.rejects(world.knows(`Bearer ${account}`), { code: 503 })
})
