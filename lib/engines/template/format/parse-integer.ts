/**
 * strconv.ParseInt with base 0: a sign, then 0x, 0o, 0b or a leading zero for the base; underscores may separate digits. Undefined for
 * anything else; does not check the size.
 */
export const parseInteger = (text: string): bigint | undefined => {
  const match =
    /^([+-]?)(?:0[xX](_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|0[bB](_?[01]+(?:_[01]+)*)|0[oO]?(_?[0-7]+(?:_[0-7]+)*)|([1-9][0-9]*(?:_[0-9]+)*|0))$/.exec(
      text,
    )
  if (!match) return undefined
  const [, sign, hex, binary, octal, decimal] = match
  const digits = hex ? `0x${hex}` : binary ? `0b${binary}` : octal ? `0o${octal}` : decimal!
  const value = BigInt(digits.replaceAll('_', ''))
  return sign === '-' ? -value : value
}
