/** An enqueued object is due again after this time, in case its message gets lost. Milliseconds. */
export const lostAfterMs = 2 * 60_000
