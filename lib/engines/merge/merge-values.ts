/** Merges an applied value into a live one: leaves of the applied value win, everything else stays. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { Element } from './field-set.ts'
import { divisionOf, fieldSchema, isEmptyValue, itemElement, itemSchema } from './parts.ts'

/** undefined is an absent live value. */
export const mergeValues = (schema: StructuralSchema, live: unknown, applied: unknown): unknown => {
  if (live === undefined) return applied
  const division = divisionOf(schema, applied)
  if (division === 'leaf') return applied
  if (isEmptyValue(live) && isEmptyValue(applied)) return applied
  return division === 'fields'
    ? mergeObjects(schema, isObject(live) ? live : {}, isObject(applied) ? applied : {})
    : mergeLists(schema, Array.isArray(live) ? live : [], Array.isArray(applied) ? applied : [])
}

const mergeObjects = (schema: StructuralSchema, live: JsonObject, applied: JsonObject): JsonObject => {
  const merged = new Map(Object.entries(live))
  for (const [name, item] of Object.entries(applied))
    merged.set(name, mergeValues(fieldSchema(schema, name), merged.get(name), item))
  return Object.fromEntries(merged)
}

/**
 * Items in both lists are in the applied order; items only in the live list keep their place between them. Fails with DuplicateItem if the
 * applied list has an item twice; a live list may, and keeps both unless applied.
 */
const mergeLists = (schema: StructuralSchema, live: readonly unknown[], applied: readonly unknown[]): unknown[] => {
  const inner = itemSchema(schema)
  const liveElements = live.map(item => itemElement(schema, item))
  const appliedElements = applied.map(item => itemElement(schema, item))
  const liveItems = uniqueItems(liveElements, live)
  const appliedItems = new Map<Element, unknown>()
  for (const [index, element] of appliedElements.entries()) {
    if (appliedItems.has(element)) throw new DuplicateItem(element)
    appliedItems.set(element, applied[index])
  }
  const shared = appliedElements.filter(element => liveItems.has(element))
  const merged: unknown[] = []
  let l = 0
  let nextShared = 0
  for (const element of appliedElements) {
    for (; l < live.length && liveElements[l] !== shared[nextShared]; l++)
      if (!appliedItems.has(liveElements[l]!)) merged.push(live[l])
    merged.push(mergeValues(inner, liveItems.get(element), appliedItems.get(element)))
    if (element !== shared[nextShared]) continue
    nextShared++
    l++
  }
  for (; l < live.length; l++) if (!appliedItems.has(liveElements[l]!)) merged.push(live[l])
  return merged
}

/** Items by element; undefined for an element that several items share, as it can't be merged. */
const uniqueItems = (elements: readonly Element[], items: readonly unknown[]): Map<Element, unknown> => {
  const sole = new Map<Element, unknown>()
  for (const [index, element] of elements.entries()) sole.set(element, sole.has(element) ? undefined : items[index])
  return sole
}

export class DuplicateItem extends Error {
  readonly element: Element
  constructor(element: Element) {
    super('duplicate entries for key')
    this.element = element
  }
}
