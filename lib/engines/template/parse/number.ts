import { parseFloat64 } from '../../../foundations/go/parse-float.ts'
import { quote } from '../../../foundations/go/quote.ts'
import { parseInteger } from '../format/parse-integer.ts'
import type { NumberNode } from './node.ts'
import { unquoteCharacter } from './unquote.ts'

type Constant = Omit<NumberNode, 'type' | 'position'>

/** Parses a number or character token, in every type that can represent it. Throws with Go's message. */
export const readNumber = (text: string, type: 'number' | 'complex' | 'char constant'): Constant => {
  if (type === 'char constant') return characterConstant(text)
  if (type === 'complex') return complexConstant(text)
  if (text.endsWith('i')) return complexOf(text, 0, finiteFloat(text, text.slice(0, -1)))
  const whole = parseInteger(text)
  if (whole !== undefined && -(2n ** 63n) <= whole && whole < 2n ** 64n)
    return { text, ...integersOf(whole), float: Number(whole) }
  const float = finiteFloat(text, text)
  if (!/[.eEpP]/.test(text)) throw new Error(`integer overflow: ${quote(text)}`)
  return { text, float, ...integersIn(float) }
}

const finiteFloat = (whole: string, text: string): number => {
  const float = parseFloat64(text)
  if (Number.isFinite(float)) return float!
  throw new Error(`illegal number syntax: ${quote(whole)}`)
}

const characterConstant = (text: string): Constant => {
  const code = unquoteCharacter(text)
  if (code === undefined) throw new Error('invalid syntax')
  if (code === 'malformed') throw new Error(`malformed character constant: ${text}`)
  return { text, integer: BigInt(code), unsigned: BigInt(code), float: code }
}

const integersOf = (whole: bigint): { integer?: bigint; unsigned?: bigint } => ({
  ...(BigInt.asIntN(64, whole) === whole ? { integer: whole } : {}),
  ...(BigInt.asUintN(64, whole) === whole ? { unsigned: whole } : {}),
})

const integersIn = (float: number) => (Number.isInteger(float) ? integersOf(BigInt(float)) : {})

/** How fmt.Sscan splits a complex number, which is stricter than the lexer. */
const PART = '(?:0[xX][0-9a-fA-F_.]*(?:[pP][+-]?[0-9_]*)?|[0-9_.]*(?:[eE][+-]?[0-9_]*)?)'
const COMPLEX = new RegExp(`^([+-]?${PART})([+-](?!i)${PART})i$`)

const complexConstant = (text: string): Constant => {
  const parts = COMPLEX.exec(text)
  if (!parts) throw new Error('syntax error scanning complex number')
  return complexOf(text, parsedFloat(parts[1]!), parsedFloat(parts[2]!))
}

const parsedFloat = (text: string): number => {
  const float = parseFloat64(text)
  if (Number.isFinite(float)) return float!
  const problem = float === undefined ? 'invalid syntax' : 'value out of range'
  throw new Error(`strconv.ParseFloat: parsing ${quote(text)}: ${problem}`)
}

const complexOf = (text: string, real: number, imaginary: number): Constant => {
  const complex = { real, imaginary }
  return imaginary === 0 ? { text, complex, float: real, ...integersIn(real) } : { text, complex }
}
