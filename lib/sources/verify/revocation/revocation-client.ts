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
   * Returns the result of `judge` for a response. Caches only responses that it accepts. Fails with
   * RevocationUnavailable, or with the error of `judge`.
   */
  fetch<T>(request: RevocationRequest, judge: (answer: Buffer) => T): Promise<T>
}

/** Upper limit for the validity of a response, as a certificate may be revoked meanwhile. */
const REMEMBERED_MS = 60 * 60_000
/** Size of the cache in bytes. */
const MAX_REMEMBERED = 32 << 20

/** A client that connects through an agent. Uses plain HTTP only, as notation does: the responses are signed. */
export const revocationClient = (agent: HttpAgent, clock: Pick<Clock, 'now'>): RevocationClient => {
  const kept = new Map<string, { readonly answer: Buffer; readonly until: number }>()

  const keep = (key: string, answer: Buffer): void => {
    kept.delete(key)
    kept.set(key, { answer, until: clock.now() + REMEMBERED_MS })
    let size = [...kept.values()].reduce((sum, one) => sum + one.answer.length, 0)
    for (const [oldest, one] of kept) {
      if (size <= MAX_REMEMBERED) return
      kept.delete(oldest)
      size -= one.answer.length
    }
  }

  const fetch: RevocationClient['fetch'] = async (request, judge) => {
    const key = [request.url, Buffer.from(request.body ?? []).toString('base64')].join(' ')
    const known = kept.get(key)
    if (known && known.until > clock.now()) {
      try {
        return judge(known.answer)
      } catch {
        kept.delete(key) // expired, or rejected for this issuer: the server may have a better one
      }
    }
    const answer = await fetchAnswer(agent, request)
    const judged = judge(answer)
    keep(key, answer)
    return judged
  }

  return { fetch }
}

const fetchAnswer = async (
  agent: HttpAgent,
  { url, body, contentType, timeoutMs, maxBytes }: RevocationRequest,
): Promise<Buffer> => {
  const target = URL.parse(url)
  if (target?.protocol !== 'http:') throw new RevocationUnavailable(`${url}: only http URLs are supported`)
  const send = httpClient({
    ...{ agent, policy: downloadPolicy, signal: AbortSignal.timeout(timeoutMs) },
    fail: failure => new RevocationUnavailable(describeHttpFailure(failure), { cause: failure.cause }),
  })
  const answer = await send({
    url: target,
    ...(body && { method: 'POST', body, headers: { 'content-type': contentType! } }),
  })
  if (answer.status === 200) return answer.bytes(maxBytes)
  await answer.discard()
  throw new RevocationUnavailable(`${target.origin + target.pathname} responds with status ${answer.status}`)
}
