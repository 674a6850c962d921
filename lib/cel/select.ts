/** Steps into lists and maps, as of `a.b` and `a[b]`. */
import { evaluationError } from './cel-error.ts'
import { textOf } from './functions/conversions.ts'
import { goTypeName, isList, isMap, keyOf, Optional, typeName, Uint, type Value } from './values.ts'

/** What is there; undefined when nothing is. Fails where no such step can be taken. */
export const select = (value: Value, key: Value): Value | undefined => {
  const place = keyOf(key)
  if (!isKey(key))
    throw evaluationError(`invalid qualifier type: ${qualifierNames.get(typeName(key)) ?? goTypeName(key)}`)
  if (isMap(value)) return value.get(place!)
  if (!isList(value)) return undefined
  if (typeof key === 'string' || typeof key === 'boolean')
    throw evaluationError(`unsupported index type '${typeName(key)}' in list`)
  if (typeof place !== 'bigint' || place >= 2n ** 63n)
    throw evaluationError(`unsupported index value ${textOf(key)} in list`)
  return value[Number(place)]
}

/** The same of what must be there. */
export const selectPresent = (value: Value, key: Value): Value => {
  const found = select(value, key)
  if (found !== undefined) return found
  throw evaluationError(`${isList(value) ? 'index out of bounds' : 'no such key'}: ${textOf(key)}`)
}

/** The same of what may be absent, as what is found there may be. */
export const selectOptional = (optional: Optional, key: () => Value): Optional => {
  let { value } = optional
  while (value instanceof Optional) value = value.value
  return new Optional(value === undefined ? undefined : select(value, key()))
}

const isKey = (key: Value): boolean =>
  ['string', 'boolean', 'number', 'bigint'].includes(typeof key) || key instanceof Uint

/** What Go calls values of data that are no key. */
const qualifierNames: ReadonlyMap<string, string> = new Map([
  ['null_type', '<nil>'],
  ['list', '[]interface {}'],
  ['map', 'map[string]interface {}'],
])
