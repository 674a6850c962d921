/** Computes in decimal, because numbers are written so: 0.3 is a multiple of 0.1. */
export const isMultiple = (number: number, of: number): boolean => {
  const [a, b] = [decimalOf(number), decimalOf(of)]
  const exponent = Math.min(a.exponent, b.exponent)
  const scaled = ({ digits, exponent: own }: Decimal) => digits * 10n ** BigInt(own - exponent)
  return b.digits !== 0n && scaled(a) % scaled(b) === 0n
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

const decimalOf = (number: number): Decimal => {
  const [, whole = '', fraction = '', exponent = '0'] =
    /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(number)) ?? []
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length }
}
