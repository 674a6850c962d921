/** The set of all fields in a value. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { Element, FieldSet } from './field-set.ts'
import { emptySet, fieldSet, leaf } from './field-set.ts'
import { fieldElement } from './fields-v1.ts'
import { divisionOf, fieldSchema, isNamedField, itemSchema, itemsByElement } from './parts.ts'

/**
 * Includes leaves, list items and map keys; an object that the schema names is included only if it is empty. `value` must have the types of
 * its schema.
 */
export const fieldsOf = (schema: StructuralSchema, value: unknown): FieldSet => {
  switch (divisionOf(schema, value)) {
    case 'fields':
      return isObject(value) ? fieldsOfObject(schema, value) : emptySet
    case 'items':
      return Array.isArray(value) ? fieldsOfList(schema, value) : emptySet
    case 'leaf':
      return leaf
  }
}

const fieldsOfObject = (schema: StructuralSchema, value: JsonObject): FieldSet => {
  const below = new Map<Element, FieldSet>()
  for (const [name, item] of Object.entries(value)) {
    const inner = fieldsOf(fieldSchema(schema, name), item)
    const counts = inner.self || !isNamedField(schema, name) || item === null || isEmptyObject(item)
    if (counts || inner.below.size > 0) below.set(fieldElement(name), fieldSet(counts, inner.below))
  }
  return fieldSet(false, below)
}

const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const fieldsOfList = (schema: StructuralSchema, value: readonly unknown[]): FieldSet => {
  const below = new Map<Element, FieldSet>()
  for (const [element, items] of itemsByElement(schema, value))
    below.set(element, items.length > 1 ? leaf : fieldSet(true, fieldsOf(itemSchema(schema), items[0]).below))
  return fieldSet(false, below)
}

/**
 * Adds the fields that the schema names and that have only fields below them in the set: they can be removed from an object as a whole once
 * nobody owns any part of them.
 */
export const withNamedFields = (schema: StructuralSchema, set: FieldSet): FieldSet => {
  if (set.below.size === 0) return set
  const below = new Map<Element, FieldSet>()
  for (const [element, child] of set.below) {
    const name = element.startsWith('f:') ? element.slice(2) : undefined
    const inner = withNamedFields(name === undefined ? itemSchema(schema) : fieldSchema(schema, name), child)
    const isNamed = name !== undefined && isNamedField(schema, name)
    below.set(element, isNamed ? fieldSet(true, inner.below) : inner)
  }
  return fieldSet(set.self, below)
}
