import { isObject } from '../../foundations/kinds/json-object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import { divisionOf, fieldSchema, itemSchema } from './parts.ts'

/**
 * The number of fields of a value that can have owners, which determines the time and memory of ownership tracking. Atomic lists and
 * objects count as one. Stops counting beyond `most`.
 */
export const countFields = (schema: StructuralSchema, value: unknown, most: number): number => {
  let count = 0
  const visit = (of: StructuralSchema, at: unknown): void => {
    if (++count > most) return
    const division = divisionOf(of, at)
    if (division === 'items' && Array.isArray(at)) for (const item of at) visit(itemSchema(of), item)
    if (division === 'fields' && isObject(at))
      for (const [name, field] of Object.entries(at)) visit(fieldSchema(of, name), field)
  }
  visit(schema, value)
  return count
}

/** The number of fields in managedFields, of all managers. Stops counting beyond `most`. */
export const countOwned = (fieldsV1: unknown, most: number): number => {
  let count = 0
  const visit = (at: unknown): void => {
    if (!isObject(at)) return
    for (const field of Object.values(at)) {
      if (++count > most) return
      visit(field)
    }
  }
  visit(fieldsV1)
  return count
}

/** The number of values in a value, including itself, whatever its schema. Stops counting beyond `most`. */
export const countValues = (value: unknown, most: number): number => {
  let count = 0
  const visit = (at: unknown): void => {
    if (++count > most) return
    if (Array.isArray(at)) for (const item of at) visit(item)
    else if (isObject(at)) for (const field of Object.values(at)) visit(field)
  }
  visit(value)
  return count
}
