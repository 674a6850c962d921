const minute = 60_000

/**
 * How long a page waits between two reads where each costs money, as on AWS: the longer, the longer its viewer has done nothing. A hidden page
 * reads nothing at all. Milliseconds. Pure.
 */
export const pollMsAfter = (quietMs: number): number => {
  if (quietMs < 2 * minute) return 5_000
  return quietMs < 15 * minute ? 15_000 : minute
}

/** How often the navigation counts, besides whenever somebody goes to another place: more seldom where a read costs money. Milliseconds. */
export const countsPaceMs = { streamed: minute, polled: 5 * minute } as const
