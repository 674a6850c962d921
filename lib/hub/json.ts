/** Whether two values are the same as JSON: a field that is undefined is absent, and the order of keys means nothing. */
export const isSameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, i) => isSameJson(item, b[i]))
  const some = a as Readonly<Record<string, unknown>>
  const others = b as Readonly<Record<string, unknown>>
  for (const key in some) if (!isSameJson(some[key], Object.hasOwn(others, key) ? others[key] : undefined)) return false
  for (const key in others) if (others[key] !== undefined && !Object.hasOwn(some, key)) return false
  return true
}

/** The value as JSON has it, without fields that are undefined; shared with the value given where nothing was dropped. */
export const asJson = <T>(value: T): T => (holdsUndefined(value) ? (withoutUndefined(value) as T) : value)

const holdsUndefined = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return value === undefined
  return Array.isArray(value) ? value.some(holdsUndefined) : Object.values(value).some(holdsUndefined)
}

const withoutUndefined = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutUndefined)
  const kept = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutUndefined(item)]))
}
