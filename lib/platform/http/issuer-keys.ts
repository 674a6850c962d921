import { type CompactVerifyGetKey, createLocalJWKSet, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { describeFailure } from './describe-failure.ts'
import type { GuardedFetch } from './guarded-fetch.ts'

export interface IssuerKeysOptions {
  /** The issuer's URL: its configuration (OpenID Connect Discovery) lies below, and names it. */
  readonly url: string
  /** Where the configuration lies instead. */
  readonly discoveryUrl?: string | undefined
}

export interface IssuerKeysPorts {
  readonly fetch: GuardedFetch
  /** Milliseconds, of a clock that only runs forward. */
  readonly now: () => number
  /** Called when keys that are known could not be renewed. */
  readonly onStale: (error: IssuerUnavailable) => void
}

/** The keys that an issuer of tokens publishes. All fail with IssuerUnavailable while none are known. */
export interface IssuerKeys {
  /** Finds the key of a token, for jose; asks the issuer again for one that is unknown. Fails with jose's errors. */
  readonly keyOf: CompactVerifyGetKey
  /** The keys, fetched if they are not known, or older than this. */
  fresh(maxAgeMs?: number): Promise<JSONWebKeySet>
}

/** The keys of an issuer can't be had. The message explains why. */
export class IssuerUnavailable extends Error {
  constructor(url: string, why: string, cause?: unknown) {
    super(`the issuer ${url} can't be asked for its keys: ${why}`, { cause })
    this.name = 'IssuerUnavailable'
  }
}

/** A key that the issuer has withdrawn counts no longer than this. */
const maxAgeMs = 10 * 60_000
/** No more often than this, whatever tokens come along. */
const minAgeMs = 5_000
const timeoutMs = 10_000
const maxBytes = 1 << 20

/** While the issuer does not answer, the keys that are known stay valid. */
export const issuerKeys = ({ fetch, now, onStale }: IssuerKeysPorts, options: IssuerKeysOptions): IssuerKeys => {
  let known: { readonly set: LocalJWKSet; readonly at: number } | undefined
  let failed: IssuerUnavailable | undefined
  let asking: Promise<void> | undefined
  let askedAt = Number.NEGATIVE_INFINITY

  const ask = async (): Promise<void> => {
    askedAt = now()
    try {
      known = { set: await fetchKeys(fetch, options), at: askedAt }
      failed = undefined
    } catch (error) {
      failed = error instanceof IssuerUnavailable ? error : new IssuerUnavailable(options.url, reasonOf(error), error)
      if (known) onStale(failed)
    } finally {
      asking = undefined
    }
  }

  /** The keys, asked for if they are older than this, and if that was not tried a moment ago. */
  const within = async (ageMs: number): Promise<LocalJWKSet> => {
    const isOld = !known || now() - known.at >= ageMs
    if (isOld && !asking && now() - askedAt >= minAgeMs) asking = ask()
    if (isOld) await asking
    if (known) return known.set
    throw failed ?? new IssuerUnavailable(options.url, 'it was not asked')
  }

  return {
    keyOf: async (header, token) => {
      try {
        return await (await within(maxAgeMs))(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        return (await within(minAgeMs))(header, token)
      }
    },
    fresh: async (ageMs = maxAgeMs) => (await within(ageMs)).jwks(),
  }
}

const fetchKeys = async (fetch: GuardedFetch, { url, discoveryUrl }: IssuerKeysOptions): Promise<LocalJWKSet> => {
  const configuration = await fetchJson(
    fetch,
    discoveryUrl ?? `${url.replace(/\/$/, '')}/.well-known/openid-configuration`,
  )
  const { issuer, jwks_uri: address } = configuration
  if (issuer !== url)
    throw new Error(
      `oidc: issuer did not match the issuer returned by provider, expected ${JSON.stringify(url)} got ${JSON.stringify(issuer ?? '')}`,
    )
  if (typeof address !== 'string') throw new Error('its configuration has no jwks_uri')
  return createLocalJWKSet((await fetchJson(fetch, address)) as unknown as JSONWebKeySet)
}

const fetchJson = async (fetch: GuardedFetch, url: string): Promise<Readonly<Record<string, unknown>>> => {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(error => {
    throw new Error(`Get ${JSON.stringify(url)}: ${describeFailure(new URL(url), error)}`, { cause: error })
  })
  const body = response.body && (await collectBytes(response.body, maxBytes))
  if (!response.ok) throw new Error(`${url} responds with status ${response.status}`)
  if (!body) throw new Error(`${url} responds with nothing, or with more than ${maxBytes} bytes`)
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  } catch {}
  throw new Error(`${url} responds with something else than a JSON object`)
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
