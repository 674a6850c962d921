/** Reads untrusted JSON. */
import { isObject } from './json-object.ts'

/** The value at a path of untrusted JSON; undefined if there is none. */
export const at = (value: unknown, ...path: readonly string[]): unknown => {
  let found = value
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined
  return found
}

/** The string at a path; empty if anything else is there, or nothing. */
export const textAt = (value: unknown, ...path: readonly string[]): string => {
  const found = at(value, ...path)
  return typeof found === 'string' ? found : ''
}

/** The array at a path; empty if anything else is there, or nothing. */
export const listAt = (value: unknown, ...path: readonly string[]): readonly unknown[] => {
  const found = at(value, ...path)
  return Array.isArray(found) ? found : []
}
