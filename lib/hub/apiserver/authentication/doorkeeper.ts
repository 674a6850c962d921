import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import type { Clock } from '../../../platform/ports/clock.ts'
import type { Log } from '../../../platform/ports/log.ts'
import { bearerTokenOf } from './authenticators.ts'
import type { AwsIdentity } from './sts-identity.ts'
import { TokenRefused } from './sts-token.ts'

/** Whom a hub may know, without anything that is secret or says who may do what. */
export interface TrustedIssuers {
  /** AWS accounts whose principals may be users. */
  readonly accounts: readonly string[]
  /** Public keys of the tokens of ServiceAccounts. */
  readonly keySet: JSONWebKeySet
}

export interface DoorkeeperPorts {
  readonly clock: Clock
  readonly log: Log
  /** Who signed a token; see sts-identities.ts. */
  readonly identityBehind: (token: string) => Promise<AwsIdentity>
  /** Asks the hub. */
  readonly trustedIssuers: () => Promise<TrustedIssuers>
}

/** How old the hub's answer may be: at most for those whom it names, and at least before a stranger makes the doorkeeper ask again. */
const maxAgeMs = 60_000
const minAgeMs = 5_000
/** Seconds: whoever signed a token may have another clock. */
const clockTolerance = 60

/**
 * Tells whether a request comes from somebody whom the hub may know: it has a token that STS or a key of the hub confirms. It knows no object
 * of the hub; what the caller may do, and whether a ServiceAccount is still there, is for the hub to say. Fails with ServiceUnavailable if STS
 * does not answer.
 */
export const doorkeeper = ({ clock, log, identityBehind, trustedIssuers }: DoorkeeperPorts) => {
  let heard: { readonly from: Promise<TrustedIssuers>; readonly at: number } | undefined
  const known = (maxAge: number): Promise<TrustedIssuers> => {
    if (!heard || clock.now() - heard.at >= maxAge) {
      const asked = { from: trustedIssuers(), at: clock.now() }
      heard = asked
      asked.from.catch(() => {
        if (heard === asked) heard = undefined
      })
    }
    return heard.from
  }

  const isKnown = async (token: string): Promise<boolean> => {
    const isAmong: (them: TrustedIssuers) => Promise<boolean> | boolean = token.startsWith(webTokenStart)
      ? ({ keySet }) => isSigned(token, keySet, clock.now())
      : await ofAccount(token)
    return (await isAmong(await known(maxAgeMs))) || isAmong(await known(minAgeMs))
  }

  const ofAccount = async (token: string) => {
    const { account } = await identityBehind(token)
    return ({ accounts }: TrustedIssuers) => accounts.includes(account)
  }

  return async (request: Pick<Request, 'headers'>): Promise<boolean> => {
    const token = bearerTokenOf(request)
    if (token === undefined) return false
    try {
      if (await isKnown(token)) return true
      log.info('a caller is not known', { why: 'neither the account nor the key is one that the hub knows' })
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error
      log.info('a caller is not known', { why: error.message })
    }
    return false
  }
}

/** A JSON object in base64url. */
const webTokenStart = 'eyJ'

const isSigned = async (token: string, keySet: JSONWebKeySet, now: number): Promise<boolean> => {
  try {
    await jwtVerify(token, createLocalJWKSet(keySet), {
      algorithms: ['ES256'],
      currentDate: new Date(now),
      clockTolerance,
    })
    return true
  } catch (error) {
    if (error instanceof errors.JOSEError) return false
    throw error
  }
}
