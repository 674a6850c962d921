/** Whether two values are equal as JSON: undefined fields count as absent, and the order of fields does not matter. */
export const isSameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b))
    return (
      Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => isSameJson(item, b[at]))
    )
  return isSameObject(a as JsonObject, b as JsonObject)
}

type JsonObject = Readonly<Record<string, unknown>>

const isSameObject = (a: JsonObject, b: JsonObject): boolean => {
  for (const name of Object.keys(a))
    if (!isSameJson(a[name], Object.hasOwn(b, name) ? b[name] : undefined)) return false
  return Object.keys(b).every(name => b[name] === undefined || Object.hasOwn(a, name))
}
