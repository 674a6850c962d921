/** How often a runner and its hub hear of each other; all in milliseconds. */
export interface RunnerPace {
  /** How long a runner holds the lease of its cluster after each request. */
  readonly leaseMs: number
  /** The time between two checks whether anyone holds it. */
  readonly watchMs: number
}

/** Where a request costs nothing: runners poll every few seconds, or wait in a request that the hub holds. */
export const pollingPace: RunnerPace = { leaseMs: 30_000, watchMs: 60_000 }

/** For how long a hub holds a request, in milliseconds: well within the lease, and what proxies allow. */
export const heldMs = 10_000

/**
 * Where it does: runners wait until something wakes them, and poll after `pollAfterMs` in any case. Then their lease is renewed, and the check is put
 * off, so that there is none while a runner is there.
 */
export const waitingPace: RunnerPace & { readonly pollAfterMs: number } = {
  leaseMs: 20 * 60_000,
  watchMs: 21 * 60_000,
  pollAfterMs: 14 * 60_000,
}
