import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { GuardedFetch } from '../../../../lib/platform/http/guarded-fetch.ts'

/** An OpenID Connect issuer on loopback, which publishes one key. */
export const openIssuer = async () => {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const server = createServer((request, response) => {
    const host = `http://${request.headers.host}`
    const isKeys = request.url === '/keys'
    const issuer = request.headers['x-issuer'] ?? host
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer, jwks_uri: `${host}/keys` }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const issue = (
    claims: object,
    { audience = 'notification-controller', issuer = url, key = privateKey, lifetime = '1h' } = {},
  ) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(lifetime)
      .sign(key)
  /** `fetch` for which this issuer is at another address. */
  const fetchAs =
    (address: string): GuardedFetch =>
    (input, init) =>
      fetch(input.replace(address, url), { ...init, headers: { 'x-issuer': address } })
  return { url, issue, fetchAs, close: () => server.close() }
}
