import { isObject } from '../../foundations/kinds/json-object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import { divisionOf, fieldSchema, itemSchema } from './parts.ts'

/**
 * How many fields of a value can have owners: what field ownership works on, and pays for with time and memory. Lists and objects that
 * their schema calls atomic count as one. Stops counting beyond `most`.
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

/** How many fields managedFields name, all managers together. Stops counting beyond `most`. */
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

/** How many values there are in a value, itself included, whatever their schema says. Stops counting beyond `most`. */
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
