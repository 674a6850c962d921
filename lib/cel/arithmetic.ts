import { evaluationError, noSuchOverload } from './cel-error.ts'
import { Duration, int, isList, Timestamp, Uint, uint, type Value } from './values.ts'

type Operator = '+' | '-' | '*' | '/' | '%'

/** `a <operator> b`. Both must be of one type: CEL never converts. Fails on overflow and division by zero. */
export const calculate = (operator: Operator, a: Value, b: Value): Value => {
  if (typeof a === 'bigint' && typeof b === 'bigint') return int(integers(operator, a, b))
  if (typeof a === 'number' && typeof b === 'number') return doubles(operator, a, b)
  if (a instanceof Uint && b instanceof Uint) return uint(integers(operator, a.value, b.value))
  if (operator === '+') return add(a, b)
  if (operator === '-') return subtract(a, b)
  throw noSuchOverload()
}

export const negate = (value: Value): Value => {
  if (typeof value === 'bigint') return int(-value)
  if (typeof value === 'number') return -value
  throw noSuchOverload()
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
      throw noSuchOverload()
  }
}

const add = (a: Value, b: Value): Value => {
  if (typeof a === 'string' && typeof b === 'string') return a + b
  if (isList(a) && isList(b)) return [...a, ...b]
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.concat([a, b])
  if (a instanceof Duration && b instanceof Duration) return new Duration(int(a.ns + b.ns))
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.ns + b.ns)
  if (a instanceof Duration && b instanceof Timestamp) return new Timestamp(a.ns + b.ns)
  throw noSuchOverload()
}

const subtract = (a: Value, b: Value): Value => {
  if (a instanceof Timestamp && b instanceof Timestamp) return new Duration(int(a.ns - b.ns))
  if (a instanceof Timestamp && b instanceof Duration) return new Timestamp(a.ns - b.ns)
  if (a instanceof Duration && b instanceof Duration) return new Duration(int(a.ns - b.ns))
  throw noSuchOverload()
}
