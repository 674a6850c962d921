import type { HttpAgent } from '../../../platform/http/guarded-agent.ts'
import { describeHttpFailure, httpClient } from '../../../platform/http/http-client.ts'
import { downloadPolicy } from '../../../platform/http/http-policy.ts'
import type { Clock } from '../../../platform/ports/clock.ts'
import { RevocationUnavailable } from './revocation-unavailable.ts'

/** A request to an OCSP responder or a server of revocation lists. */
export interface RevocationRequest {
  readonly url: string
  /** Sent with POST if present, otherwise the request is a GET. */
  readonly body?: Uint8Array
  readonly contentType?: string
  readonly timeoutMs: number
  /** Bytes. */
  readonly maxBytes: number
}

/** A client of such servers, with a cache. */
export interface RevocationClient {
  /**
   * Returns the result of `parse` for a response. Caches only responses that it accepts. Fails with
   * RevocationUnavailable, or with the error of `parse`.
   */
  fetch<T>(request: RevocationRequest, parse: (response: Buffer) => T): Promise<T>
}

/** Upper limit for the validity of a response, as a certificate may be revoked in the meantime. */
const MAX_CACHE_MS = 60 * 60_000
/** Size of the cache in bytes. */
const MAX_CACHE_BYTES = 32 << 20

/** A client that connects through an agent. Uses plain HTTP only, as notation does: the responses are signed. */
export const revocationClient = (agent: HttpAgent, clock: Pick<Clock, 'now'>): RevocationClient => {
  const kept = new Map<string, { readonly response: Buffer; readonly until: number }>()

  const keep = (key: string, response: Buffer): void => {
    kept.delete(key)
    kept.set(key, { response, until: clock.now() + MAX_CACHE_MS })
    let size = [...kept.values()].reduce((sum, one) => sum + one.response.length, 0)
    for (const [oldest, one] of kept) {
      if (size <= MAX_CACHE_BYTES) return
      kept.delete(oldest)
      size -= one.response.length
    }
  }

  const fetch: RevocationClient['fetch'] = async (request, parse) => {
    const key = [request.url, Buffer.from(request.body ?? []).toString('base64')].join(' ')
    const known = kept.get(key)
    if (known && known.until > clock.now()) {
      try {
        return parse(known.response)
      } catch {
        kept.delete(key) // expired, or rejected for this issuer: the server may have a better one
      }
    }
    const response = await fetchResponse(agent, request)
    const parsed = parse(response)
    keep(key, response)
    return parsed
  }

  return { fetch }
}

const fetchResponse = async (
  agent: HttpAgent,
  { url, body, contentType, timeoutMs, maxBytes }: RevocationRequest,
): Promise<Buffer> => {
  const target = URL.parse(url)
  if (target?.protocol !== 'http:') throw new RevocationUnavailable(`${url}: only http URLs are supported`)
  const send = httpClient({
    ...{ agent, policy: downloadPolicy, signal: AbortSignal.timeout(timeoutMs) },
    fail: failure => new RevocationUnavailable(describeHttpFailure(failure), { cause: failure.cause }),
  })
  const response = await send({
    url: target,
    ...(body && { method: 'POST', body, headers: { 'content-type': contentType! } }),
  })
  if (response.status === 200) return response.bytes(maxBytes)
  await response.discard()
  throw new RevocationUnavailable(`${target.origin + target.pathname} responds with status ${response.status}`)
}
