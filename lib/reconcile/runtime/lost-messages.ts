/** What was enqueued comes due again after this time, should its message get lost. Milliseconds. */
export const lostAfterMs = 2 * 60_000
