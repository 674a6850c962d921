/** Digits with single underscores between them. */
const D = '[0-9](?:_?[0-9])*'
const X = '[0-9a-f](?:_?[0-9a-f])*'
const DECIMAL = new RegExp(`^[+-]?(?:${D}(?:\\.(?:${D})?)?|\\.${D})(?:e[+-]?${D})?$`, 'i')
const HEXADECIMAL = new RegExp(`^([+-]?)0x(?=_?[.0-9a-f])(_?${X})?(?:\\.(${X})?)?p([+-]?${D})$`, 'i')

/** strconv.ParseFloat(text, 64): decimal, hexadecimal (0x1p-2), infinities and NaN. Undefined for other text; overflow is infinite. */
export const parseFloat64 = (text: string): number | undefined => {
  if (DECIMAL.test(text)) return Number(text.replaceAll('_', ''))
  const [hex, sign, whole = '', fraction = '', exponent] =
    HEXADECIMAL.exec(text)?.map(part => part?.replaceAll('_', '')) ?? []
  if (hex) {
    if (whole + fraction === '') return undefined
    const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length)
    return sign === '-' ? -value : value
  }
  if (/^[+-]?(?:inf|infinity)$/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return /^nan$/i.test(text) ? Number.NaN : undefined
}
