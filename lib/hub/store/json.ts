/** The value without undefined fields, as in JSON; shares unchanged parts. */
export const asJson = <T>(value: T): T => (hasUndefined(value) ? (withoutUndefined(value) as T) : value)

const hasUndefined = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value === undefined
  if (Array.isArray(value)) return value.some(hasUndefined)
  for (const name in value) if (hasUndefined((value as Readonly<Record<string, unknown>>)[name])) return true
  return false
}

const withoutUndefined = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutUndefined)
  const kept = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutUndefined(item)]))
}
