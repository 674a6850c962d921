import { formatFloat } from '../../foundations/go/format-float.ts'

/** A JSON number as YAML: integers of 64 bits, signed or unsigned, as such; everything else as a float. */
export const formatNumber = (value: number | bigint): string => {
  if (typeof value === 'bigint') return value.toString()
  // JSON writes it as an integer, and it is read back as one.
  if (Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 64) return String(value)
  return formatFloat(value, 'g', -1)
}
