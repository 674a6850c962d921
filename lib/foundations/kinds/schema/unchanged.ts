/**
 * Ratcheting: errors in a value that an update leaves unchanged are ignored, so that a schema may become stricter than existing objects.
 */
import { isObject } from '../json-object.ts'
import { isSameJson } from './same-json.ts'
import type { StructuralSchema } from './schema.ts'

/**
 * Whether the value at `field` (for a missing field, the object that lacks it) is the same before and after. Items are only matched in lists
 * of type map.
 */
export const unchanged = (schema: StructuralSchema, field: string, after: unknown, before: unknown): boolean => {
  let [now, then, at]: [unknown, unknown, StructuralSchema | undefined] = [after, before, schema]
  for (const step of stepsOf(field)) {
    if (then === undefined || now === undefined) return false
    if (now !== after && isSameJson(now, then)) return true
    if (typeof step === 'number') {
      if (!Array.isArray(now)) return false
      const item: unknown = now[step]
      then = itemLike(at, item, then)
      now = item
      at = at?.items
    } else {
      if (!isObject(now)) return false
      then = isObject(then) && Object.hasOwn(then, step) ? then[step] : undefined
      now = Object.hasOwn(now, step) ? now[step] : undefined
      at = propertyOf(at, step)
    }
  }
  return now !== undefined && then !== undefined && isSameJson(now, then)
}

const propertyOf = (schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined => {
  const { properties = {}, additionalProperties } = schema ?? {}
  if (Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}

const itemLike = (schema: StructuralSchema | undefined, item: unknown, old: unknown): unknown => {
  const keys = schema?.['x-kubernetes-list-type'] === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : []
  if (keys.length === 0 || !Array.isArray(old) || !isObject(item)) return undefined
  return old.find(candidate => isObject(candidate) && keys.every(key => isSameJson(candidate[key], item[key])))
}

/** `spec.items[0].name` as steps. Map keys with dots are not matched, which only makes it stricter. */
const stepsOf = (field: string): readonly (string | number)[] =>
  (field.match(/[^.[\]]+|\[\d+\]/g) ?? []).map(part => (part.startsWith('[') ? Number(part.slice(1, -1)) : part))
