import { compareText } from '../../foundations/go/compare-text.ts'

/** Formats a JSON value like Go's `%v`, as Flux's messages show details of registry errors. */
export const goValue = (value: unknown): string => {
  if (value === null || value === undefined) return '<nil>'
  if (Array.isArray(value)) return `[${value.map(goValue).join(' ')}]`
  if (typeof value !== 'object') return String(value)
  const entries = Object.entries(value).sort(([a], [b]) => compareText(a, b))
  return `map[${entries.map(([key, item]) => `${key}:${goValue(item)}`).join(' ')}]`
}
