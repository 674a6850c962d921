/** Counts what is exchanged with clusters. */
export interface Tally {
  requests: number
  /** Of bodies, in both directions. */
  bytes: number
}

export const newTally = (): Tally => ({ requests: 0, bytes: 0 })
