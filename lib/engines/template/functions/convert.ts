import { parseFloat64 } from '../../../foundations/go/parse-float.ts'
import { formatValue, sprint } from '../format/format-value.ts'
import { parseInteger } from '../format/parse-integer.ts'
import { Bytes } from '../values/bytes.ts'
import { textOf } from '../values/text.ts'
import {
  type FunctionMap,
  Int,
  int,
  integerOf,
  isList,
  isNothing,
  TemplateFunction,
  TypedList,
  unnamed,
  type Value,
} from '../values/value.ts'

/** How sprig's functions convert their arguments: anything becomes an integer, a float or text, without errors. */

/** Parses a text as an integer of 64 bits. */
export type ReadInteger = (text: string) => bigint | undefined

/** slim-sprig accepts only decimal numbers. */
export const decimalInteger: ReadInteger = text => (/^[+-]?[0-9]+$/.test(text) ? in64Bits(BigInt(text)) : undefined)

/** sprig also accepts Go syntax (0x1F, 1_000), and 1.0. */
export const goInteger: ReadInteger = text => in64Bits(parseInteger(text.replace(/\.0+$/, '')))

const in64Bits = (value: bigint | undefined): bigint | undefined =>
  value !== undefined && wrap(value) === value ? value : undefined

/** sprig's toInt64 (spf13/cast): an unreadable text is 0, and fractions are cut off. */
export const toInt64 = (value: Value, read: ReadInteger): bigint => {
  if (typeof value === 'string') return read(value) ?? 0n
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (typeof value === 'number') return truncated(value)
  return wholeOf(value)
}

/** Months and days of the week convert to integers, durations do not. */
const wholeOf = (value: Value): bigint => {
  const meant = unnamed(value)
  return integerOf(meant instanceof Int ? meant : value) ?? 0n
}

/** As amd64 converts: what does not fit becomes the smallest integer. */
const truncated = (value: number): bigint => (Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : SMALLEST)

/** sprig's toFloat64: an unreadable text, and one that is too large, is 0. */
export const toFloat64 = (value: Value): number => {
  if (typeof value === 'string') {
    const parsed = parseFloat64(value)
    return parsed === undefined || (!Number.isFinite(parsed) && /\d/.test(value)) ? 0 : parsed
  }
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  return Number(wholeOf(value))
}

/** sprig's strval. */
export const toText = (value: Value): string => (value instanceof Bytes ? textOf(value.data) : formatValue(value))

/** The items of a list as text, or the value itself as the only one; nil is dropped. */
export const toTexts = (given: Value): string[] => {
  const value = given instanceof Bytes ? given.underlying : given
  if (isNothing(value)) return []
  return isList(value) ? value.filter(item => !isNothing(item)).map(toText) : [toText(value)]
}

/** Wraps at 64 bits, as Go's arithmetic does. */
export const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)

const any = (call: (value: Value) => Value) => new TemplateFunction(['interface {}'], call)

/** sprig's conversion functions. `read` is how integers are read from text, in which sprig and slim-sprig differ. */
export const conversions = (read: ReadInteger): FunctionMap =>
  new Map([
    ['toString', any(toText)],
    ['toStrings', any(value => TypedList.holding('string', toTexts(value)))],
    ['int64', any(value => toInt64(value, read))],
    ['int', any(value => int(toInt64(value, read)))],
    ['float64', any(toFloat64)],
    ['atoi', new TemplateFunction(['string'], (text: string) => int(atoi(text)))],
    ['toDecimal', any(value => octal(sprint([value])))],
  ])

const [SMALLEST, LARGEST] = [-(2n ** 63n), 2n ** 63n - 1n]

/** strconv.Atoi without its error: a number that is too large becomes the largest integer, and digits beyond 64 bits are not read. */
export const atoi = (text: string): bigint => {
  const [, digits, rest] = /[+-]?([0-9]*)(.*)/s.exec(text)!
  const isLarge = rest === '' ? digits !== '' : BigInt(digits!) >= 2n ** 64n
  return decimalInteger(text) ?? (isLarge ? nearest(text) : 0n)
}
const nearest = (text: string): bigint => (text.startsWith('-') ? SMALLEST : LARGEST)

const octal = (text: string): bigint => {
  const match = /^([+-]?)([0-7]+)$/.exec(text)
  const size = BigInt(`0o${match?.[2] ?? 0}`)
  return in64Bits(match?.[1] === '-' ? -size : size) ?? 0n
}
