/** JSON merge patch (RFC 7386). */
import { isObject } from '../../foundations/kinds/json-object.ts'

/**
 * Applies the patch to the document: objects merge, null removes, anything else replaces. Objects in lists lose their nulls too, as in an
 * API server.
 */
export const mergePatch = (document: unknown, patch: unknown): unknown => {
  if (Array.isArray(patch)) return patch.map(item => mergePatch(undefined, item))
  if (!isObject(patch)) return patch
  const merged = new Map(isObject(document) ? Object.entries(document) : [])
  for (const [name, value] of Object.entries(patch))
    if (value === null) merged.delete(name)
    else merged.set(name, mergePatch(merged.get(name), value))
  return Object.fromEntries(merged)
}
