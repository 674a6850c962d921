import { formatFloat } from '../../foundations/go/format-float.ts'
import { quote } from '../../foundations/go/quote.ts'
import type { JsonValue } from './json-value.ts'

/** Data as Go's `%#v` prints it: some of kustomize's messages contain it. */
export const goSyntax = (value: JsonValue): string => {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return quote(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (value instanceof Map) return oddMap(value)
  if (typeof value === 'object') {
    const fields = Object.keys(value)
      .sort()
      .map(key => `${quote(key)}:${goSyntax(value[key]!)}`)
    return `map[string]interface {}{${fields.join(', ')}}`
  }
  if (isUnsigned(value)) return `0x${value.toString(16)}`
  return typeof value === 'number' && !Number.isInteger(value) ? formatFloat(value, 'g', -1) : String(value)
}

/** Only an integer that overflows Go's int is read as uint64. */
const isUnsigned = (value: JsonValue): value is bigint => typeof value === 'bigint' && value >= 2n ** 63n

/** Keys of different types are sorted in this order: null, strings, unsigned and other integers, other numbers, booleans. */
const oddMap = (entries: ReadonlyMap<JsonValue, JsonValue>): string => {
  const sorted = [...entries].sort(([a], [b]) => rank(a) - rank(b) || (a! < b! ? -1 : 1))
  return `map[interface {}]interface {}{${sorted.map(([key, value]) => `${goSyntax(key)}:${goSyntax(value)}`).join(', ')}}`
}

const rank = (key: JsonValue): number => {
  if (key === null) return 0
  if (typeof key === 'string') return 1
  if (typeof key === 'boolean') return 5
  if (isUnsigned(key)) return 2
  return typeof key === 'bigint' || Number.isInteger(key) ? 3 : 4
}
