/** The code that needs the JOSE library. It is loaded with the first token, which most functions on AWS never receive. */
import type { KeyObject } from 'node:crypto'
import { calculateJwkThumbprint, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { signingAlgorithm } from './signing-algorithm.ts'
import { TokenRefused } from './token-refused.ts'

/** Seconds, as in Kubernetes: issuer and verifier may have different clocks. */
const clockTolerance = 60

export interface AccountClaims {
  readonly issuer: string
  readonly subject: string
  readonly audiences: readonly string[]
  /** Seconds since the epoch. */
  readonly issued: number
  readonly expires: number
  readonly id: string
  readonly others: JWTPayload
}

/** A signed token of a ServiceAccount. */
export const signAccountToken = (
  { issuer, subject, audiences, issued, expires, id, others }: AccountClaims,
  key: { readonly id: string; readonly privateKey: KeyObject },
): Promise<string> =>
  new SignJWT(others)
    .setProtectedHeader({ alg: signingAlgorithm, kid: key.id })
    .setIssuer(issuer)
    .setSubject(subject)
    .setAudience([...audiences])
    .setIssuedAt(issued)
    .setNotBefore(issued)
    .setExpirationTime(expires)
    .setJti(id)
    .sign(key.privateKey)

/** The claims of a token; undefined if it is not one of this issuer and key. Fails with TokenRefused if it has expired. */
export const verifyAccountToken = async (
  token: string,
  { issuer, publicKey, now }: { readonly issuer: string; readonly publicKey: KeyObject; readonly now: number },
): Promise<JWTPayload | undefined> => {
  try {
    const options = { issuer, algorithms: [signingAlgorithm], currentDate: new Date(now), clockTolerance }
    return (await jwtVerify(token, publicKey, options)).payload
  } catch (error) {
    if (error instanceof errors.JWTExpired) throw new TokenRefused('service account token has expired')
    // Another authenticator may accept another issuer's token.
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** The RFC 7638 thumbprint of a public key. */
export const thumbprintOf = (key: KeyObject): Promise<string> =>
  calculateJwkThumbprint(key.export({ format: 'jwk' }) as { kty: string })
