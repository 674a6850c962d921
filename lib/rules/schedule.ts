/** When an object is looked at again. Times are milliseconds; `fraction` is uniform in [0, 1). */

/** An interval spread by a percentage to both sides, so that equal intervals don't come due together. */
export const jittered = (interval: number, percentage: number, fraction: number): number =>
  Math.round(interval * (1 + (percentage / 100) * (2 * fraction - 1)))

const shortestBackOff = 750
const longestBackOff = 15 * 60_000

/**
 * Delay before the next try of something that has been failing for a time: as long again, between Flux's bounds. So
 * delays double, without a counter that would have to be kept anywhere. Up to a tenth is added as jitter.
 */
export const backOff = (failingFor: number, fraction: number): number =>
  Math.round(Math.min(Math.max(failingFor, shortestBackOff), longestBackOff) * (1 + fraction / 10))
