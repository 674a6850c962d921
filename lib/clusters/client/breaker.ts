import { describeOutage } from '../../foundations/rules/outage.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { ClusterError } from './client.ts'

const THRESHOLD = 3
const FIRST_PAUSE_MS = 5_000
const MAX_PAUSE_MS = 60_000

export interface Breaker {
  call<T>(request: () => Promise<T>): Promise<T>
  /** Closes it unless a call has failed since: the cluster is known to have responded so many milliseconds ago. */
  hasResponded(agoMs: number): void
}

/**
 * Keeps a dead cluster from slowing down the others: after three calls without a response, further calls fail at once,
 * as the cluster is unreachable, until a pause has passed (5 s, doubling up to a minute). Then one call may try: any
 * response, including a refusal, closes the breaker.
 */
export const breaker = (clock: Pick<Clock, 'monotonic'>): Breaker => {
  let failures = 0
  let pauseMs = 0
  let pausedUntil = 0
  let trying = false
  let lastFailure: ClusterError | undefined
  let lastFailureAt = Number.NEGATIVE_INFINITY

  const pause = (ms: number): void => {
    pauseMs = Math.min(ms, MAX_PAUSE_MS)
    pausedUntil = clock.monotonic() + pauseMs
  }
  const close = (): void => {
    failures = 0
    pauseMs = 0
  }

  const guarded = async <T>(call: () => Promise<T>): Promise<T> => {
    const isTrial = pauseMs > 0
    if (isTrial && (trying || clock.monotonic() < pausedUntil)) throw withoutRequest(lastFailure!)
    trying = isTrial
    try {
      const result = await call()
      close()
      return result
    } catch (error) {
      if (!(error instanceof ClusterError)) throw error
      if (error.code !== 'unreachable') {
        close()
        throw error
      }
      lastFailure = error
      lastFailureAt = clock.monotonic()
      if (isTrial) pause(pauseMs * 2)
      else if (++failures >= THRESHOLD && pauseMs === 0) pause(FIRST_PAUSE_MS)
      throw error
    } finally {
      if (isTrial) trying = false
    }
  }
  return {
    call: guarded,
    hasResponded: agoMs => {
      if (clock.monotonic() - agoMs > lastFailureAt) close()
    },
  }
}

const withoutRequest = (failure: ClusterError): ClusterError => {
  const { outage } = failure
  return outage ? new ClusterError('unreachable', describeOutage(outage), { outage, cause: failure }) : failure
}
