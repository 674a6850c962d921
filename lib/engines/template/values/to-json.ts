import { type JsonObject, type JsonValue, setKey } from '../../yaml/json-value.ts'
import { requireBounded } from './require-bounded.ts'
import { Int, isNil, Struct, typeNameOf, type Value } from './value.ts'

/** A value as JSON data. Throws, as encoding/json does, for values that JSON can't represent. */
export const toJsonValue = (value: Value): JsonValue => {
  requireBounded(value)
  return convert(value)
}

const convert = (value: Value): JsonValue => {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'bigint':
      return value
    case 'number':
      if (Number.isFinite(value)) return value
      throw new Error(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)
  }
  if (isNil(value)) return null
  if (value instanceof Int) return value.value
  if (Array.isArray(value)) return value.map(convert)
  if (value instanceof Map) return objectOf(value)
  if (value instanceof Struct) return convert(value.toJson())
  throw new Error(`json: unsupported type: ${typeNameOf(value)}`)
}

const objectOf = (map: ReadonlyMap<string, Value>): JsonObject => {
  const object: JsonObject = {}
  for (const [key, item] of map) setKey(object, key, convert(item))
  return object
}
