import { SopsError } from './sops-error.ts'

/**
 * Combines shares into the secret: for each byte, the value at 0 of the polynomial through the shares' bytes, over GF(2^8). A share's last
 * byte is its x coordinate. Fails with SopsError `data-key` if the shares don't fit together.
 */
export const combineShares = (shares: readonly Uint8Array[]): Uint8Array => {
  const [first] = shares
  if (!first || shares.length < 2) throw invalidShares('less than two parts cannot be used to reconstruct the secret')
  if (first.length < 2) throw invalidShares('parts must be at least two bytes')
  if (shares.some(({ length }) => length !== first.length)) throw invalidShares('all parts must be the same length')
  const places = shares.map(share => share.at(-1)!)
  if (new Set(places).size < places.length || places.includes(0)) throw invalidShares('duplicate part detected')
  const weights = places.map((place, i) =>
    weightAtZero(
      place,
      places.filter((_, j) => j !== i),
    ),
  )
  return Uint8Array.from({ length: first.length - 1 }, (_, byte) =>
    shares.reduce((sum, share, i) => sum ^ multiply(share[byte]!, weights[i]!), 0),
  )
}

/** The Lagrange basis polynomial of a point, at 0. In this field, subtraction is addition. */
const weightAtZero = (place: number, others: readonly number[]): number =>
  others.reduce((product, other) => multiply(product, divide(other, place ^ other)), 1)

/** Modulo x^8 + x^4 + x^3 + x + 1. */
const multiply = (a: number, b: number): number => {
  let product = 0
  for (let factor = a, rest = b; rest > 0; rest >>= 1) {
    if (rest & 1) product ^= factor
    factor = factor & 0x80 ? ((factor << 1) ^ 0x11b) & 0xff : factor << 1
  }
  return product
}

/** b^254 is the inverse of b. */
const divide = (a: number, b: number): number => {
  let inverse = 1
  for (let i = 0; i < 254; i++) inverse = multiply(inverse, b)
  return multiply(a, inverse)
}

const invalidShares = (problem: string): SopsError =>
  new SopsError('data-key', `could not get data key from shamir parts: ${problem}`)
