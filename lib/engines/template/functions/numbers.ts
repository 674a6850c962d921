import { formatValue } from '../format/format-value.ts'
import { type FunctionMap, type Int, int, TemplateFunction, TypedList, type Value } from '../values/value.ts'
import { requireItems } from './amount.ts'
import { type ReadInteger, toFloat64, toInt64, wrap } from './convert.ts'

type Random = () => number

const requireDivisor = (divisor: bigint): bigint => {
  if (divisor === 0n) throw new Error('runtime error: integer divide by zero')
  return divisor
}

/** math.Pow(10, places) by repeated squaring: beyond 22 places the result is not always the nearest double. */
const powerOfTen = (places: number): number => {
  let [product, twos] = [1, 0]
  // Ten is 0.625 × 2^4. Far beyond the range of doubles, more places make no difference.
  let [square, squareTwos] = [0.625, 4]
  for (let left = Math.min(Math.abs(places), 400); left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) {
      product *= square
      twos += squareTwos
    }
    square *= square
    squareTwos *= 2
  }
  return places < 0 ? scaled(1 / product, -twos) : scaled(product, twos)
}
/** In two steps, since 2 to the full exponent may overflow a double. */
const scaled = (value: number, twos: number): number => {
  const half = Math.trunc(twos / 2)
  return value * 2 ** half * 2 ** (twos - half)
}

/** Rounds to a number of places; a fraction below `on` goes down. */
const round = (value: Value, places: number, on: Value = 0.5): number => {
  const power = powerOfTen(places)
  const digit = power * toFloat64(value)
  return (digit % 1 >= (on as number) ? Math.ceil(digit) : Math.floor(digit)) / power
}

const untilStep = (start: number, stop: number, step: number): TypedList => {
  const count = step === 0 ? 0 : Math.max(0, Math.ceil((stop - start) / step))
  requireItems(count)
  return TypedList.holding(
    'int',
    Array.from({ length: count }, (_, i) => int(start + i * step)),
  )
}

const until = (count: number): TypedList => untilStep(0, count, Math.sign(count))

/** Like the command `seq`: last, first and last, or first, step and last. */
const sequence = (numbers: readonly number[]): string => {
  const [first = 0, second = 0, third = 0] = numbers
  const from = (start: number, step: number, end: number): string =>
    formatValue(untilStep(start, end + (end < start ? -1 : 1), step)).slice(1, -1)
  switch (numbers.length) {
    case 1:
      return from(1, first < 1 ? -1 : 1, first)
    case 2:
      return from(first, second < first ? -1 : 1, second)
    case 3:
      return from(first, second, third)
    default:
      return ''
  }
}

const randomInt = (random: Random | undefined, min: number, max: number): Int => {
  if (max <= min) throw new Error('invalid argument to Intn')
  if (!random) throw new Error('no source of chance was given')
  return int(min + Math.floor(random() * (max - min)))
}

const some = (call: (values: Value[]) => Value) =>
  new TemplateFunction(['interface {}'], (...values: Value[]) => call(values), 'interface {}')
const floats = (call: (...values: number[]) => number) => some(values => call(...values.map(toFloat64)))
const one = (call: (value: number) => number) =>
  new TemplateFunction(['interface {}'], (value: Value) => call(toFloat64(value)))

/**
 * sprig's arithmetic: integers have 64 bits and wrap, and a division by zero throws. Without `random`, `randInt` fails
 * when it is called.
 */
export const numberFunctions = (read: ReadInteger, random?: Random): FunctionMap => {
  const toInt = (value: Value): bigint => toInt64(value, read)
  const two = (call: (a: bigint, b: bigint) => bigint) =>
    new TemplateFunction(['interface {}', 'interface {}'], (a: Value, b: Value) => wrap(call(toInt(a), toInt(b))))
  const integers = (combine: (a: bigint, b: bigint) => bigint) =>
    some(values => values.map(toInt).reduce((a, b) => wrap(combine(a, b))))
  const extreme = (isBetter: (a: bigint, b: bigint) => boolean) => integers((a, b) => (isBetter(b, a) ? b : a))
  const max = extreme((a, b) => a > b)
  return new Map([
    [
      'add',
      new TemplateFunction(
        [],
        (...values: Value[]) => wrap(values.map(toInt).reduce((a, b) => a + b, 0n)),
        'interface {}',
      ),
    ],
    ['add1', new TemplateFunction(['interface {}'], (value: Value) => wrap(toInt(value) + 1n))],
    ['sub', two((a, b) => a - b)],
    ['mul', integers((a, b) => a * b)],
    ['div', two((a, b) => a / requireDivisor(b))],
    ['mod', two((a, b) => a % requireDivisor(b))],
    ['max', max],
    ['biggest', max],
    ['min', extreme((a, b) => a < b)],
    ['maxf', floats(Math.max)],
    ['minf', floats(Math.min)],
    ['ceil', one(Math.ceil)],
    ['floor', one(Math.floor)],
    ['round', new TemplateFunction(['interface {}', 'int'], round, 'float64')],
    ['until', new TemplateFunction(['int'], until)],
    ['untilStep', new TemplateFunction(['int', 'int', 'int'], untilStep)],
    ['seq', new TemplateFunction([], (...numbers: Value[]) => sequence(numbers.map(Number)), 'int')],
    ['randInt', new TemplateFunction(['int', 'int'], (min: number, max: number) => randomInt(random, min, max))],
  ])
}
