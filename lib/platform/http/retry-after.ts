/** A Retry-After header in milliseconds, at most `maxMs`; undefined if absent or a date, which throttling servers do not send. */
export const retryAfterMs = (
  header: string | string[] | undefined,
  maxMs = Number.POSITIVE_INFINITY,
): number | undefined => {
  const seconds = Number(Array.isArray(header) ? header[0] : header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, maxMs) : undefined
}
