/** Field and index access: `a.b` and `a[b]`. */
import { evaluationError } from './cel-error.ts'
import { textOf } from './functions/conversions.ts'
import { find } from './map.ts'
import { goTypeName, isList, isMap, Optional, typeName, Uint, type Value } from './values.ts'

/** The value, or undefined if there is none. Fails if the value has no such kind of access. */
export const select = (value: Value, key: Value): Value | undefined => {
  if (!isKey(key))
    throw evaluationError(`invalid qualifier type: ${qualifierNames.get(typeName(key)) ?? goTypeName(key)}`)
  if (isMap(value)) return find(value, key)
  if (!isList(value)) return undefined
  if (typeof key === 'string' || typeof key === 'boolean')
    throw evaluationError(`unsupported index type '${typeName(key)}' in list`)
  const place = placeOf(key)
  if (place === undefined)
    throw evaluationError(`unsupported index value ${textOf(key)} in list`, 'unsupported index value in list')
  return value[Number(place)]
}

/** The same, but the value must be present. A key that is a literal of the expression is not a value from the data. */
export const selectPresent = (value: Value, key: Value, isWritten: boolean): Value => {
  const found = select(value, key)
  if (found !== undefined) return found
  const problem = isList(value) ? 'index out of bounds' : 'no such key'
  const message = `${problem}: ${textOf(key)}`
  throw evaluationError(message, isWritten ? message : problem)
}

/** The same for an optional value; the result is optional too. */
export const selectOptional = (optional: Optional, key: () => Value): Optional => {
  let { value } = optional
  while (value instanceof Optional) value = value.value
  return new Optional(value === undefined ? undefined : select(value, key()))
}

/** Numbers of any type are indexes if they are integers of 64 bits; for doubles, cel-go excludes the smallest one. */
const placeOf = (key: Value): bigint | undefined => {
  if (typeof key === 'number') return Number.isInteger(key) && Math.abs(key) < 2 ** 63 ? BigInt(key) : undefined
  const place = key instanceof Uint ? key.value : (key as bigint)
  return place < 2n ** 63n ? place : undefined
}

const isKey = (key: Value): boolean =>
  ['string', 'boolean', 'number', 'bigint'].includes(typeof key) || key instanceof Uint

/** Go's names of data types that can't be keys. */
const qualifierNames: ReadonlyMap<string, string> = new Map([
  ['null_type', '<nil>'],
  ['list', '[]interface {}'],
  ['map', 'map[string]interface {}'],
])
