import { requireBounded } from './require-bounded.ts'
import { isSameText } from './text.ts'
import { Complex, Int, isNil, Struct, typeNameOf, type Value, type ValueMap } from './value.ts'

/** reflect.DeepEqual: types must be the same too, so an int is never equal to an int64. */
export const deepEqual = (a: Value, b: Value): boolean => {
  // The traversal of b ends with that of a.
  requireBounded(a)
  return areEqual(a, b)
}

const areEqual = (a: Value, b: Value): boolean => {
  a ??= null
  b ??= null
  if (a === b) return true
  if (typeNameOf(a) !== typeNameOf(b)) return false
  if (typeof a === 'string') return isSameText(a, b as string)
  if (a instanceof Int) return a.value === (b as Int).value
  if (a instanceof Complex) return a.real === (b as Complex).real && a.imaginary === (b as Complex).imaginary
  if (Array.isArray(a)) return sameItems(a, b as Value[])
  if (a instanceof Map) return sameEntries(a, b as ValueMap)
  if (a instanceof Struct) return a.text?.() === (b as Struct).text?.() && sameEntries(a.fields, (b as Struct).fields)
  return false
}

const sameItems = (a: Value[], b: Value[]): boolean =>
  isNil(a) === isNil(b) && a.length === b.length && a.every((item, i) => areEqual(item, b[i]))

const sameEntries = (a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>): boolean =>
  a.size === b.size && [...a].every(([key, item]) => b.has(key) && areEqual(item, b.get(key)))
