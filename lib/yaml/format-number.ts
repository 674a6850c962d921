import { formatFloat } from '../go/format-float.ts'

/** A number of JSON as YAML: integers plainly while they fit 64 bits, everything else as a float. */
export const formatNumber = (value: number | bigint): string => {
  if (typeof value === 'bigint') return value.toString()
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '0' : String(value)
  if (Number.isInteger(value) && Math.abs(value) < 1e21) {
    // JSON writes it as an integer; reading that back gives an integer while it fits.
    const big = BigInt(String(value))
    if (big >= -(2n ** 63n) && big < 2n ** 64n) return big.toString()
  }
  return formatFloat(value, 'g', -1)
}
