const maxPauseMs = 60_000

/**
 * Milliseconds until the next request of a runner, after so many failures in a row: twice as long after each, up to a minute. `fraction`, from 0 to 1,
 * spreads them by a quarter both ways, so that not all runners come back at the same moment.
 */
export const pauseMs = (pollMs: number, failures: number, fraction: number): number =>
  Math.min(maxPauseMs, pollMs * 2 ** Math.min(failures, 10)) * (0.75 + fraction / 2)
