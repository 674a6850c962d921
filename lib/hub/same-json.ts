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
