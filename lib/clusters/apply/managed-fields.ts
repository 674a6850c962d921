import { isObject, type JsonObject } from '../../foundations/kinds/json-object.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { encodeJson } from '../client/encode-json.ts'

/**
 * Whether applying `desired` would certainly change nothing, judged from the live object alone: the fields that this
 * manager owns there (and nobody has taken since) are exactly those of `desired`, with the same values in the same
 * order. `false` means "not sure": a dry-run decides (quantities in another spelling, defaults, lists that others
 * have changed, another API version).
 */
export const isDefinitelyApplied = (
  desired: KubernetesObject,
  live: KubernetesObject,
  fieldManager: string,
): boolean => {
  const owned = live.metadata.managedFields?.find(
    ({ manager, operation, subresource }) => manager === fieldManager && operation === 'Apply' && !subresource,
  )
  if (!owned || owned.apiVersion !== desired.apiVersion) return false
  const { apiVersion, kind, metadata, ...fields } = desired
  const { name, namespace, ...meta } = metadata
  const ownable = Object.keys(meta).length > 0 ? { ...fields, metadata: meta } : fields
  return matchesOwned(owned.fieldsV1, ownable, live)
}

/** Walks a FieldsV1 set (structured-merge-diff's notation) alongside the desired value and the live one. */
const matchesOwned = (owned: unknown, desired: unknown, live: unknown): boolean => {
  if (!isObject(owned)) return false
  const members = Object.keys(owned).filter(key => key !== '.')
  const [first] = members
  if (first === undefined) return isSameLeaf(desired, live)
  if (first.startsWith('f:')) return isSameMap(members, owned, desired, live)
  if (first.startsWith('k:')) return isSameKeyedList(members, owned, desired, live)
  if (first.startsWith('v:')) return isSameSet(members, desired, live)
  return false
}

/** A scalar, or an atomic list or map. Null is not a value, though it may be owned. */
const isSameLeaf = (desired: unknown, live: unknown): boolean =>
  desired !== null && desired !== undefined && isSameJson(desired, live)

const isSameMap = (members: readonly string[], owned: JsonObject, desired: unknown, live: unknown): boolean =>
  isObject(desired) &&
  isObject(live) &&
  Object.keys(desired).length === members.length &&
  members.every(member => {
    const field = member.slice(2)
    return (
      member.startsWith('f:') &&
      Object.hasOwn(desired, field) &&
      Object.hasOwn(live, field) &&
      matchesOwned(owned[member], desired[field], live[field])
    )
  })

/** A list merged by keys: our items must come first in the live list, as a merge may move them otherwise. */
const isSameKeyedList = (members: readonly string[], owned: JsonObject, desired: unknown, live: unknown): boolean => {
  if (!Array.isArray(desired) || !Array.isArray(live) || desired.length !== members.length) return false
  const names = Object.keys(JSON.parse(members[0]!.slice(2)) as JsonObject)
  const keyOf = (item: unknown) => encodeJson(names.map(name => (isObject(item) ? item[name] : undefined)))
  const ownedByKey = new Map(
    members
      .filter(member => member.startsWith('k:'))
      .map(member => [keyOf(JSON.parse(member.slice(2))), owned[member]]),
  )
  return (
    ownedByKey.size === desired.length &&
    desired.every((item, index) => {
      const key = keyOf(item)
      return ownedByKey.has(key) && keyOf(live[index]) === key && matchesOwned(ownedByKey.get(key), item, live[index])
    })
  )
}

const isSameSet = (members: readonly string[], desired: unknown, live: unknown): boolean => {
  if (!Array.isArray(desired) || !Array.isArray(live) || desired.length !== members.length) return false
  const values = new Set(members.filter(member => member.startsWith('v:')).map(member => member.slice(2)))
  return desired.every((item, index) => values.has(encodeJson(item)) && isSameJson(item, live[index]))
}
