/** Doubles as decimal text, exactly as Go writes them: ties are rounded to even, and no digit is left out. */

/** Go's `%.*f`. */
export const fixed = (value: number, precision: number): string => {
  const digits = String(scaled(value, precision)).padStart(precision + 1, '0')
  const whole = digits.length - precision
  return signOf(value) + digits.slice(0, whole) + (precision > 0 ? `.${digits.slice(whole)}` : '')
}

/** Go's `%.*e`. */
export const scientific = (value: number, precision: number): string => {
  let exponent = exponentOf(value)
  let digits = String(scaled(value, precision - exponent))
  // The shortest text of a number, and the one with so many digits, may be of two powers of ten.
  if (value !== 0 && digits.length !== precision + 1) {
    exponent += digits.length - precision - 1
    digits = String(scaled(value, precision - exponent))
  }
  digits = digits.padEnd(precision + 1, '0')
  return `${signOf(value)}${digits[0]}${precision > 0 ? `.${digits.slice(1)}` : ''}${exponentText(exponent)}`
}

/** Go's shortest `%f`: as many digits as tell the number from all others, none of them by an exponent. */
export const shortest = (value: number): string => {
  const [digits, exponent] = digitsOf(value)
  return fixedDigits(value, digits, exponent)
}

/** Go's shortest `%g`: with an exponent, of two digits at least, below -4 and from 6 on. */
export const general = (value: number): string => {
  const [digits, exponent] = digitsOf(value)
  if (-4 <= exponent && exponent < 6) return fixedDigits(value, digits, exponent)
  return `${signOf(value)}${digits[0]}${digits.length > 1 ? `.${digits.slice(1)}` : ''}${exponentText(exponent)}`
}

const fixedDigits = (value: number, digits: string, exponent: number): string => {
  const padded = '0'.repeat(Math.max(-exponent, 0)) + digits.padEnd(exponent + 1, '0')
  const whole = Math.max(exponent, 0) + 1
  return signOf(value) + padded.slice(0, whole) + (padded.length > whole ? `.${padded.slice(whole)}` : '')
}

const signOf = (value: number): string => (value < 0 || Object.is(value, -0) ? '-' : '')

const digitsOf = (value: number): readonly [digits: string, exponent: number] => {
  const [digits, exponent] = Math.abs(value).toExponential().split('e') as [string, string]
  return [digits.replace('.', ''), Number(exponent)]
}

const exponentOf = (value: number): number => digitsOf(value)[1]

const exponentText = (exponent: number): string =>
  `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

/** The number without its sign, times a power of ten, rounded. */
const scaled = (value: number, power: number): bigint => {
  let [numerator, denominator] = fractionOf(Math.abs(value))
  numerator *= 10n ** BigInt(Math.max(power, 0))
  denominator *= 10n ** BigInt(Math.max(-power, 0))
  const [quotient, doubled] = [numerator / denominator, (numerator % denominator) * 2n]
  const isUp = doubled > denominator || (doubled === denominator && quotient % 2n === 1n)
  return isUp ? quotient + 1n : quotient
}

/** A double is a whole number, times or by a power of two. */
const fractionOf = (value: number): [numerator: bigint, denominator: bigint] => {
  let [rest, denominator] = [value, 1n]
  while (!Number.isInteger(rest)) {
    rest *= 2
    denominator *= 2n
  }
  return [BigInt(rest), denominator]
}
