import { createHash } from 'node:crypto'
import type { Clock } from '../../../platform/ports/clock.ts'
import { ApiError } from '../../store/hub.ts'
import { type AwsIdentity, parseCallerIdentity } from './sts-identity.ts'
import { clusterHeader, readStsToken, TokenRefused } from './sts-token.ts'

export interface StsPorts {
  readonly clock: Clock
  /** GETs a URL of STS without following redirects. Fails if there is no response. */
  readonly get: (url: string, headers: Readonly<Record<string, string>>) => Promise<StsResponse>
}

export interface StsResponse {
  readonly status: number
  readonly text: string
}

export interface StsScope {
  /** The name that tokens must be issued for: `aws eks get-token --cluster-name <hubName>`. */
  readonly hubName: string
  /** The only STS endpoint that is called: `https://sts.eu-west-1.amazonaws.com`. */
  readonly stsOrigin: string
}

const maxIdentities = 1000

/**
 * Returns who signed a token from `aws eks get-token`, as STS confirms; cached as long as the token is valid. The promise fails with TokenRefused if
 * STS does not confirm it, and with ServiceUnavailable if STS does not respond: that is not the caller's fault.
 */
export const stsIdentities = (
  { clock, get }: StsPorts,
  { hubName, stsOrigin }: StsScope,
): ((token: string) => Promise<AwsIdentity>) => {
  const identities = expiringMap<Promise<AwsIdentity>>(clock, maxIdentities)
  return async token => {
    const digest = createHash('sha256').update(token).digest('base64')
    const known = identities.get(digest)
    if (known) return known
    const { url, expiresAt } = readStsToken(token, stsOrigin, clock.now())
    const identity = requestIdentity(get, url, hubName)
    identities.set(digest, identity, expiresAt)
    identity.catch(() => identities.delete(digest))
    return identity
  }
}

/** Sends the signed request, with the header that binds it to this hub: for any other name, STS rejects the signature. */
const requestIdentity = async (get: StsPorts['get'], url: string, hubName: string): Promise<AwsIdentity> => {
  // The cause is dropped: it may contain the URL, which is a credential.
  const response = await get(url, { [clusterHeader]: hubName }).catch(() => undefined)
  if (!response) throw unavailable('STS, which verifies your identity, does not respond')
  const { status, text } = response
  if (status === 429 || status >= 500) throw unavailable(`STS, which verifies your identity, responded ${status}`)
  const identity = status === 200 ? parseCallerIdentity(text) : undefined
  if (identity) return identity
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1]
  throw new TokenRefused(`STS responded ${status}${code ? ` ${code}` : ''}`)
}

const unavailable = (message: string): ApiError => new ApiError(503, 'ServiceUnavailable', `${message}: try again`)

interface ExpiringMap<T> {
  get(key: string): T | undefined
  set(key: string, value: T, expiresAt: number): void
  delete(key: string): void
}

/** A map of at most `max` values, which drops the oldest first. */
const expiringMap = <T>(clock: Clock, max: number): ExpiringMap<T> => {
  const kept = new Map<string, { readonly value: T; readonly expiresAt: number }>()
  return {
    get: key => {
      const found = kept.get(key)
      if (found && found.expiresAt > clock.now()) return found.value
      kept.delete(key)
      return undefined
    },
    set: (key, value, expiresAt) => {
      kept.set(key, { value, expiresAt })
      if (kept.size > max) kept.delete(kept.keys().next().value!)
    },
    delete: key => kept.delete(key),
  }
}
