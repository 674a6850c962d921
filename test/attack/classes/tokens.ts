import assert from 'node:assert/strict'
import type { ApiClient } from '../api-client.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { manifest } from '../manifests.ts'

const own = '/api/v1/namespaces/mallory/configmaps'

interface TokenRequest {
  readonly spec: { readonly expirationSeconds: number }
  readonly status: { readonly token: string }
}

const request = async (client: ApiClient, account: string, spec: object): Promise<TokenRequest> => {
  const path = `/api/v1/namespaces/mallory/serviceaccounts/${account}/token`
  const { status, body } = await client.request('POST', path, { spec })
  assert.equal(status, 201, JSON.stringify(body))
  return body as TokenRequest
}

const claimsOf = (token: string) => JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString())

const lives = [86_401, 90_000, 604_800, 31_536_000, 2 ** 31, 2 ** 32]

const isShortened = (expirationSeconds: number): Attempt => ({
  title: `a token for ${expirationSeconds} seconds lives a day at most`,
  async run({ mallory }) {
    const { spec, status } = await request(mallory, 'attacker', { expirationSeconds })
    const { exp, iat } = claimsOf(status.token)
    assert.ok(exp - iat <= 86_400 && spec.expirationSeconds <= 86_400)
  },
})

const json = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Changes of a good token that would make another caller of its bearer. */
const forgeries: Readonly<Record<string, (token: string) => string>> = {
  'signed by nobody': token => `${json({ alg: 'none' })}.${token.split('.')[1]}.`,
  'signed by nobody, in another spelling': token => `${json({ alg: 'None', typ: 'JWT' })}.${token.split('.')[1]}.`,
  'signed with the public key as a shared secret': token =>
    `${json({ alg: 'HS256' })}.${token.split('.').slice(1).join('.')}`,
  'of another account': token => {
    const [head, body, signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(body!, 'base64url').toString())
    return `${head}.${json({ ...claims, sub: 'system:serviceaccount:victim:default' })}.${signature}`
  },
  'of another namespace': token => {
    const [head, body, signature] = token.split('.')
    const claims = JSON.parse(Buffer.from(body!, 'base64url').toString())
    const forged = { namespace: 'victim', serviceaccount: { name: 'default', uid: 'x' } }
    return `${head}.${json({ ...claims, 'kubernetes.io': forged })}.${signature}`
  },
  'with a key of its own in the header': token => {
    const jwk = { kty: 'oct', k: 'AAAA' }
    return `${json({ alg: 'HS256', jwk })}.${token.split('.').slice(1).join('.')}`
  },
  'cut off': token => token.slice(0, -4),
  'with something behind it': token => `${token}.x`,
}

const isForged = (title: string): Attempt => ({
  title: `a token ${title} is refused`,
  async run({ mallory }) {
    const {
      status: { token },
    } = await request(mallory, 'attacker', { expirationSeconds: 600 })
    const { status } = await mallory.withToken(forgeries[title]!(token)).request('GET', own)
    assert.equal(status, 401)
  },
})

const attempts: Attempt[] = [
  ...lives.map(isShortened),
  ...Object.keys(forgeries).map(isForged),
  {
    title: 'the token of an account that is made again under its name is refused',
    async run({ admin, mallory, freshName }) {
      const account = manifest('ServiceAccount', freshName(), {})
      await mallory.request('POST', account.collection, account.object)
      const {
        status: { token },
      } = await request(mallory, account.object.metadata.name, { expirationSeconds: 600 })
      await admin.request('DELETE', account.path)
      await mallory.request('POST', account.collection, account.object)
      assert.equal((await mallory.withToken(token).request('GET', own)).status, 401)
    },
  },
  {
    title: 'a token for another audience is refused',
    async run({ mallory }) {
      const spec = { expirationSeconds: 600, audiences: ['https://vault.example.com'] }
      const {
        status: { token },
      } = await request(mallory, 'attacker', spec)
      assert.equal((await mallory.withToken(token).request('GET', own)).status, 401)
    },
  },
  {
    title: 'a token that is bound to a Secret ends with it',
    async run({ mallory, freshName }) {
      const secret = manifest('Secret', freshName(), {})
      await mallory.request('POST', secret.collection, secret.object)
      const boundObjectRef = { apiVersion: 'v1', kind: 'Secret', name: secret.object.metadata.name }
      const {
        status: { token },
      } = await request(mallory, 'attacker', { expirationSeconds: 600, boundObjectRef })
      assert.equal((await mallory.withToken(token).request('GET', own)).status, 200)
      await mallory.request('DELETE', secret.path)
      assert.equal((await mallory.withToken(token).request('GET', own)).status, 401)
    },
  },
]

/** Tokens of ServiceAccounts end in time, and can't be made into others. */
export const tokens: AttackClass = {
  name: 'tokens',
  rule: "Tokens live a day at most, and only this hub's count",
  attempts,
}
