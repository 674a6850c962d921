import { parseFloat64 } from '../format/parse-float.ts'
import { parseInteger } from '../format/parse-integer.ts'
import { quote } from '../format/quote.ts'
import type { NumberNode } from './node.ts'
import { unquoteCharacter } from './unquote.ts'

type Constant = Omit<NumberNode, 'type' | 'position'>

/** The constant a token spells, under every type that holds it. Throws with Go's message. */
export const readNumber = (text: string, type: 'number' | 'complex' | 'char constant'): Constant => {
  if (type === 'char constant') return characterConstant(text)
  if (type === 'complex' || text.endsWith('i')) return complexConstant(text)
  const whole = parseInteger(text)
  if (whole !== undefined) return integerConstant(text, whole)
  const float = parseFloat64(text)
  if (float === undefined || !Number.isFinite(float)) throw new Error(`illegal number syntax: ${quote(text)}`)
  if (!/[.eEpP]/.test(text)) throw new Error(`integer overflow: ${quote(text)}`)
  return { text, float, ...(Number.isInteger(float) ? integersOf(BigInt(float)) : {}) }
}

const characterConstant = (text: string): Constant => {
  const code = unquoteCharacter(text)
  if (code === undefined) throw new Error('invalid syntax')
  if (code === 'malformed') throw new Error(`malformed character constant: ${text}`)
  return { text, integer: BigInt(code), unsigned: BigInt(code), float: code }
}

const integerConstant = (text: string, whole: bigint): Constant => {
  const integers = integersOf(whole)
  if (integers.integer === undefined && integers.unsigned === undefined)
    throw new Error(`${/^[+-]?0[^0-9]/.test(text) ? 'illegal number syntax' : 'integer overflow'}: ${quote(text)}`)
  return { text, ...integers, float: Number(whole) }
}

const integersOf = (whole: bigint): { integer?: bigint; unsigned?: bigint } => ({
  ...(BigInt.asIntN(64, whole) === whole ? { integer: whole } : {}),
  ...(BigInt.asUintN(64, whole) === whole ? { unsigned: whole } : {}),
})

const complexConstant = (text: string): Constant => {
  const split = Math.max(0, text.slice(0, -1).search(/(?<![eEpP])[+-][^+-]*$/))
  const real = split === 0 ? 0 : parseFloat64(text.slice(0, split))
  const imaginary = parseFloat64(text.slice(split, -1))
  if (real === undefined || imaginary === undefined) throw new Error(`illegal number syntax: ${quote(text)}`)
  const complex = { real, imaginary }
  if (imaginary !== 0) return { text, complex }
  return { text, complex, float: real, ...(Number.isInteger(real) ? integersOf(BigInt(real)) : {}) }
}
