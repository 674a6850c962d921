/** The object after an apply that takes over the fields that kubectl had set: a dry run of the apply alone can't show that. */
import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../foundations/kinds/object.ts'

/**
 * `wanted` is the dry run of the apply, `takenOver` that of the preceding patch, which makes `fieldManager` the owner of kubectl's fields.
 * Removes the fields that only this manager then owns and that `desired` lacks (KS-286).
 */
export const afterTakeover = (
  wanted: KubernetesObject,
  takenOver: KubernetesObject,
  desired: KubernetesObject,
  fieldManager: string,
): KubernetesObject => {
  const isOurs = ({ manager, operation }: ManagedFieldsEntry) => manager === fieldManager && operation === 'Apply'
  const entries = (takenOver.metadata.managedFields ?? []).filter(({ subresource }) => !subresource)
  const owned = entries.find(isOurs)?.fieldsV1
  const others = entries.filter(entry => !isOurs(entry)).map(({ fieldsV1 }) => fieldsV1)
  const kept = (marks: 'annotations' | 'labels') =>
    withoutRemoved(wanted.metadata[marks], { ...takenOver.metadata[marks], ...desired.metadata[marks] })
  const [annotations, labels] = [kept('annotations'), kept('labels')]
  const metadata = { ...wanted.metadata, ...(annotations && { annotations }), ...(labels && { labels }) }
  return without({ ...wanted, metadata }, owned, desired, others) as KubernetesObject
}

/** The patch also removes kubectl's annotations, and labels of Flux's first version. */
const withoutRemoved = (wanted: Readonly<Record<string, string>> | undefined, kept: JsonObject) =>
  wanted && Object.fromEntries(Object.entries(wanted).filter(([key]) => Object.hasOwn(kept, key)))

/** The value without the parts that only `owned` has, in the FieldsV1 notation of API servers. */
const without = (value: unknown, owned: unknown, desired: unknown, others: readonly unknown[]): unknown => {
  if (!isObject(owned)) return value
  if (isObject(value)) {
    const wanted = isObject(desired) ? desired : {}
    const kept = Object.entries(value).flatMap(([name, item]) => {
      const element = `f:${name}`
      if (!(element in owned)) return [[name, item]]
      const elsewhere = others.filter(isObject).flatMap(other => (element in other ? [other[element]] : []))
      if (!(name in wanted) && elsewhere.length === 0) return []
      return [[name, without(item, owned[element], wanted[name], elsewhere)]]
    })
    return Object.fromEntries(kept)
  }
  if (!Array.isArray(value)) return value
  const wantedItems = Array.isArray(desired) ? desired : []
  return value.flatMap(item => {
    const element = Object.keys(owned).find(key => isItem(key, item))
    if (element === undefined) return [item]
    const elsewhere = others.filter(isObject).flatMap(other => (element in other ? [other[element]] : []))
    const wanted = wantedItems.find(other => isItem(element, other))
    if (wanted === undefined && elsewhere.length === 0) return []
    return [without(item, owned[element], wanted, elsewhere)]
  })
}

/** Whether a list element, `k:{"name":"web"}` or `v:"a"`, refers to an item. */
const isItem = (element: string, item: unknown): boolean => {
  const content = element.slice(2)
  if (element.startsWith('v:')) return content === JSON.stringify(item)
  if (!element.startsWith('k:') || !isObject(item)) return false
  return Object.entries(JSON.parse(content) as JsonObject).every(([key, value]) => item[key] === value)
}
