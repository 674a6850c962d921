import type { NumberNode } from '../parse/node.ts'
import { Complex, int, type Value } from '../values/value.ts'

/** The value of an untyped number; undefined if it does not fit Go's int. */
export const idealConstant = ({ text, integer, float, complex }: NumberNode): Value => {
  if (complex) return new Complex(complex.real, complex.imaginary)
  const isInteger = text.startsWith("'") || (/^0[xX]/.test(text) && !/[pP]/.test(text)) || !/[.eEpP]/.test(text)
  return isInteger ? (integer === undefined ? undefined : int(integer)) : float
}
