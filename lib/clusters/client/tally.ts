/** Counts what is exchanged with clusters. */
export interface Tally {
  requests: number
  /** Of bodies, in both directions. */
  bytes: number
}

/** A tally at zero, for one pass or visit. */
export const newTally = (): Tally => ({ requests: 0, bytes: 0 })
