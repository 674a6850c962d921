export interface Clock {
  /** Milliseconds since the epoch, as people read them. Somebody may set this clock, forward or back, at any time. */
  now(): number
  /**
   * Milliseconds of a clock that only ever runs: differences mean something, values do not, and not across processes. For delays,
   * timeouts, and whatever else must not stop because somebody set the time.
   */
  monotonic(): number
  /** Resolves after a time by the monotonic clock, or rejects with the signal's reason. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}
