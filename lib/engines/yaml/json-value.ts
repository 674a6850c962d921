/** JSON data as in Go: integers beyond 2^53 are bigints, so that none is rounded. */
export type JsonValue = string | number | bigint | boolean | null | JsonValue[] | JsonObject

export interface JsonObject {
  [key: string]: JsonValue
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sets a key from untrusted input: `__proto__` becomes a plain property. */
export const setKey = (object: JsonObject, key: string, value: JsonValue): void => {
  if (key === '__proto__') {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else object[key] = value
}
