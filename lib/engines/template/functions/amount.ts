/** The most items or characters a single call may make: enough for any manifest, and made in no time. */
const MOST = 4_000_000

/** Throws when a function is asked for more than that. */
export const requireAmount = (count: number, what: string): void => {
  if (!(count <= MOST)) throw new Error(`${what} would be ${count}, more than ${MOST}`)
}

/** The same for the items of a list, which take more memory each. */
export const requireItems = (count: number): void => {
  if (!(count <= MOST / 8)) throw new Error(`length of the list would be ${count}, more than ${MOST / 8}`)
}
