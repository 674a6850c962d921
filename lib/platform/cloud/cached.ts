import { abortable } from '../../foundations/rules/abortable.ts'

/** `expiresAt` is in milliseconds since the epoch; undefined = never. */
interface Expiring {
  readonly expiresAt?: number
}

/** Values are renewed this long before they expire, so that none expires in use. */
const marginMs = 5 * 60_000

/**
 * Caches a value until shortly before it expires. Concurrent callers share one request, and each may stop waiting for it. Failures are not cached.
 */
export const cached = <T extends Expiring>(
  obtain: () => Promise<T>,
  now: () => number,
): ((signal?: AbortSignal) => Promise<T>) => {
  let held: { readonly value: T; readonly until: number } | undefined
  let underWay: Promise<T> | undefined

  const renew = async (): Promise<T> => {
    const requestedAt = now()
    const value = await obtain()
    held = { value, until: usableUntil(value.expiresAt, requestedAt) }
    return value
  }

  return async signal => {
    signal?.throwIfAborted()
    if (held && now() < held.until) return held.value
    underWay ??= renew().finally(() => {
      underWay = undefined
    })
    return abortable(underWay, signal)
  }
}

/** Short-lived values are used for half their life. */
const usableUntil = (expiresAt: number | undefined, from: number): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - Math.min(marginMs, (expiresAt - from) / 2)
