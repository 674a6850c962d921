import { requireBounded } from './require-bounded.ts'
import { Complex, Int, Struct, TypedList, typeNameOf, type Value } from './value.ts'

/** reflect.DeepEqual: types must be the same too, so an int is never equal to an int64. */
export const deepEqual = (a: Value, b: Value): boolean => {
  requireBounded(a)
  requireBounded(b)
  return areEqual(a, b)
}

const areEqual = (a: Value, b: Value): boolean => {
  a ??= null
  b ??= null
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (typeNameOf(a) !== typeNameOf(b)) return false
  if (a instanceof Int && b instanceof Int) return a.value === b.value
  if (a instanceof Complex && b instanceof Complex) return a.real === b.real && a.imaginary === b.imaginary
  if (Array.isArray(a) && Array.isArray(b)) {
    const isNil = (list: Value[]) => list instanceof TypedList && list.isNil
    return isNil(a) === isNil(b) && a.length === b.length && a.every((item, i) => areEqual(item, b[i]))
  }
  if (a instanceof Map && b instanceof Map) return sameEntries(a, b)
  if (a instanceof Struct && b instanceof Struct) return a.text?.() === b.text?.() && sameEntries(a.fields, b.fields)
  return false
}

const sameEntries = (a: ReadonlyMap<string, Value>, b: ReadonlyMap<string, Value>): boolean =>
  a.size === b.size && [...a].every(([key, item]) => b.has(key) && areEqual(item, b.get(key)))
