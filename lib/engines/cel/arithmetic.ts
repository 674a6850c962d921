import { evaluationError, noSuchOverload } from './cel-error.ts'
import { overloadError } from './overload-error.ts'
import { Duration, int, isList, Timestamp, timestamp, Uint, uint, type Value } from './values.ts'

type Operator = '+' | '-' | '*' | '/' | '%'

const numbers = ['int', 'uint', 'double']

/** The types allowed on the left of an operator, besides those with methods: cel-go's error depends on them. */
const lefts: Readonly<Record<Operator, readonly string[]>> = {
  '+': [...numbers, 'bytes', 'list'],
  '-': numbers,
  '*': numbers,
  '/': numbers,
  '%': ['int', 'uint'],
}

/** `a <operator> b`. Both must have the same type: CEL never converts. Fails on overflow and division by zero. */
export const calculate = (operator: Operator, a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    // The quotient overflows: the smallest integer divided by -1.
    if (operator === '%' && b === -1n) int(-a)
    return int(integers(operator, a, b))
  }
  if (typeof a === 'number' && typeof b === 'number') return doubles(operator, a, b)
  if (a instanceof Uint && b instanceof Uint) return uint(integers(operator, a.value, b.value))
  const result = operator === '+' ? add(a, b) : operator === '-' ? subtract(a, b) : undefined
  if (result === undefined) throw overloadError(a, `_${operator}_`, ...lefts[operator])
  return result
}

/**
 * Unary minus of an int, double or duration. Throws CelError for other types, and for the smallest integer, which
 * overflows.
 */
export const negate = (value: Value): Value => {
  if (typeof value === 'bigint') return int(-value)
  if (typeof value === 'number') return -value
  if (value instanceof Duration) return new Duration(int(-value.ns))
  throw overloadError(value, '-_', 'bool')
}

const integers = (operator: Operator, a: bigint, b: bigint): bigint => {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      if (b === 0n) throw evaluationError('division by zero')
      return a / b
    case '%':
      if (b === 0n) throw evaluationError('modulus by zero')
      return a % b
  }
}

const doubles = (operator: Operator, a: number, b: number): number => {
  switch (operator) {
    case '+':
      return a + b
    case '-':
      return a - b
    case '*':
      return a * b
    case '/':
      return a / b
    case '%':
      throw noSuchOverload('_%_')
  }
}

const add = (a: Value, b: Value): Value | undefined => {
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (isList(a) && isList(b)) return [...a, ...b]
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b])
  if (a instanceof Duration && b instanceof Duration) return new Duration(int(a.ns + b.ns))
  if (a instanceof Timestamp && b instanceof Duration) return timestamp(a.ns + b.ns, a.offset)
  if (a instanceof Duration && b instanceof Timestamp) return timestamp(a.ns + b.ns, b.offset)
  return undefined
}

const subtract = (a: Value, b: Value): Value | undefined => {
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(int(a.ns - b.ns))
  if (a instanceof Timestamp && b instanceof Duration) return timestamp(a.ns - b.ns, a.offset)
  if (a instanceof Duration && b instanceof Duration) return new Duration(int(a.ns - b.ns))
  return undefined
}
