/** JSON merge patch (RFC 7386). */
import { isObject } from './parts.ts'

/** The document with the patch laid over it: objects merge, null removes, anything else replaces. */
export const mergePatch = (document: unknown, patch: unknown): unknown => {
  if (!isObject(patch)) return patch
  const merged = new Map(isObject(document) ? Object.entries(document) : [])
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  return Object.fromEntries(merged)
}
