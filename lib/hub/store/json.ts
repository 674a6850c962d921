/** The value without undefined fields, as in JSON; shares unchanged parts. */
export const asJson = <T>(value: T): T => (holdsUndefined(value) ? (withoutUndefined(value) as T) : value)

const holdsUndefined = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value === undefined
  if (Array.isArray(value)) return value.some(holdsUndefined)
  for (const name in value) if (holdsUndefined((value as Readonly<Record<string, unknown>>)[name])) return true
  return false
}

const withoutUndefined = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutUndefined)
  const kept = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutUndefined(item)]))
}
