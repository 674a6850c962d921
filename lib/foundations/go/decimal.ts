/** A non-negative number as 0.DIGITS × 10^POINT. The point of zero is 1. */
export interface Decimal {
  readonly digits: string
  readonly point: number
}

/** The fewest digits that parse back to the same number. */
export const shortestDecimal = (size: number): Decimal => {
  const [mantissa, power] = size.toExponential().split('e') as [string, string]
  return { digits: mantissa.replace('.', ''), point: Number(power) + 1 }
}

/** The shortest number that is equal as a 32-bit float: how Go writes a float32. */
export const shortestSingle = (value: number): number => {
  const single = Math.fround(value)
  // Otherwise zero would lose its sign.
  if (single === 0) return single
  let digits = 1
  while (Math.fround(Number(single.toPrecision(digits))) !== single) digits++
  return Number(single.toPrecision(digits))
}

/** All digits of the double. */
export const exactDecimal = (size: number): Decimal => {
  const { mantissa, exponent } = binaryOf(size)
  // m / 2^n is m × 5^n / 10^n.
  const all = exponent < 0 ? mantissa * 5n ** BigInt(-exponent) : mantissa << BigInt(exponent)
  const point = String(all).length + Math.min(exponent, 0)
  return mantissa === 0n ? { digits: '', point: 1 } : { digits: String(all).replace(/0+$/, ''), point }
}

/** Rounded to at most `count` digits; halves go to the even digit. */
export const rounded = ({ digits, point }: Decimal, count: number): Decimal => {
  const kept = digits.slice(0, Math.max(0, count))
  const rest = count < 0 ? '' : digits.slice(count)
  const isUp = rest > '5' || (rest === '5' && /[13579]$/.test(kept))
  if (!isUp) return { digits: kept.replace(/0+$/, ''), point }
  const raised = String(BigInt(kept) + 1n)
  return { digits: raised.replace(/0+$/, ''), point: point + raised.length - kept.length }
}

/** A non-negative double as MANTISSA × 2^EXPONENT; the mantissa has 53 bits unless the number is subnormal. */
export const binaryOf = (size: number): { readonly mantissa: bigint; readonly exponent: number } => {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, size)
  const stored = bits.getBigUint64(0)
  const [fraction, power] = [stored & ((1n << 52n) - 1n), Number(stored >> 52n)]
  return power === 0
    ? { mantissa: fraction, exponent: -1074 }
    : { mantissa: fraction | (1n << 52n), exponent: power - 1075 }
}
