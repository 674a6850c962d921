/** What is good until a time; undefined = for good. Milliseconds since the epoch. */
interface Expiring {
  readonly expiresAt?: number
}

/** A new one is obtained when the old one has less than this to live, so that it never expires under way. */
const marginMs = 5 * 60_000

/**
 * Who ask together get one answer, and each may stop waiting for it by itself; an answer is used until shortly before it
 * expires; failures are not kept.
 */
export const cached = <T extends Expiring>(
  obtain: () => Promise<T>,
  now: () => number,
): ((signal?: AbortSignal) => Promise<T>) => {
  let held: { readonly value: T; readonly until: number } | undefined
  let underWay: Promise<T> | undefined

  const renew = async (): Promise<T> => {
    const askedAt = now()
    const value = await obtain()
    held = { value, until: usableUntil(value.expiresAt, askedAt) }
    return value
  }

  return async signal => {
    signal?.throwIfAborted()
    if (held && now() < held.until) return held.value
    underWay ??= renew().finally(() => {
      underWay = undefined
    })
    return signal ? untilAborted(underWay, signal) : underWay
  }
}

const untilAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** Short-lived ones are used for half their life. */
const usableUntil = (expiresAt: number | undefined, from: number): number =>
  expiresAt === undefined ? Number.POSITIVE_INFINITY : expiresAt - Math.min(marginMs, (expiresAt - from) / 2)
