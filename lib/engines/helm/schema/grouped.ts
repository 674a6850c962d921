import { formatFloat } from '../../../foundations/go/format-float.ts'

/** A number in golang.org/x/text's English format: 65,535; from a million, and below a ten-thousandth, as 1.5×10⁰⁶. */
export const grouped = (number: number): string => {
  const [mantissa, exponent] = formatFloat(number, 'e', -1).split('e')
  const power = Number(exponent)
  if (Number.isInteger(number) && Number.isSafeInteger(number) && power < 6) return separated(String(number))
  if (power < -4 || power >= 6) return `${mantissa}×10${superscript(exponent!)}`
  return separated(formatFloat(number, 'f', -1))
}

const separated = (text: string): string => text.replace(/^-?\d+/, whole => whole.replace(/\B(?=(?:\d{3})+$)/g, ','))

const superscript = (exponent: string): string =>
  exponent
    .replace('+', '')
    .replace('-', '⁻')
    .replace(/\d/g, digit => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]!)
