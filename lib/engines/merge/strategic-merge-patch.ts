/**
 * Strategic merge patch: a merge patch that also merges lists, where the schema says how (patch strategy and merge key),
 * and that takes directives: `$patch`, `$retainKeys`, `$setElementOrder/<list>`, `$deleteFromPrimitiveList/<list>`.
 * Kubernetes has it for built-in kinds only.
 */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import { fieldSchema, itemSchema } from './parts.ts'

/** An invalid patch: HTTP 400. Unlike Kubernetes', its message contains no values: the object may be a Secret. */
export class StrategicPatchError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'StrategicPatchError'
  }
}

/** `schema` describes the whole object. The input document is not modified. */
export const strategicMergePatch = (schema: StructuralSchema, document: JsonObject, patch: JsonObject): JsonObject =>
  mergeObject(schema, document, patch)

const orderPrefix = '$setElementOrder/'
const deletePrefix = '$deleteFromPrimitiveList/'

const mergeObject = (schema: StructuralSchema, original: JsonObject, patch: JsonObject): JsonObject => {
  const { $patch: directive, $retainKeys: retainKeys, ...changes } = patch
  if (directive === 'replace') return changes
  if (directive === 'delete') return {}
  if (directive !== undefined) throw new StrategicPatchError(`unknown patch type: ${directive}`)

  const merged = new Map(Object.entries(original))
  if (retainKeys !== undefined) retain(merged, retainKeys, changes)
  const { orders, deletions, values } = separateDirectives(changes)
  for (const [name, order] of orders) {
    const list = orderedList(fieldSchema(schema, name), merged.get(name), values.get(name), order)
    if (list) merged.set(name, list)
    values.delete(name)
  }
  for (const [name, value] of values) {
    if (value === null) merged.delete(name)
    else merged.set(name, mergeValue(fieldSchema(schema, name), merged.get(name), value))
    if (merged.get(name) === undefined) merged.delete(name)
  }
  for (const [name, gone] of deletions) {
    const list = merged.get(name)
    if (Array.isArray(list) && Array.isArray(gone))
      merged.set(
        name,
        list.filter(item => !gone.includes(item)),
      )
  }
  return Object.fromEntries(merged)
}

/** Separates changes to fields from directives about lists. */
const separateDirectives = (changes: JsonObject) => {
  const orders = new Map<string, readonly unknown[]>()
  const deletions = new Map<string, unknown>()
  const values = new Map<string, unknown>()
  for (const [name, value] of Object.entries(changes))
    if (name.startsWith(orderPrefix)) orders.set(name.slice(orderPrefix.length), requireList(value))
    else if (name.startsWith(deletePrefix)) deletions.set(name.slice(deletePrefix.length), value)
    else values.set(name, value)
  return { orders, deletions, values }
}

/** Fails with Go's wording, as Kubernetes does. */
const requireList = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value
  const type = isObject(value) ? 'map[string]interface {}' : typeof value
  throw new StrategicPatchError(`expected a []interface {}, but received a ${type}`)
}

const retain = (merged: Map<string, unknown>, retainKeys: unknown, changes: JsonObject): void => {
  const isKept = (name: string): boolean => Array.isArray(retainKeys) && retainKeys.includes(name)
  const isForeign = ([name, value]: [string, unknown]): boolean =>
    value !== null && !name.startsWith(orderPrefix) && !name.startsWith(deletePrefix) && !isKept(name)
  if (!Array.isArray(retainKeys) || Object.entries(changes).some(isForeign))
    throw new StrategicPatchError('invalid patch format of retainKeys')
  for (const name of merged.keys()) if (!isKept(name)) merged.delete(name)
}

const mergeValue = (schema: StructuralSchema, original: unknown, value: unknown): unknown => {
  const strategy = strategiesOf(schema)
  if (isObject(original) && isObject(value))
    return strategy.includes('replace') ? value : mergeObject(schema, original, value)
  if (Array.isArray(original) && Array.isArray(value))
    return strategy.includes('merge') ? mergeList(schema, original, value) : value
  return withoutDirectives(value)
}

const strategiesOf = (schema: StructuralSchema): readonly string[] =>
  schema['x-kubernetes-patch-strategy']?.split(',') ?? []

