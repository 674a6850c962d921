import { integerOf, isList, type Value, type ValueMap } from '../../template/values/value.ts'
import { isTable } from '../read-yaml.ts'
import type { JsonType } from './schema.ts'

/** The JSON type that a schema sees; integers are not distinguished from other numbers. */
export const typeOf = (value: Value): JsonType => {
  if (value === null || value === undefined) return 'null'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'string') return 'string'
  if (isList(value)) return 'array'
  return isTable(value) ? 'object' : 'number'
}

export const isWhole = (value: Value): boolean => integerOf(value) !== undefined || Number.isInteger(value)

/**
 * Equality of JSON Schema, for `const`, `enum` and `uniqueItems`: 1 equals 1.0, the order of keys does not matter, that
 * of items does.
 */
export const isEqual = (a: Value, b: Value): boolean => {
  const type = typeOf(a)
  if (type !== typeOf(b)) return false
  if (type === 'number') return Number(integerOf(a) ?? a) === Number(integerOf(b) ?? b)
  if (isList(a)) return a.length === (b as Value[]).length && a.every((item, i) => isEqual(item, (b as Value[])[i]))
  if (isTable(a)) {
    const other = b as ValueMap
    return a.size === other.size && [...a].every(([key, item]) => other.has(key) && isEqual(item, other.get(key)))
  }
  return a === b
}

/** The first pair of equal items. */
export const duplicatesOf = (list: readonly Value[]): readonly [number, number] | undefined => {
  for (let i = 1; i < list.length; i++) for (let j = 0; j < i; j++) if (isEqual(list[i], list[j])) return [j, i]
  return undefined
}

export const isPrimitive = (value: Value): boolean => !isList(value) && !isTable(value)
