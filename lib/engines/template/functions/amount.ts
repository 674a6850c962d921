/** Maximum number of items or characters per call: enough for any manifest, and quick to create. */
const MOST = 4_000_000

/** Throws if a function is asked for more. */
export const requireAmount = (count: number, what: string): void => {
  if (!(count <= MOST)) throw new Error(`${what} would be ${count}, more than ${MOST}`)
}

/** The same for list items, which take more memory each. */
export const requireItems = (count: number): void => {
  if (!(count <= MOST / 8)) throw new Error(`length of the list would be ${count}, more than ${MOST / 8}`)
}
