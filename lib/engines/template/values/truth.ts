import { Complex, Int, isNothing, Struct, type Value } from './value.ts'

/** Whether `if` treats a value as true: everything except false, zero, nil and empty values. */
export const isTrue = (value: Value): boolean => {
  switch (typeof value) {
    case 'string':
      return value !== ''
    case 'boolean':
      return value
    case 'number':
      return value !== 0
    case 'bigint':
      return value !== 0n
  }
  if (isNothing(value)) return false
  if (Array.isArray(value)) return value.length > 0
  if (value instanceof Map) return value.size > 0
  if (value instanceof Int) return value.value !== 0n
  if (value instanceof Complex) return value.real !== 0 || value.imaginary !== 0
  return !(value instanceof Struct) || value.underlying === undefined || isTrue(value.underlying)
}
