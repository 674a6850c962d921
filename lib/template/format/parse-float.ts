/** strconv.ParseFloat(text, 64): decimal, hexadecimal (0x1p-2), infinities and NaN. Undefined for other text; too large is infinite. */
export const parseFloat64 = (text: string): number | undefined => {
  if (/^[+-]?(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][+-]?[0-9][0-9_]*)?$/.test(text))
    return text.includes('_') ? undefined : Number(text)
  const hex = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?[0-9]+)$/.exec(text)
  if (hex) {
    const [, sign, whole = '', fraction = '', exponent] = hex
    if (whole + fraction === '') return undefined
    const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
    return sign === '-' ? -value : value
  }
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return /^nan$/i.test(text) ? Number.NaN : undefined
}
