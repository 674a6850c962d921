import { setTimeout as sleep } from 'node:timers/promises'
import { abortable } from '../../foundations/rules/abortable.ts'
import { retryAfterMs } from '../../platform/http/retry-after.ts'
import { isStaleConnection } from '../../platform/http/stale-connection.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { breaker } from './breaker.ts'
import { ClusterError } from './client.ts'
import { accessDigest, type ClusterIdentities, clusterIdentities } from './cluster-identities.ts'
import { type Discovery, discovery } from './discovery.ts'
import { limiter } from './limiter.ts'
import type { Tally } from './tally.ts'
import type { Transport, TransportRequest, TransportResponse } from './transport.ts'
import { unreachable } from './unreachable.ts'

/** What all clients of one cluster share: connections, discovery, the limit on requests and the breaker. */
export interface Connection {
  readonly server: string
  readonly discovery: Discovery
  readonly identities: ClusterIdentities
  /** See ClusterClient. */
  hasResponded(agoMs: number): void
  /** Resolves to any response; rejects with `unreachable` if there is none, or with the signal's reason. */
  request(request: ClusterRequest): Promise<TransportResponse>
}

export type ClusterRequest = Omit<TransportRequest, 'signal'> & {
  readonly signal?: AbortSignal
  /** Counts each attempt. */
  readonly tally?: Tally | undefined
}

export interface ConnectionOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Concurrent requests. */
  readonly concurrency?: number
  /** Timeout of one exchange, headers and body. */
  readonly timeoutMs?: number
  /** PEM of the cluster's certificate authority: a part of its identity if its UID can't be read. */
  readonly certificateAuthority?: string | undefined
}

const MAX_RETRIES = 3
const MAX_RETRY_MS = 5_000

/**
 * A connection over a transport. Requests wait for their turn, fail at once while the breaker is open, and are repeated
 * up to three times where a response of status 429 or 5xx says when (`Retry-After`).
 */
export const connection = (
  server: string,
  send: Transport,
  { clock, concurrency = 32, timeoutMs = 30_000, certificateAuthority }: ConnectionOptions,
): Connection => {
  const limited = limiter(concurrency)
  const guarded = breaker(clock)

  const once = async ({ signal, tally, ...request }: ClusterRequest): Promise<TransportResponse> => {
    signal?.throwIfAborted()
    const limit = timeLimit(timeoutMs, signal)
    try {
      // A transport may wait for something that ignores the signal, such as a token.
      const response = await abortable(send({ ...request, signal: limit.signal }), limit.signal)
      if (tally) tally.bytes += bytesOf(request.body) + bytesOf(response.body)
      return { ...response, server }
    } catch (error) {
      identities.forget()
      signal?.throwIfAborted()
      if (error instanceof ClusterError) throw error
      throw unreachable(request.method, server + request.path, error)
    } finally {
      if (tally) tally.requests += 1
      limit.end()
    }
  }
  const request = (exchange: ClusterRequest): Promise<TransportResponse> =>
    limited(() => guarded.call(() => withRetries(() => once(exchange), exchange)), exchange.signal)

  const identities = clusterIdentities(
    (path, tally) => request({ method: 'GET', path, headers: { accept: 'application/json' }, tally }),
    accessDigest(server, certificateAuthority),
    clock,
  )

  return {
    server,
    request,
    hasResponded: guarded.hasResponded,
    identities,
    discovery: discovery((path, accept, tally) => request({ method: 'GET', path, headers: { accept }, tally }), clock),
  }
}

const bytesOf = (body: string | undefined): number => (body === undefined ? 0 : Buffer.byteLength(body))

/** A signal that aborts with the other one, or after a time: like `AbortSignal.any` with `timeout`, at half the cost. */
const timeLimit = (ms: number, outer?: AbortSignal): { readonly signal: AbortSignal; end(): void } => {
  const controller = new AbortController()
  const leave = () => controller.abort(outer!.reason)
  const timer = setTimeout(
    () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  ).unref()
  outer?.addEventListener('abort', leave, { once: true })
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', leave)
    },
  }
}

/**
 * Retries after the time in Retry-After, as client-go does, and once, immediately, if a kept-alive connection
 * turned out to be closed: every request except POST may be repeated.
 */
const withRetries = async (
  attempt: () => Promise<TransportResponse>,
  { method, signal }: ClusterRequest,
): Promise<TransportResponse> => {
  for (let retries = 0; ; retries++) {
    const response = await attempt().catch(error => {
      if (retries === 0 && method !== 'POST' && isStaleConnection(error)) return undefined
      throw error
    })
    if (!response) continue
    const waitMs = retryDelayMs(response)
    if (waitMs === undefined || retries >= MAX_RETRIES || waitMs > MAX_RETRY_MS) return response
    await sleep(waitMs, undefined, { signal })
  }
}

const retryDelayMs = (response: TransportResponse): number | undefined => {
  if (response.status !== 429 && response.status < 500) return undefined
  const afterMs = retryAfterMs(response.header('retry-after'))
  return afterMs === undefined ? undefined : Math.max(afterMs, 50)
}
