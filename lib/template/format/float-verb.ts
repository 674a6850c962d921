/**
 * strconv.FormatFloat: `e`, `f` or `g` with so many digits, or with the fewest that read back the same when `precision` is -1.
 * Exponents have two digits at least.
 */
export const formatFloatVerb = (value: number, verb: 'e' | 'f' | 'g', precision: number): string => {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const size = Math.abs(value)
  switch (verb) {
    case 'e':
      return sign + withExponent(precision < 0 ? size.toExponential() : exponential(size, precision))
    case 'f':
      return sign + (precision < 0 ? plain(size.toExponential()) : fixed(size, precision))
    case 'g':
      return sign + general(size, precision)
  }
}

/** Up to here a shortest form has no exponent. */
const SHORTEST_THRESHOLD = 6

const general = (size: number, precision: number): string => {
  const digits = precision === 0 ? 1 : precision
  const text = digits < 0 ? size.toExponential() : exponential(size, digits - 1)
  const exponent = Number(text.split('e')[1])
  const shortest = digits < 0
  const threshold = shortest
    ? SHORTEST_THRESHOLD
    : digits > digitsOf(text) && digitsOf(text) >= exponent
      ? digitsOf(text)
      : digits
  const trimmed = shortest ? text : text.replace(/(\.\d*?)0+e/, '$1e').replace('.e', 'e')
  return exponent < -4 || exponent >= threshold ? withExponent(trimmed) : plain(trimmed)
}

const digitsOf = (text: string): number => text.split('e')[0]!.replace('.', '').replace(/0+$/, '').length || 1

const withExponent = (text: string): string => text.replace(/e([+-])(\d)$/, 'e$10$2')

/** d.ddde±x written without its exponent. */
const plain = (text: string): string => {
  const [mantissa, power] = text.split('e') as [string, string]
  const digits = mantissa.replace('.', '')
  const point = Number(power) + 1
  if (point <= 0) return `0.${'0'.repeat(-point)}${digits}`.replace(/^0\.0$/, '0')
  const whole = digits.slice(0, point).padEnd(point, '0')
  return digits.length > point ? `${whole}.${digits.slice(point)}` : whole
}

/** JavaScript's own forms stop at 100 digits; what follows is zeros for any double that a template prints. */
const exponential = (size: number, digits: number): string =>
  digits <= 100 ? size.toExponential(digits) : size.toExponential(100).replace('e', `${'0'.repeat(digits - 100)}e`)

const fixed = (size: number, digits: number): string => {
  if (size >= 1e21) {
    const whole = BigInt(size).toString()
    return digits > 0 ? `${whole}.${'0'.repeat(digits)}` : whole
  }
  return roundedHalfToEven(size, digits)
}

/** toFixed rounds exact halves up; Go to the even digit. */
const roundedHalfToEven = (size: number, digits: number): string => {
  const text = size.toFixed(Math.min(digits, 100)) + '0'.repeat(Math.max(0, digits - 100))
  if (digits > 20) return text
  const scaled = size * 10 ** digits
  const isHalf = scaled < 2 ** 52 && scaled % 1 === 0.5 && digits < 23 && scaled / 10 ** digits === size
  if (!isHalf || Math.floor(scaled) % 2 !== 0 || !isExactHalf(size, digits)) return text
  return (Math.floor(scaled) / 10 ** digits).toFixed(digits)
}

/** Whether the double itself, not only its rounded product, lies halfway. */
const isExactHalf = (size: number, digits: number): boolean => {
  const exact = size.toFixed(Math.min(100, digits + 60)).slice(digits === 0 ? 0 : -60)
  const rest = digits === 0 ? (exact.split('.')[1] ?? '') : exact
  return /^50*$/.test(rest)
}

/** strconv.FormatFloat's `x`: 0x1.8p+01, with so many hexadecimal digits or as many as it takes when `precision` is -1. */
export const hexadecimalFloat = (value: number, precision: number): string => {
  if (!Number.isFinite(value)) return formatFloatVerb(value, 'e', -1)
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, Math.abs(value))
  const stored = bits.getBigUint64(0)
  if (stored === 0n) return `${sign}0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`
  let mantissa = stored & ((1n << 52n) - 1n)
  let exponent = Number(stored >> 52n) - 1023
  if (exponent > -1023) mantissa |= 1n << 52n
  else for (exponent++; mantissa < 1n << 52n; exponent--) mantissa <<= 1n
  if (precision >= 0 && precision < 13) {
    const dropped = BigInt(4 * (13 - precision))
    const [rest, half] = [mantissa & ((1n << dropped) - 1n), 1n << (dropped - 1n)]
    mantissa >>= dropped
    if (rest > half || (rest === half && mantissa % 2n === 1n)) mantissa++
    mantissa <<= dropped
    if (mantissa >= 1n << 53n) {
      mantissa >>= 1n
      exponent++
    }
  }
  const all = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0')
  const digits = precision < 0 ? all.replace(/0+$/, '') : all.slice(0, precision).padEnd(precision, '0')
  const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
  return `${sign}0x1${digits && `.${digits}`}p${power}`
}
