import { type CompactVerifyGetKey, createLocalJWKSet, errors, type JSONWebKeySet, type LocalJWKSet } from 'jose'
import { collectBytes } from '../../foundations/budget/collect-bytes.ts'
import { describeFailure } from './describe-failure.ts'
import type { GuardedFetch } from './guarded-fetch.ts'

export interface IssuerKeysOptions {
  /** The issuer's URL: its configuration (OpenID Connect Discovery) is served below it, and must name it. */
  readonly url: string
  /** The URL of the configuration, if it is served elsewhere. */
  readonly discoveryUrl?: string | undefined
}

export interface IssuerKeysPorts {
  readonly fetch: GuardedFetch
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Called when cached keys could not be refreshed. */
  readonly onStale: (error: IssuerUnavailable) => void
}

/** The published keys of a token issuer. All methods fail with IssuerUnavailable until they were fetched once. */
export interface IssuerKeys {
  /** Finds the key of a token, for jose; fetches the keys again if it is unknown. Fails with jose's errors. */
  readonly keyOf: CompactVerifyGetKey
  /** The keys, fetched if they are not cached, or older than this. */
  fresh(maxAgeMs?: number): Promise<JSONWebKeySet>
}

/** The keys of an issuer can't be fetched. The message explains why. */
export class IssuerUnavailable extends Error {
  constructor(url: string, why: string, cause?: unknown) {
    super(`failed to fetch the keys of issuer ${url}: ${why}`, { cause })
    this.name = 'IssuerUnavailable'
  }
}

/** A key that the issuer has withdrawn is accepted no longer than this. */
const maxAgeMs = 10 * 60_000
/** Minimum time between two requests, whatever tokens arrive. */
const minAgeMs = 5_000
const timeoutMs = 10_000
const maxBytes = 1 << 20

/** While the issuer is unavailable, the cached keys stay valid. */
export const issuerKeys = ({ fetch, now, onStale }: IssuerKeysPorts, options: IssuerKeysOptions): IssuerKeys => {
  let known: { readonly set: LocalJWKSet; readonly at: number } | undefined
  let failed: IssuerUnavailable | undefined
  let pending: Promise<void> | undefined
  let requestedAt = Number.NEGATIVE_INFINITY

  const refresh = async (): Promise<void> => {
    requestedAt = now()
    try {
      known = { set: await fetchKeys(fetch, options), at: requestedAt }
      failed = undefined
    } catch (error) {
      failed = error instanceof IssuerUnavailable ? error : new IssuerUnavailable(options.url, reasonOf(error), error)
      if (known) onStale(failed)
    } finally {
      pending = undefined
    }
  }

  /** The keys, fetched if they are older than this, unless that was tried a moment ago. */
  const keysWithin = async (ageMs: number): Promise<LocalJWKSet> => {
    const isOld = !known || now() - known.at >= ageMs
    if (isOld && !pending && now() - requestedAt >= minAgeMs) pending = refresh()
    if (isOld) await pending
    if (known) return known.set
    throw failed ?? new IssuerUnavailable(options.url, 'no request was made')
  }

  return {
    keyOf: async (header, token) => {
      try {
        return await (await keysWithin(maxAgeMs))(header, token)
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error
        return (await keysWithin(minAgeMs))(header, token)
      }
    },
    fresh: async (ageMs = maxAgeMs) => (await keysWithin(ageMs)).jwks(),
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
