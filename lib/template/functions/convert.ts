import { formatValue, sprint } from '../format/format-value.ts'
import { parseFloat64 } from '../format/parse-float.ts'
import { parseInt64 } from '../format/parse-integer.ts'
import { type FunctionMap, int, integerOf, isList, TemplateFunction, TypedList, type Value } from '../values/value.ts'

/** How sprig's functions read their arguments: anything becomes an integer, a float or text, and never fails. */

const LARGEST = 2n ** 63n - 1n

export const toInt64 = (value: Value): bigint => {
  if (typeof value === 'string') return parseInt64(value) ?? 0n
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'number') return truncated(value)
  const integer = integerOf(value) ?? 0n
  return integer > LARGEST ? LARGEST : integer
}

/** As amd64 converts: what does not fit is the smallest integer. */
const truncated = (value: number): bigint =>
  Number.isFinite(value) && Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n)

export const toFloat64 = (value: Value): number => {
  if (typeof value === 'string') {
    const parsed = parseFloat64(value)
    return parsed === undefined || (!Number.isFinite(parsed) && /\d/.test(value)) ? 0 : parsed
  }
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return Number(integerOf(value) ?? 0n)
}

/** sprig's strval. */
export const toText = (value: Value): string => (typeof value === 'string' ? value : formatValue(value))

export const isNothing = (value: Value): value is null | undefined => value === null || value === undefined

/** The items of a list as text, or the value itself as the only one; nil is left out. */
export const toTexts = (value: Value): string[] => {
  if (isNothing(value)) return []
  return isList(value) ? value.filter(item => !isNothing(item)).map(toText) : [toText(value)]
}

/** Keeps 64 bits, as Go's arithmetic does. */
export const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)

const any = (call: (value: Value) => Value) => new TemplateFunction(['interface {}'], call)

export const conversions: FunctionMap = new Map([
  ['toString', any(toText)],
  ['toStrings', any(value => TypedList.holding('string', toTexts(value)))],
  ['int64', any(toInt64)],
  ['int', any(value => int(toInt64(value)))],
  ['float64', any(toFloat64)],
  ['atoi', new TemplateFunction(['string'], (text: string) => int(decimal(text)))],
  ['toDecimal', any(value => octal(sprint([value])))],
])

/** strconv.Atoi: decimal only. */
const decimal = (text: string): bigint => {
  const value = /^[+-]?[0-9]+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : 0n
  return wrap(value) === value ? value : value > 0n ? LARGEST : -LARGEST - 1n
}

const octal = (text: string): bigint => {
  const match = /^([+-]?)([0-7]+)$/.exec(text)
  if (!match) return 0n
  const value = BigInt(`0o${match[2]}`)
  if (value > LARGEST) return 0n
  return match[1] === '-' ? -value : value
}
