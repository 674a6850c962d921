import type { JsonValue } from './json-value.ts'

/** Data as Go's `%#v` shows it: kustomize puts it into some of its messages. */
export const goSyntax = (value: JsonValue): string => {
  if (value === null) return 'interface {}(nil)'
  if (typeof value === 'string') return JSON.stringify(value)
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`
  if (typeof value === 'object') {
    const fields = Object.keys(value)
      .sort()
      .map(key => `${JSON.stringify(key)}:${goSyntax(value[key]!)}`)
    return `map[string]interface {}{${fields.join(', ')}}`
  }
  return typeof value === 'number' ? goNumber(value) : String(value)
}

export const goNumber = (value: number): string => {
  if (Number.isFinite(value)) return String(value)
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
}
