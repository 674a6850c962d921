/** Authenticates people by the JWTs of issuers that the hub trusts, as kube-apiserver's structured authentication does. */
import type { CompactVerifyGetKey } from 'jose'
import { goList } from '../../../../foundations/kinds/schema/field-error.ts'
import type { Clock } from '../../../../platform/ports/clock.ts'
import type { Log } from '../../../../platform/ports/log.ts'
import { rfc3339 } from '../../../store/time.ts'
import { TokenRefused } from '../../identity/token-refused.ts'
import { bearerTokenOf } from '../authenticators.ts'
import type { Authenticate, User } from '../caller.ts'
import type { Claims } from './claims.ts'
import type { JwtAuthenticator } from './compile-jwt.ts'
import { issuerOf } from './issuer-of.ts'
import { verifiedPayload } from './verified-payload.ts'

/** An authenticator with the keys of its issuer. */
export interface KeyedAuthenticator extends JwtAuthenticator {
  /** Finds the key of a token. Fails with jose's errors, and with others if the issuer is unreachable. */
  readonly keyOf: CompactVerifyGetKey
}

export interface JwtAuthenticationPorts {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  /** The current ones, which may change at any time. */
  readonly authenticators: () => Promise<readonly KeyedAuthenticator[]>
}

/** How far an issuer's clock may be ahead. Expired tokens are rejected without tolerance. */
const aheadMs = 5 * 60_000

/** Fails with TokenRefused if an issuer is one of the hub's, and its token is not valid. */
export const jwtAuthentication =
  ({ clock, log, authenticators }: JwtAuthenticationPorts): Authenticate =>
  async request => {
    const token = bearerTokenOf(request)
    const issuer = token && issuerOf(token)
    if (!token || !issuer) return undefined
    const authenticator = (await authenticators()).find(({ issuer: { url } }) => url === issuer)
    if (!authenticator) return undefined
    try {
      return await userOfToken(token, authenticator, clock.now())
    } catch (error) {
      const refused = error instanceof TokenRefused ? error : notInitialized(error)
      log.info('failed to authenticate a caller', { issuer, why: refused.message })
      throw refused
    }
  }

const userOfToken = async (token: string, authenticator: KeyedAuthenticator, now: number): Promise<User> => {
  const claims = await verifiedClaims(token, authenticator.keyOf)
  requireTime(claims, now)
  requireAudience(claims, authenticator.audiences)
  return authenticator.userOf(claims)
}

/** The issuer can't be reached or is misconfigured: its users can't be authenticated. */
const notInitialized = (cause: unknown): TokenRefused =>
  new TokenRefused(`oidc: authenticator not initialized: ${(cause as Error).message}`, { cause })

const verifiedClaims = async (token: string, keyOf: CompactVerifyGetKey): Promise<Claims> => {
  const payload = await verifiedPayload(token, keyOf)
  try {
    const claims: unknown = JSON.parse(new TextDecoder().decode(payload))
    if (typeof claims === 'object' && claims !== null) return claims as Claims
  } catch {}
  throw new TokenRefused('oidc: verify token: the payload is not a JSON object')
}

const requireTime = ({ exp, nbf }: Claims, now: number): void => {
  const expires = typeof exp === 'number' ? exp * 1000 : 0
  if (expires <= now)
    throw new TokenRefused(`oidc: verify token: oidc: token is expired (Token Expiry: ${rfc3339(expires)})`)
  if (typeof nbf === 'number' && nbf * 1000 > now + aheadMs)
    throw new TokenRefused(
      `oidc: verify token: oidc: current time is before the nbf (not before) time: ${rfc3339(nbf * 1000)}`,
    )
}

const requireAudience = ({ aud }: Claims, audiences: readonly string[]): void => {
  const meant = [aud ?? []].flat().filter(audience => typeof audience === 'string')
  if (meant.some(audience => audiences.includes(audience))) return
  throw new TokenRefused(
    `oidc: verify token: oidc: expected audience in ${goList(audiences.toSorted())} got ${goList(meant)}`,
  )
}
