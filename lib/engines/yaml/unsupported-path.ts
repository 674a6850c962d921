import type { JsonValue } from './json-value.ts'

/** Where data has what JSON doesn't: a map whose keys aren't all texts, or a number that isn't finite. */
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
