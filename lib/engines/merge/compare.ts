/** The difference between two values, as sets of fields. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { Element, FieldSet } from './field-set.ts'
import { emptySet, fieldSet, leaf, without } from './field-set.ts'
import { fieldElement } from './fields-v1.ts'
import { divisionOf, fieldSchema, isEmptyValue, itemSchema, itemsByElement } from './parts.ts'

/** The sets are disjoint. */
export interface Comparison {
  readonly added: FieldSet
  readonly modified: FieldSet
  readonly removed: FieldSet
}

const same: Comparison = { added: emptySet, modified: emptySet, removed: emptySet }
const modified: Comparison = { ...same, modified: leaf }

/** undefined is an absent value; at most one of them may be absent. */
export const compare = (schema: StructuralSchema, before: unknown, after: unknown): Comparison => {
  if (before === after) return same
  if (before === undefined) return { ...same, added: presence(schema, after) }
  if (after === undefined) return { ...same, removed: presence(schema, before) }
  const division = divisionOf(schema, before)
  if (division !== divisionOf(schema, after)) return compareUnlike(schema, before, after)
  if (division === 'leaf' || (isEmptyValue(before) && isEmptyValue(after)))
    return isSameJson(before, after) ? same : modified
  return division === 'fields'
    ? compareObjects(schema, isObject(before) ? before : {}, isObject(after) ? after : {})
    : compareLists(schema, Array.isArray(before) ? before : [], Array.isArray(after) ? after : [])
}

/** Drops the ignored fields, and everything below them. */
export const ignoring = (comparison: Comparison, ignored: FieldSet): Comparison => ({
  added: without(comparison.added, ignored),
  modified: without(comparison.modified, ignored),
  removed: without(comparison.removed, ignored),
})

/** All parts of a value that was added or removed, including the objects and lists that contain its fields. */
const presence = (schema: StructuralSchema, value: unknown): FieldSet => {
  const division = divisionOf(schema, value)
  if (division === 'leaf') return leaf
  const below = new Map<Element, FieldSet>()
  if (division === 'fields' && isObject(value))
    for (const [name, item] of Object.entries(value))
      below.set(fieldElement(name), presence(fieldSchema(schema, name), item))
  if (division === 'items' && Array.isArray(value))
    for (const [element, items] of itemsByElement(schema, value))
      below.set(element, items.length > 1 ? leaf : presence(itemSchema(schema), items[0]))
  return fieldSet(true, below)
}

/** A value whose type changed: it counts as modified, along with the parts of both. */
const compareUnlike = (schema: StructuralSchema, before: unknown, after: unknown): Comparison => ({
  removed: fieldSet(false, presence(schema, before).below),
  modified: leaf,
  added: fieldSet(false, presence(schema, after).below),
})

const compareObjects = (schema: StructuralSchema, before: JsonObject, after: JsonObject): Comparison => {
  const collected = collector()
  for (const name of Object.keys(before)) {
    const other = Object.hasOwn(after, name) ? after[name] : undefined
    collected.add(fieldElement(name), compare(fieldSchema(schema, name), before[name], other))
  }
  for (const name of Object.keys(after))
    if (!Object.hasOwn(before, name))
      collected.add(fieldElement(name), compare(fieldSchema(schema, name), undefined, after[name]))
  return collected.comparison()
}

const compareLists = (schema: StructuralSchema, before: readonly unknown[], after: readonly unknown[]): Comparison => {
  const collected = collector()
  const ours = itemsByElement(schema, before)
  const theirs = itemsByElement(schema, after)
  for (const [element, items] of ours)
    collected.add(element, compareItems(itemSchema(schema), items, theirs.get(element) ?? []))
  for (const [element, items] of theirs)
    if (!ours.has(element)) collected.add(element, compareItems(itemSchema(schema), [], items))
  return collected.comparison()
}

/** Compares items with the same element. A list should have one at most; several are compared as a whole. */
const compareItems = (schema: StructuralSchema, before: readonly unknown[], after: readonly unknown[]): Comparison => {
  if (before.length <= 1 && after.length <= 1) return compare(schema, before[0], after[0])
  if (before.length > 1 && after.length > 1) return isSameJson(before, after) ? same : modified
  const presenceOf = ([item]: readonly unknown[]) => (item === undefined ? emptySet : presence(schema, item))
  return before.length > 1
    ? { ...same, removed: leaf, added: presenceOf(after) }
    : { ...same, removed: presenceOf(before), added: leaf }
}

const collector = () => {
  /** Allocated only on a difference: most objects have none. */
  let sets: Record<keyof Comparison, Map<Element, FieldSet>> | undefined
  const put = (into: Map<Element, FieldSet>, element: Element, set: FieldSet) => {
    if (set !== emptySet) into.set(element, set)
  }
  return {
    add: (element: Element, part: Comparison): void => {
      if (part === same) return
      sets ??= { added: new Map(), modified: new Map(), removed: new Map() }
      put(sets.added, element, part.added)
      put(sets.modified, element, part.modified)
      put(sets.removed, element, part.removed)
    },
    comparison: (): Comparison =>
      sets === undefined
        ? same
        : {
            added: fieldSet(false, sets.added),
            modified: fieldSet(false, sets.modified),
            removed: fieldSet(false, sets.removed),
          },
  }
}
