/** Maximum number of items or characters per call: enough for any manifest, and quick to create. */
const MAX_AMOUNT = 4_000_000

/** Throws if a function is requested to produce more. */
export const requireAmount = (count: number, what: string): void => {
  if (!(count <= MAX_AMOUNT)) throw new Error(`${what} would be ${count}, more than ${MAX_AMOUNT}`)
}

/** The same for list items, which take more memory each. */
export const requireItems = (count: number): void => {
  if (!(count <= MAX_AMOUNT / 8)) throw new Error(`length of the list would be ${count}, more than ${MAX_AMOUNT / 8}`)
}
