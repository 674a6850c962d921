/** When an object is looked at again. Times are milliseconds; `fraction` is uniform in [0, 1). */

/** An interval spread by a percentage to both sides, so that equal intervals don't come due together. */
export const jittered = (interval: number, percentage: number, fraction: number): number =>
  Math.round(interval * (1 + (percentage / 100) * (2 * fraction - 1)))

const shortestBackOff = 750
const maxFailureMs = 15 * 60_000
/** Milliseconds, the jitter included. */
export const maxBackOffMs = maxFailureMs * 1.1

/**
 * Delay before the next try of something that has been failing for a time: as long again, between Flux's bounds. So
 * delays double, without a counter that would have to be kept anywhere. Up to a tenth is added as jitter.
 */
export const backOff = (failingFor: number, fraction: number): number =>
  Math.round(Math.min(Math.max(failingFor, shortestBackOff), maxFailureMs) * (1 + fraction / 10))

/** Clocks of machines that work together differ by less. */
const clocksDifferMs = 60_000

/** Whether a stored time can only come from a clock that was ahead, and has been set back since. */
export const isFromWrongClock = (stored: number, now: number): boolean => stored > now + clocksDifferMs

/**
 * Milliseconds since a stored time. Nobody knows how long ago a time is that is still to come: for a timeout, that is long enough.
 */
export const elapsedSince = (stored: number, now: number): number =>
  isFromWrongClock(stored, now) ? Number.POSITIVE_INFINITY : Math.max(0, now - stored)

/**
 * Delay before objects that are not healthy yet are looked at again: short at first, longer for a rollout that takes minutes. The last look
 * is at the timeout.
 */
export const healthPollMs = (waited: number, timeout: number): number =>
  Math.min(Math.max(waited / 4, 1_000), 10_000, Math.max(timeout - waited, 0))
