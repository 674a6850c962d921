/** Tracks ownership when an object is created, replaced or patched. */
import type { KubernetesObject, ManagedFieldsEntry } from '../../foundations/kinds/object.ts'
import { capUpdates } from './cap-updates.ts'
import { emptySet, isEmpty, union, without } from './field-set.ts'
import type { Owners, Ownership } from './managed-fields.ts'
import { decodeOwners, withManagedFields, withoutManagedFields } from './managed-fields.ts'
import type { Writing } from './ownership.ts'
import { afterChange, changeOf, knownOwners, managerOf, orUnchanged, tracked } from './ownership.ts'

/**
 * Returns the object to store, with managedFields: the manager owns what differs from the live object, and everyone else loses it. `live` is
 * undefined for a new object. managedFields in `written` replace those of the live object if they are well-formed; `[]` and `[{}]` reset
 * them.
 */
export const trackUpdate = (
  live: KubernetesObject | undefined,
  written: KubernetesObject,
  writing: Writing,
): KubernetesObject => {
  const owners = ownersBefore(live, written, writing)
  const object = withoutManagedFields(written)
  // An object that was never tracked stays untracked until someone applies it.
  if (live && owners.size === 0) return object
  return orUnchanged(live, withManagedFields(object, ownersAfterUpdate(live, object, owners, writing)))
}

/**
 * Who owns what after an update made `object` of `live` (undefined: the object is new): the writer also owns what it
 * has added or changed, and all others lose what was changed or removed.
 */
export const ownersAfterUpdate = (
  live: KubernetesObject | undefined,
  object: KubernetesObject,
  owners: Owners,
  writing: Writing,
): Owners => {
  const { id, key } = managerOf('Update', writing)
  const change = changeOf(live ? withoutManagedFields(live) : (writing.blank ?? emptyObject), object, writing)
  const left = afterChange(knownOwners(owners, writing), '', change, true)
  const gained = tracked(union(change.modified, change.added))
  const fields = writing.ignored ? without(gained, writing.ignored) : gained
  if (!isEmpty(fields)) {
    const mine = left.get(key)?.fields ?? emptySet
    left.set(key, { ...id, fields: union(mine, fields), time: writing.now })
  }
  return capUpdates(left)
}

const emptyObject: object = {}

const ownersBefore = (live: KubernetesObject | undefined, written: KubernetesObject, writing: Writing): Owners => {
  const stored = () => decodeOwners(live?.metadata.managedFields) ?? new Map<string, Ownership>()
  if (writing.subresource) return stored()
  const given = written.metadata.managedFields
  if (isReset(given)) return new Map()
  const owners = decodeOwners(given)
  return owners && owners.size > 0 ? owners : stored()
}

const isReset = (entries: readonly ManagedFieldsEntry[] | undefined): boolean =>
  entries !== undefined &&
  (entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] ?? {}).length === 0))
