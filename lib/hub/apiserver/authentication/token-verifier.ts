import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Log } from '../../../platform/ports/log.ts'
import { signingAlgorithm } from '../identity/signing-algorithm.ts'
import { bearerTokenOf } from './authenticators.ts'
import { issuerOf } from './jwt/issuer-of.ts'
import { verifiedPayload } from './jwt/verified-payload.ts'
import type { AwsIdentity } from './sts-identity.ts'
import { TokenRefused } from './sts-token.ts'

/** The issuers whose tokens a hub accepts. Holds no secret, and no permissions. */
export interface TrustedIssuers {
  /** AWS accounts whose principals may be users. */
  readonly accounts: readonly string[]
  /** Public keys for tokens of ServiceAccounts. */
  readonly keySet: JSONWebKeySet
  /** Issuers of tokens for people (OpenID Connect), with their public keys. */
  readonly issuers: readonly { readonly url: string; readonly keySet: JSONWebKeySet }[]
}

export interface TokenVerifierPorts {
  readonly clock: Clock
  readonly log: Log
  /** The AWS identity that signed a token; see sts-identities.ts. */
  readonly identityBehind: (token: string) => Promise<AwsIdentity>
  readonly issuersOf: KnownIssuers
}

/** The hub's issuers, as they were at most so many milliseconds ago. */
export type KnownIssuers = (maxAgeMs?: number) => Promise<TrustedIssuers>

/** How long the hub's issuers are cached. */
const maxAgeMs = 60_000
/** A token of an unknown issuer causes another read, but not before this time has passed. */
const minAgeMs = 5_000
/** In seconds: the clock of a token's issuer may be off. */
const clockTolerance = 60

/** Reads the issuers from the hub when they are older than somebody wants them. */
export const knownIssuers = (clock: Pick<Clock, 'now'>, read: () => Promise<TrustedIssuers>): KnownIssuers => {
  let cached: { readonly issuers: Promise<TrustedIssuers>; readonly at: number } | undefined
  return (maxAge = maxAgeMs) => {
    if (!cached || clock.now() - cached.at >= maxAge) {
      const fresh = { issuers: read(), at: clock.now() }
      cached = fresh
      fresh.issuers.catch(() => {
        if (cached === fresh) cached = undefined
      })
    }
    return cached.issuers
  }
}

/**
 * Verifies that a request has a token of a trusted issuer: one that STS or a key of the hub confirms. Reads no objects of the hub, so it knows
 * neither what the caller may do nor whether a ServiceAccount still exists. Fails with ServiceUnavailable if STS does not respond.
 */
export const tokenVerifier = ({ clock, log, identityBehind, issuersOf }: TokenVerifierPorts) => {
  const isTrusted = async (token: string): Promise<boolean> => {
    const isIssuedBy: (issuers: TrustedIssuers) => Promise<boolean> | boolean = token.startsWith(webTokenStart)
      ? issuers => isSigned(token, issuers, clock.now())
      : await byAccount(token)
    return (await isIssuedBy(await issuersOf())) || isIssuedBy(await issuersOf(minAgeMs))
  }

  const byAccount = async (token: string) => {
    const { account } = await identityBehind(token)
    return ({ accounts }: TrustedIssuers) => accounts.includes(account)
  }

  return async (request: Pick<Request, 'headers'>): Promise<boolean> => {
    const token = bearerTokenOf(request)
    if (token === undefined) return false
    try {
      if (await isTrusted(token)) return true
      log.info('authentication failed', { why: 'the hub trusts neither the account nor the key' })
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      log.info('authentication failed', { why: error.message })
    }
    return false
  }
}

/** A JSON object in base64url. */
const webTokenStart = 'eyJ'

/** The hub itself checks the claims of an issuer's token: audience, validation rules, user. */
const isSigned = async (token: string, { keySet, issuers }: TrustedIssuers, now: number): Promise<boolean> => {
  const issuer = issuers.find(({ url }) => url === issuerOf(token))
  if (!issuer) return isOfHub(token, keySet, now)
  try {
    const payload = await verifiedPayload(token, createLocalJWKSet(issuer.keySet))
    const { exp } = JSON.parse(new TextDecoder().decode(payload)) as { readonly exp?: unknown }
    return typeof exp === 'number' && (exp + clockTolerance) * 1000 > now
  } catch {
    return false
  }
}

const isOfHub = async (token: string, keySet: JSONWebKeySet, now: number): Promise<boolean> => {
  try {
    await jwtVerify(token, createLocalJWKSet(keySet), {
      algorithms: [signingAlgorithm],
      currentDate: new Date(now),
      clockTolerance,
    })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
