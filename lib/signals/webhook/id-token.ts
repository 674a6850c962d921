import { decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import {
  type IssuerKeys,
  type IssuerKeysPorts,
  IssuerUnavailable,
  issuerKeys,
} from '../../platform/http/issuer-keys.ts'
import { type WebhookCall, WebhookRefused } from './call.ts'

/** The claims of an identity token. */
export type Claims = JWTPayload

/** Verifies identity tokens (OpenID Connect) with their issuers' published keys. */
export interface IdTokens {
  /** Fails with a WebhookRefused. The issuer must equal the token's `iss`, unless `issuers` lists the accepted ones. */
  verify(token: string, expected: { issuer: string; audience: string; issuers?: readonly string[] }): Promise<Claims>
}

/** Fetches the keys of an issuer when a token needs them. */
export const createIdTokens = (ports: IssuerKeysPorts): IdTokens => {
  const known = new Map<string, IssuerKeys>()

  const keysOf = (url: string): IssuerKeys => {
    const keys = known.get(url) ?? issuerKeys(ports, { url })
    known.set(url, keys)
    return keys
  }

  return {
    verify: async (token, { issuer, audience, issuers }) => {
      try {
        const { payload } = await jwtVerify(token, keysOf(issuer).keyOf, {
          issuer: issuers ? [...issuers] : issuer,
          audience,
          algorithms,
        })
        return payload
      } catch (error) {
        const what =
          error instanceof IssuerUnavailable
            ? `failed to initialize OIDC provider for issuer "${issuer}"`
            : 'failed to verify OIDC token'
        throw new WebhookRefused(`${what}: ${(error as Error).message}`, { cause: error })
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