/** New values are taken as they are, without directives, and without nulls, which have nothing to remove. */
const withoutDirectives = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDirectives).filter(item => item !== undefined)
  if (!isObject(value)) return value
  if (value.$patch !== undefined) return undefined
  const kept = Object.entries(value).map(([name, item]) => [name, withoutDirectives(item)] as const)
  return Object.fromEntries(kept.filter(([, item]) => item !== undefined && item !== null))
}

// ---- lists ----

const mergeList = (schema: StructuralSchema, original: readonly unknown[], patch: readonly unknown[]): unknown[] => {
  const { list, applied } = mergeItems(schema, original, patch)
  return arranged(schema, list, applied, original)
}

/** A list in the order that the patch sets. Undefined if there is neither a list nor a patch for it. */
const orderedList = (
  schema: StructuralSchema,
  original: unknown,
  patch: unknown,
  order: readonly unknown[],
): unknown[] | undefined => {
  const live = original === undefined ? undefined : requireList(original)
  const changes = patch === undefined ? undefined : requireList(patch)
  if (changes) requireSameOrder(schema, changes, order)
  if (!live) return changes && arranged(schema, withoutDirectives(changes) as unknown[], order, [])
  const list =
    changes && strategiesOf(schema).includes('merge') ? mergeItems(schema, live, changes).list : (changes ?? live)
  return arranged(schema, list, order, live)
}

const requireSameOrder = (schema: StructuralSchema, patch: readonly unknown[], order: readonly unknown[]): void => {
  if (order.length === 0) return
  let at = 0
  for (const item of patch) {
    if (isObject(item) && item.$patch !== undefined) continue
    while (at < order.length && !isSameItem(schema, item, order[at])) at++
    if (at++ === order.length)
      throw new StrategicPatchError("The order in patch list doesn't match $setElementOrder list")
  }
}

const mergeItems = (
  schema: StructuralSchema,
  original: readonly unknown[],
  patch: readonly unknown[],
): { list: unknown[]; applied: readonly unknown[] } => {
  const all = [...original, ...patch]
  if (!all.some(isObject)) return { list: [...new Set(all)], applied: patch }
  if (!all.every(isObject)) throw new StrategicPatchError('list element types are not identical')
  const mergeKey = schema['x-kubernetes-patch-merge-key']
  if (!mergeKey) throw new StrategicPatchError('cannot merge lists without merge key')
  const items = patch as readonly JsonObject[]
  let list = [...original]
  for (const item of items) {
    const { $patch: directive } = item
    if (directive === 'merge') throw new StrategicPatchError('merging lists cannot yet be specified in the patch')
    if (directive !== undefined && directive !== 'delete' && directive !== 'replace')
      throw new StrategicPatchError(`unknown patch type: ${directive}`)
    if (directive !== 'replace' && item[mergeKey] === undefined)
      throw new StrategicPatchError(`an item does not contain declared merge key: ${mergeKey}`)
    if (directive === 'delete') list = list.filter(other => !isSameItem(schema, item, other))
  }
  const applied = items.filter(item => item.$patch === undefined)
  if (items.some(item => item.$patch === 'replace')) return { list: [...applied], applied }
  for (const item of applied) {
    const index = list.findIndex(other => isSameItem(schema, item, other))
    if (index < 0) list.push(withoutDirectives(item))
    else list[index] = mergeObject(itemSchema(schema), list[index] as JsonObject, item)
  }
  return { list, applied }
}

const isSameItem = (schema: StructuralSchema, a: unknown, b: unknown): boolean => {
  const mergeKey = schema['x-kubernetes-patch-merge-key']
  return mergeKey && isObject(a) && isObject(b) ? isSameJson(a[mergeKey], b[mergeKey]) : isSameJson(a, b)
}

/** Puts the items of `order` in that order, and the others between them, where possible as in the original list. */
const arranged = (
  schema: StructuralSchema,
  list: readonly unknown[],
  order: readonly unknown[],
  original: readonly unknown[],
): unknown[] => {
  const placeIn = (places: readonly unknown[], item: unknown) =>
    places.findIndex(other => isSameItem(schema, item, other))
  const theirs = list
    .filter(item => placeIn(order, item) >= 0)
    .toSorted((a, b) => placeIn(order, a) - placeIn(order, b))
  const rest = list.filter(item => placeIn(order, item) < 0)
  const result: unknown[] = []
  for (const item of theirs) {
    const place = placeIn(original, item)
    while (rest.length > 0 && placeIn(original, rest[0]) < place) result.push(rest.shift())
    result.push(item)
  }
  return [...result, ...rest]
}
