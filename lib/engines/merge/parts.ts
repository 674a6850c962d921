/**
 * How a value divides into parts that can have owners of their own, as its schema says: objects into fields, unless
 * atomic; lists only when they are sets or associative. What does not divide is a leaf.
 */
import { isObject } from '../../foundations/kinds/json-object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { Element } from './field-set.ts'
import { keyElement, valueElement } from './fields-v1.ts'

/** The schema of what is not described: objects divide, lists do not. */
const anything: StructuralSchema = {}

/** null divides as its schema says; a value of another type divides as what it is. */
export type Division = 'fields' | 'items' | 'leaf'

export const divisionOf = (schema: StructuralSchema, value: unknown): Division => {
  if (isObject(value)) return schema['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'fields'
  if (Array.isArray(value)) return isAssociative(schema) ? 'items' : 'leaf'
  if (value !== null) return 'leaf'
  if (schema.type === 'object') return schema['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'fields'
  return isAssociative(schema) ? 'items' : 'leaf'
}

/** Of what divides, or is null: whether there is nothing in it. */
export const isEmptyValue = (value: unknown): boolean => Object.keys(value ?? {}).length === 0

const isAssociative = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map'

/** The schema of a field of an object. */
export const fieldSchema = (schema: StructuralSchema, name: string): StructuralSchema => {
  if (schema.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name]!
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : anything
}

/** Whether a field is one that the schema names, rather than a key of a map. */
export const isNamedField = (schema: StructuralSchema, name: string): boolean =>
  schema.properties !== undefined && Object.hasOwn(schema.properties, name)

/** The schema of the items of a list. */
export const itemSchema = (schema: StructuralSchema): StructuralSchema => schema.items ?? anything

/** What tells an item of a list from the others. Fails with UnidentifiedItem when nothing does. */
export const itemElement = (schema: StructuralSchema, item: unknown): Element => {
  if (schema['x-kubernetes-list-type'] === 'set') {
    if (typeof item !== 'object') return valueElement(item)
    throw new UnidentifiedItem(
      item === null
        ? "associative list without keys has an element that's an explicit null"
        : Array.isArray(item)
          ? 'not supported: associative list with lists as elements'
          : "associative list without keys has an element that's a map type",
    )
  }
  if (item === null) throw new UnidentifiedItem('associative list with keys may not have a null element')
  if (!isObject(item)) throw new UnidentifiedItem('associative list with keys may not have non-map elements')
  const names = schema['x-kubernetes-list-map-keys'] ?? []
  const keys: [string, unknown][] = []
  for (const name of names) {
    const value = Object.hasOwn(item, name) ? item[name] : fieldSchema(itemSchema(schema), name).default
    if (value !== undefined) keys.push([name, value])
  }
  if (keys.length === 0)
    throw new UnidentifiedItem(
      `associative list with keys has an element that omits all key fields [${names.map(name => JSON.stringify(name)).join(' ')}] (and doesn't have default values for any key fields)`,
    )
  return keyElement(keys)
}

export class UnidentifiedItem extends Error {}

/** A list's items by element, in order; of several with the same element all are kept. */
export const itemsByElement = (schema: StructuralSchema, items: readonly unknown[]): Map<Element, unknown[]> => {
  const byElement = new Map<Element, unknown[]>()
  for (const item of items) {
    const element = itemElement(schema, item)
    const same = byElement.get(element)
    if (same) same.push(item)
    else byElement.set(element, [item])
  }
  return byElement
}
