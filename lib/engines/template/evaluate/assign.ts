import {
  Int,
  NilMap,
  type ParameterType,
  Struct,
  TypedList,
  TypedMap,
  typeNameOf,
  type Value,
} from '../values/value.ts'
import type { TemplateRun } from './run.ts'

/**
 * The value of Go's nil for each parameter type that can be nil: nil maps and lists read like empty ones.
 */
export const NILS: Partial<Record<ParameterType, () => Value>> = {
  'interface {}': () => null,
  'reflect.Value': () => undefined,
  'map[string]interface {}': () => new NilMap(),
  '[]interface {}': () => [],
}

/** Converts a value to a function's argument; fails if Go could not assign it. Types are never converted. */
export const assign = (run: TemplateRun, value: Value, type: ParameterType): unknown => {
  if (value === undefined) return (NILS[type] ?? (() => run.fail(`invalid value; expected ${type}`)))()
  if (isOfType(value, type)) return type === 'int' ? Number((value as Int).value) : value
  const actual = value === null ? 'interface {}' : typeNameOf(value)
  return run.fail(`wrong type for value; expected ${type}; got ${actual}`)
}

/** Whether Go could assign the value to a parameter of this type without conversion. */
export const isOfType = (value: Value, type: ParameterType): boolean => {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'float64':
      return typeof value === 'number'
    case 'int':
      return value instanceof Int && value.kind === 'int'
    case 'uint32':
      // Only a constant can be of this type: no function returns one.
      return false
    case 'map[string]interface {}':
      return value instanceof Map && !(value instanceof TypedMap)
    case '[]interface {}':
      return Array.isArray(value) && !(value instanceof TypedList)
    case 'time.Time':
    case 'sprig.certificate':
    case '*semver.Version':
      return value instanceof Struct && value.typeName === type
    default:
      return true
  }
}
