/** A Retry-After header in milliseconds; undefined without one, or when it is a date, which servers that throttle do not send. */
export const retryAfterMs = (
  header: string | string[] | undefined,
  maxMs = Number.POSITIVE_INFINITY,
): number | undefined => {
  const seconds = Number(Array.isArray(header) ? header[0] : header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, maxMs) : undefined
}
