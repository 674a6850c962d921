import type { JsonValue } from './json-value.ts'

/** The path of a value that JSON does not support: a map with keys other than strings, or a number that isn't finite. */
export const unsupportedPath = (value: JsonValue, path = ''): string | undefined => {
  if (value instanceof Map || (typeof value === 'number' && !Number.isFinite(value))) return path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const step = Array.isArray(value) ? `[${key}]` : path === '' ? key : `.${key}`
    const found = unsupportedPath(inner, path + step)
    if (found !== undefined) return found
  }
  return undefined
}
