/** An integer quotient, rounded half away from zero. */
export const roundedQuotient = (dividend: bigint, divisor: bigint): bigint => {
  const halves = (2n * dividend) / divisor
  return (halves + (halves % 2n)) / 2n
}
