/**
 * How a value divides into separately owned parts, according to its schema: objects into fields, unless atomic; lists only if they are
 * sets or associative. What does not divide is a leaf.
 */
import { isObject } from '../../foundations/kinds/json-object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { Element } from './field-set.ts'
import { keyElement, valueElement } from './fields-v1.ts'

/** The schema of undescribed data: objects divide, lists do not. */
const anything: StructuralSchema = {}

/** null divides as its schema says; a value of another type as its own type does. */
export type Division = 'fields' | 'items' | 'leaf'

/**
 * How ownership divides a value: into fields, into items of an associative list, or not at all. A null divides as its
 * schema says.
 */
export const divisionOf = (schema: StructuralSchema, value: unknown): Division => {
  if (isObject(value)) return schema['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'fields'
  if (Array.isArray(value)) return isAssociative(schema) ? 'items' : 'leaf'
  if (value !== null) return 'leaf'
  if (schema.type === 'object') return schema['x-kubernetes-map-type'] === 'atomic' ? 'leaf' : 'fields'
  return isAssociative(schema) ? 'items' : 'leaf'
}

/** Whether a value that divides, or null, is empty. */
export const isEmptyValue = (value: unknown): boolean => Object.keys(value ?? {}).length === 0

const isAssociative = (schema: StructuralSchema): boolean =>
  schema['x-kubernetes-list-type'] === 'set' || schema['x-kubernetes-list-type'] === 'map'

/** The schema of a field of an object. */
export const fieldSchema = (schema: StructuralSchema, name: string): StructuralSchema => {
  if (schema.properties && Object.hasOwn(schema.properties, name)) return schema.properties[name]!
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : anything
}

/** Whether the schema names the field; otherwise it is the key of a map. */
export const isNamedField = (schema: StructuralSchema, name: string): boolean =>
  schema.properties !== undefined && Object.hasOwn(schema.properties, name)

/** The schema of the items of a list. */
export const itemSchema = (schema: StructuralSchema): StructuralSchema => schema.items ?? anything

/** The element that identifies a list item. Fails with UnidentifiedItem if there is none. */
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

/** A list's items by element, in order; keeps all of several with the same element. */
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
