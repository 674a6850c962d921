/** Removes fields from a value. */
import { isObject } from '../../foundations/kinds/json-object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { FieldSet } from './field-set.ts'
import { fieldElement } from './fields-v1.ts'
import { divisionOf, fieldSchema, itemElement, itemSchema } from './parts.ts'

/**
 * Returns the value without the fields in the set. An object or list that loses its last part stays, empty: its owner still owns it.
 * (kube-apiserver 1.36 leaves a null there, and then refuses its own result; its successor behaves like this.)
 */
export const removeFields = (schema: StructuralSchema, value: unknown, fields: FieldSet): unknown => {
  if (fields.below.size === 0) return value
  const division = divisionOf(schema, value)
  if (division === 'fields' && isObject(value)) {
    const kept: [string, unknown][] = []
    for (const [name, item] of Object.entries(value)) {
      const inside = fields.below.get(fieldElement(name))
      if (inside?.self) continue
      kept.push([name, inside ? removeFields(fieldSchema(schema, name), item, inside) : item])
    }
    return Object.fromEntries(kept)
  }
  if (division === 'items' && Array.isArray(value)) {
    const kept: unknown[] = []
    for (const item of value) {
      const inside = fields.below.get(itemElement(schema, item))
      if (inside?.self) continue
      kept.push(inside ? removeFields(itemSchema(schema), item, inside) : item)
    }
    return kept
  }
  // The parts of an atomic value can't be removed one by one: the whole value is emptied.
  if (isObject(value)) return {}
  return Array.isArray(value) ? [] : value
}
