import { formatFloat } from '../../foundations/go/format-float.ts'

/** A number of JSON as YAML: integers plainly while they fit 64 bits, with a sign or without; everything else as a float. */
export const formatNumber = (value: number | bigint): string => {
  if (typeof value === 'bigint') return value.toString()
  // JSON writes it as an integer, which is read back as one.
  if (Number.isInteger(value) && value > -(2 ** 63) && value < 2 ** 64) return String(value)
  return formatFloat(value, 'g', -1)
}
