export interface Clock {
  /** Wall-clock time in milliseconds since the epoch. An operator may set this clock, forward or back, at any time. */
  now(): number
  /**
   * Milliseconds of a clock that never goes back: only differences within one process mean anything. For delays, timeouts and everything else that
   * must survive a change of the wall clock.
   */
  monotonic(): number
  /** Resolves after a time on the monotonic clock, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
