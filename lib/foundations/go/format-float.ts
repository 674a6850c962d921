import { binaryOf, type Decimal, exactDecimal, rounded, shortestDecimal } from './decimal.ts'

/**
 * strconv.FormatFloat for 64 bits: `e`, `f` or `g` with a precision, or the fewest digits that parse back to the same number if it is -1.
 * Exponents have at least two digits; the shortest `g` uses one below -4 and from 6 on.
 */
export const formatFloat = (value: number, verb: 'e' | 'f' | 'g', precision: number): string => {
  if (!Number.isFinite(value)) return notFinite(value)
  const [sign, size] = [signOf(value), Math.abs(value)]
  return sign + (precision < 0 ? shortest(size, verb) : exact(size, verb, precision))
}

const shortest = (size: number, verb: 'e' | 'f' | 'g'): string => {
  const decimal = shortestDecimal(size)
  if (verb === 'g') return general(decimal, 6)
  return verb === 'e' ? withExponent(decimal) : plain(decimal)
}

const exact = (size: number, verb: 'e' | 'f' | 'g', precision: number): string => {
  const decimal = exactDecimal(size)
  if (verb === 'g') return general(rounded(decimal, precision || 1), precision || 1)
  return verb === 'e'
    ? withExponent(rounded(decimal, precision + 1), precision)
    : plain(rounded(decimal, decimal.point + precision), precision)
}

const notFinite = (value: number): string => (Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf')

const signOf = (value: number): string => (value < 0 || Object.is(value, -0) ? '-' : '')

/** Uses an exponent if the number has more than `most` digits before the point, or starts far after it. */
const general = (decimal: Decimal, max: number): string =>
  decimal.point < -3 || decimal.point > max ? withExponent(decimal) : plain(decimal)

/** d.ddde±xx, with a number of digits after the point, or all of them. */
const withExponent = ({ digits, point }: Decimal, places = digits.length - 1): string => {
  const fraction = digits.slice(1).padEnd(places, '0')
  return `${digits[0] ?? '0'}${fraction && `.${fraction}`}e${powerOf(point - 1)}`
}

const powerOf = (exponent: number): string =>
  `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`

/** The same without an exponent. */
const plain = ({ digits, point }: Decimal, places = digits.length - point): string => {
  const whole = digits.slice(0, Math.max(0, point)).padEnd(point, '0') || '0'
  const fraction = ('0'.repeat(Math.max(0, Math.min(-point, places))) + digits.slice(Math.max(0, point))).padEnd(
    places,
    '0',
  )
  return `${whole}${fraction && `.${fraction}`}`
}

/** strconv.FormatFloat's `b`: 4503599627370496p-52. */
export const binaryFloat = (value: number): string => {
  if (!Number.isFinite(value)) return notFinite(value)
  const { mantissa, exponent } = binaryOf(Math.abs(value))
  return `${signOf(value)}${mantissa}p${exponent < 0 ? '' : '+'}${exponent}`
}

/** strconv.FormatFloat's `x`: 0x1.8p+01, with a number of hexadecimal digits, or as many as needed if `precision` is -1. */
export const hexadecimalFloat = (value: number, precision: number): string => {
  if (!Number.isFinite(value)) return notFinite(value)
  let { mantissa, exponent } = binaryOf(Math.abs(value))
  if (mantissa === 0n) return `${signOf(value)}0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`
  for (exponent += 52; mantissa < 1n << 52n; exponent--) mantissa <<= 1n
  if (precision >= 0 && precision < 13) {
    const dropped = BigInt(4 * (13 - precision))
    const [rest, half] = [mantissa & ((1n << dropped) - 1n), 1n << (dropped - 1n)]
    mantissa >>= dropped
    if (rest > half || (rest === half && mantissa % 2n === 1n)) mantissa++
    mantissa <<= dropped
    if (mantissa >= 1n << 53n) exponent++
  }
  const all = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0')
  const digits = all.replace(/0+$/, '').padEnd(precision, '0')
  return `${signOf(value)}0x1${digits && `.${digits}`}p${powerOf(exponent)}`
}
