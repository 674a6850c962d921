import { formatFloat } from '../go/format-float.ts'
import { quote } from '../go/quote.ts'
import type { JsonValue } from './json-value.ts'

/** Data as Go's `%#v` shows it: kustomize puts it into some of its messages. */
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
  return typeof value === 'number' && !Number.isInteger(value) ? formatFloat(value, 'g', -1) : String(value)
}

/** Keys of different types: texts stand before numbers. */
const oddMap = (entries: ReadonlyMap<JsonValue, JsonValue>): string => {
  const rank = (key: JsonValue): number => (typeof key === 'string' ? 0 : 1)
  const sorted = [...entries].sort(([a], [b]) => rank(a) - rank(b) || (a! < b! ? -1 : 1))
  return `map[interface {}]interface {}{${sorted.map(([key, value]) => `${goSyntax(key)}:${goSyntax(value)}`).join(', ')}}`
}
