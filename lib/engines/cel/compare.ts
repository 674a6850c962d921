import { evaluationError, noSuchOverload } from './cel-error.ts'
import { find } from './map.ts'
import { overloadError } from './overload-error.ts'
import type { Spend } from './spend.ts'
import { CelType, Duration, isList, isMap, type List, Optional, Timestamp, Uint, type Value } from './values.ts'

/** Equality across types: numbers by value, everything else only within its type. An absent value equals only itself. */
export const equals = (a: Value | undefined, b: Value | undefined, spend: Spend): boolean => {
  spend(1)
  const [x, y] = [numberOf(a), numberOf(b)]
  if (x !== undefined) return order(x, y ?? Number.NaN) === 0
  if (isList(a)) return isList(b) && a.length === b.length && a.every((item, at) => equals(item, b[at], spend))
  if (isMap(a)) {
    if (!isMap(b) || a.size !== b.size) return false
    for (const [key, value] of a) if (!equals(value, find(b, key), spend)) return false
    return true
  }
  if (typeof a === 'string' && typeof b === 'string' && a.length === b.length) spend(a.length >> comparedShift)
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0
  if (a instanceof Timestamp) return b instanceof Timestamp && a.ns === b.ns
  if (a instanceof Duration) return b instanceof Duration && a.ns === b.ns
  if (a instanceof CelType) return b instanceof CelType && a.name === b.name
  if (a instanceof Optional) return b instanceof Optional && equals(a.value, b.value, spend)
  return a === b
}

/** Characters compared per step. */
const comparedShift = 6

/** Types whose values are ordered, besides those with methods. */
const ordered = ['int', 'uint', 'double', 'bool', 'bytes']

/** Negative if `a` comes first. Fails for values without an order; `operator` is for the error. */
export const compare = (a: Value, b: Value, operator: string, spend: Spend): number => {
  const [x, y] = [numberOf(a), numberOf(b)]
  if (Number.isNaN(x)) throw evaluationError('NaN values cannot be ordered')
  if (x !== undefined && y !== undefined) {
    if (Number.isNaN(y)) throw evaluationError('NaN values cannot be ordered')
    return order(x, y)
  }
  if (typeof a === 'string' && typeof b === 'string') {
    spend((a.length + b.length) >> comparedShift)
    return Buffer.compare(Buffer.from(a), Buffer.from(b))
  }
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b)
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b)
  if (a instanceof Timestamp && b instanceof Timestamp) return order(a.ns, b.ns)
  if (a instanceof Duration && b instanceof Duration) return order(a.ns, b.ns)
  throw overloadError(a, `_${operator}_`, ...ordered)
}

/** The operator `in`. */
export const contains = (container: Value, member: Value, spend: Spend): boolean => {
  if (isList(container)) return includes(container, member, spend)
  if (!isMap(container)) throw noSuchOverload()
  return find(container, member) !== undefined
}

/**
 * Whether a member is in a list, by CEL's equality: 1 equals 1.0. `spend` is charged for each comparison, up to the
 * first match.
 */
export const includes = (list: List, member: Value, spend: Spend): boolean =>
  list.some(item => equals(item, member, spend))

const numberOf = (value: Value | undefined): bigint | number | undefined => {
  if (typeof value === 'bigint' || typeof value === 'number') return value
  return value instanceof Uint ? value.value : undefined
}

/** As in cel-go, a double is compared with doubles: larger integers lose precision. */
const order = (a: bigint | number, b: bigint | number): number => {
  const [x, y] = typeof a === typeof b ? [a, b] : [Number(a), Number(b)]
  return x < y ? -1 : x > y ? 1 : x === y ? 0 : Number.NaN
}
