/** Numbers as Go prints them. */

/** strconv.FormatFloat(value, 'g', -1, 64): exponents below -4 and from 6 on are written out. */
export const formatGoFloat = (value: number): string => {
  const [mantissa, exponent] = value.toExponential().split('e') as [string, string]
  const power = Number(exponent)
  if (power < -4 || power >= 6) return `${mantissa}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
  const digits = mantissa.replace('-', '').replace('.', '')
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (power < 0) return `${sign}0.${'0'.repeat(-power - 1)}${digits}`
  const whole = digits.slice(0, power + 1).padEnd(power + 1, '0')
  const rest = digits.slice(power + 1)
  return `${sign}${whole}${rest && `.${rest}`}`
}

/** A number of JSON as YAML: integers plainly while they fit 64 bits, everything else as a float. */
export const formatNumber = (value: number | bigint): string => {
  if (typeof value === 'bigint') return value.toString()
  if (Number.isSafeInteger(value)) return Object.is(value, -0) ? '0' : String(value)
  if (Number.isInteger(value) && Math.abs(value) < 1e21) {
    // JSON writes it as an integer; reading that back gives an integer while it fits.
    const big = BigInt(String(value))
    if (big >= -(2n ** 63n) && big < 2n ** 64n) return big.toString()
  }
  return formatGoFloat(value)
}
