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
import type { Run } from './run.ts'

/** Whether Go's nil can be passed for it. */
export const canBeNil = (type: ParameterType): boolean =>
  !['string', 'int', 'int64', 'uint32', 'float64', 'bool', 'time.Time', 'sprig.certificate'].includes(type)

/** What a function asking for the type gets for nil: maps and lists that were never made read as empty ones. */
export const zeroOf = (type: ParameterType): Value => {
  switch (type) {
    case 'map[string]interface {}':
      return new NilMap()
    case '[]interface {}':
      return []
    default:
      return type === 'reflect.Value' ? undefined : null
  }
}

/** The value as the argument of a function; fails where Go would not assign it. Types never convert. */
export const assign = (run: Run, value: Value, type: ParameterType): unknown => {
  if (type === 'reflect.Value') return value
  if (value === undefined) {
    if (canBeNil(type)) return zeroOf(type)
    return run.fail(`invalid value; expected ${type}`)
  }
  if (type === 'interface {}' || isOfType(value, type)) return asArgument(value, type)
  const actual = value === null ? 'interface {}' : typeNameOf(value)
  return run.fail(`wrong type for value; expected ${type}; got ${actual}`)
}

/** What a function is given for an argument of the type. */
export const asArgument = (value: Value, type: ParameterType): unknown =>
  type === 'int' || type === 'uint32' ? Number((value as Int).value) : value

export const isOfType = (value: Value, type: ParameterType): boolean => {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'float64':
      return typeof value === 'number'
    case 'int64':
      return typeof value === 'bigint'
    case 'int':
    case 'uint32':
      return value instanceof Int && value.kind === type
    case 'map[string]interface {}':
      return value instanceof Map && !(value instanceof TypedMap)
    case '[]interface {}':
      return Array.isArray(value) && !(value instanceof TypedList)
    case 'time.Time':
    case 'sprig.certificate':
      return value instanceof Struct && value.typeName === type
    default:
      return true
  }
}
