import { shortestDecimal } from '../../../foundations/go/decimal.ts'
import { formatValue } from '../format/format-value.ts'
import { type FunctionMap, TemplateFunction, type Value } from '../values/value.ts'
import { toFloat64 } from './convert.ts'
import { roundedQuotient } from './rounded-quotient.ts'

/** A decimal number: VALUE × 10^POWER. */
interface Decimal {
  readonly value: bigint
  readonly power: number
}

const decimalOf = (item: Value): Decimal => {
  const float = toFloat64(item)
  if (!Number.isFinite(float)) throw new Error(`Cannot create a Decimal from ${formatValue(float)}`)
  const { digits, point } = shortestDecimal(Math.abs(float))
  return { value: BigInt(digits) * BigInt(Math.sign(float)), power: point - digits.length }
}

/** The value of a decimal at a power that is not greater than its own. */
const at = ({ value, power }: Decimal, lower: number): bigint => value * 10n ** BigInt(power - lower)

const add = (a: Decimal, b: Decimal): Decimal => {
  const power = Math.min(a.power, b.power)
  return { value: at(a, power) + at(b, power), power }
}

const multiply = (a: Decimal, b: Decimal): Decimal => ({ value: a.value * b.value, power: a.power + b.power })

/** Precision of divisions, in digits after the point. */
const PLACES = 16

const divide = (a: Decimal, b: Decimal): Decimal => {
  if (b.value === 0n) throw new Error('decimal division by 0')
  const power = Math.min(a.power, b.power - PLACES)
  return { value: roundedQuotient(at(a, power), at(b, power + PLACES)), power: -PLACES }
}

const negative = ({ value, power }: Decimal): Decimal => ({ value: -value, power })

const combined = (values: readonly Value[], combine: (a: Decimal, b: Decimal) => Decimal): number => {
  const { value, power } = values.map(decimalOf).reduce(combine)
  return Number(`${value}e${power}`)
}

const floats = (combine: (a: Decimal, b: Decimal) => Decimal) =>
  new TemplateFunction(['interface {}'], (...values: Value[]) => combined(values, combine), 'interface {}')

/** sprig's functions that calculate in decimals, so that 0.1 + 0.2 is 0.3. */
export const decimalFunctions: FunctionMap = new Map([
  ['addf', new TemplateFunction([], (...values: Value[]) => combined([0, ...values], add), 'interface {}')],
  ['add1f', new TemplateFunction(['interface {}'], (value: Value) => combined([value, 1], add))],
  ['subf', floats((a, b) => add(a, negative(b)))],
  ['mulf', floats(multiply)],
  ['divf', floats(divide)],
])
