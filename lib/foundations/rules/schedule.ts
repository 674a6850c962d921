/** When to reconcile an object again. Times are in milliseconds; `fraction` is uniform in [0, 1). */

/** An interval spread by a percentage in both directions, so that equal intervals don't come due together. */
export const withJitter = (interval: number, percentage: number, fraction: number): number =>
  Math.round(interval * (1 + (percentage / 100) * (2 * fraction - 1)))

const minBackOff = 750
const maxFailureMs = 15 * 60_000
/** Milliseconds, including jitter. */
export const maxBackOffMs = maxFailureMs * 1.1

/**
 * Delay before retrying something that has been failing for a time: as long again, within Flux's bounds. So delays double without a stored
 * counter. Adds up to a tenth as jitter.
 */
export const backOff = (failingFor: number, fraction: number): number =>
  Math.round(Math.min(Math.max(failingFor, minBackOff), maxFailureMs) * (1 + fraction / 10))

/** Maximum clock skew between machines. */
const clocksDifferMs = 60_000

/** Whether a stored time can only come from a clock that was ahead and has been set back since. */
export const isFromWrongClock = (stored: number, now: number): boolean => stored > now + clocksDifferMs

/**
 * Milliseconds since a stored time. If the time is in the future, its age is unknown, and counts as enough for any timeout.
 */
export const elapsedSince = (stored: number, now: number): number =>
  isFromWrongClock(stored, now) ? Number.POSITIVE_INFINITY : Math.max(0, now - stored)

/**
 * Delay before checking objects that are not healthy yet: short at first, longer for a rollout that takes minutes. The last check is at the
 * timeout.
 */
export const healthPollMs = (waited: number, timeout: number): number =>
  Math.min(Math.max(waited / 4, 1_000), 10_000, Math.max(timeout - waited, 0))
