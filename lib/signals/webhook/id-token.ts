import { createRemoteJWKSet, customFetch, decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import { type WebhookCall, WebhookRefused } from './call.ts'

/** The claims of an identity token. */
export type Claims = JWTPayload

/** Verifies identity tokens (OpenID Connect) with their issuers' published keys. */
export interface IdTokens {
  /** Fails with a WebhookRefused. The issuer must equal the token's `iss`, unless `issuers` lists the accepted ones. */
  verify(token: string, expected: { issuer: string; audience: string; issuers?: readonly string[] }): Promise<Claims>
}

/** Reads a JSON document from an issuer's URL; refuses forbidden addresses. */
export type FetchIssuer = (url: string, init: { readonly signal: AbortSignal }) => Promise<Response>

/** Fetches an issuer's configuration and keys once, and the keys again for an unknown key id. */
export const createIdTokens = (fetchIssuer: FetchIssuer): IdTokens => {
  const keySets = new Map<string, Promise<ReturnType<typeof createRemoteJWKSet>>>()

  const discover = async (issuer: string): Promise<ReturnType<typeof createRemoteJWKSet>> => {
    const response = await fetchIssuer(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
      signal: AbortSignal.timeout(10_000),
    })
    if (!response.ok) throw new Error(`it responds with status ${response.status}`)
    const configuration: unknown = await response.json().catch(() => {
      throw new Error('its configuration is not JSON')
    })
    const { issuer: named, jwks_uri: keys } = (configuration ?? {}) as { issuer?: unknown; jwks_uri?: unknown }
    if (named !== issuer && !issuer.endsWith('accounts.google.com'))
      throw new Error('its configuration names another issuer')
    if (typeof keys !== 'string') throw new Error('its configuration has no jwks_uri')
    return createRemoteJWKSet(new URL(keys), { [customFetch]: fetchIssuer })
  }

  const keysOf = async (issuer: string) => {
    const known = keySets.get(issuer) ?? discover(issuer)
    keySets.set(issuer, known)
    try {
      return await known
    } catch (error) {
      keySets.delete(issuer)
      throw new WebhookRefused(
        `failed to initialize OIDC provider for issuer "${issuer}": ${(error as Error).message}`,
        {
          cause: error,
        },
      )
    }
  }

  return {
    verify: async (token, { issuer, audience, issuers }) => {
      const keys = await keysOf(issuer)
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer: issuers ? [...issuers] : issuer,
          audience,
          algorithms,
        })
        return payload
      } catch (error) {
        throw new WebhookRefused(`failed to verify OIDC token: ${(error as Error).message}`, { cause: error })
      }
    },
  }
}

/** Asymmetric algorithms only: a public key must never be accepted as an HMAC secret. */
const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'EdDSA']

/** The bearer token of a request, and its unverified issuer, which only selects the configuration. */
export const readBearerToken = ({ header }: WebhookCall): { readonly token: string; readonly issuer: string } => {
  const [scheme, token = ''] = (header('authorization') ?? '').split(' ', 2)
  if (scheme !== 'Bearer' || !token) throw new WebhookRefused('the Authorization header is missing or malformed')
  try {
    const { iss } = decodeJwt(token)
    if (iss) return { token, issuer: iss }
  } catch (error) {
    throw new WebhookRefused('failed to parse bearer token: it is not a JWT', { cause: error })
  }
  throw new WebhookRefused("failed to parse bearer token: token is missing the 'iss' claim")
}
