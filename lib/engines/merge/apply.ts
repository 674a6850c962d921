/** Server-side apply: merges one manager's fields into an object, and leaves what others own. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import { requireApplicable } from './applicable.ts'
import { ApplyConflict } from './conflict.ts'
import type { FieldSet } from './field-set.ts'
import { difference, intersection, unionAll, without } from './field-set.ts'
import { fieldsOf, withNamedFields } from './fields-of.ts'
import { conflictsSinceLastApplied, lastAppliedAnnotation, withLastApplied } from './last-applied.ts'
import type { Owners } from './managed-fields.ts'
import { decodeOwners, withManagedFields, withoutManagedFields } from './managed-fields.ts'
import { mergeValues } from './merge-values.ts'
import type { Writing } from './ownership.ts'
import { afterChange, changeOf, knownOwners, managerOf, orUnchanged, tracked } from './ownership.ts'
import { removeFields } from './remove-fields.ts'
import { ownersAfterUpdate } from './track-update.ts'

export interface Applying extends Writing {
  /** Take over fields that others own. */
  readonly force: boolean
}

/**
 * Returns the object to store (before defaults and validation), or the live object itself if nothing changes. `live` is undefined to create
 * an object. Fails with ApplyConflict, and with NotApplicable if `applied` doesn't match the schema.
 */
export const apply = (
  live: KubernetesObject | undefined,
  applied: KubernetesObject,
  applying: Applying,
): KubernetesObject => {
  requireApplicable(applying.schema, applied)
  const before = live && withoutManagedFields(live)
  const owners = ownersBefore(live, applying)
  try {
    return applyOver(live, before, applied, owners, applying)
  } catch (error) {
    // A user who moves from client-side to server-side apply takes over what the client last applied.
    if (!(error instanceof ApplyConflict) || applying.manager !== 'kubectl' || !before) throw error
    const conflicts = conflictsSinceLastApplied(error, before, applying.schema)
    if (conflicts.length > 0) throw new ApplyConflict(conflicts)
    return applyOver(live, before, applied, owners, { ...applying, force: true })
  }
}

const applyOver = (
  live: KubernetesObject | undefined,
  before: KubernetesObject | undefined,
  applied: KubernetesObject,
  owners: Owners,
  applying: Applying,
): KubernetesObject => {
  const { schema, ignored, now, force, manager } = applying
  const { id, key } = managerOf('Apply', applying)
  const wanted = fieldsOf(schema, applied)
  const mine = ignored ? without(wanted, ignored) : wanted
  const known = knownOwners(owners, applying)
  const last = known.get(key)?.fields
  known.set(key, { ...id, fields: mine, time: now })

  const merged = mergeValues(schema, before, applied) as KubernetesObject
  const pruned = last ? prune(schema, merged, last, unionAll([...known.values()].map(({ fields }) => fields))) : merged
  const left = afterChange(known, key, changeOf(before ?? {}, pruned, applying), force)

  const isNoop = isSameJson(before, pruned)
  const time = isNoop ? owners.get(key)?.time : now
  left.set(key, { ...id, fields: tracked(mine), ...(time && { time }) })
  const object = manager === 'kubectl' && hasLastApplied(pruned) ? withLastApplied(pruned, applied) : pruned
  return orUnchanged(live, withManagedFields(object, left))
}

const hasLastApplied = (object: KubernetesObject): boolean =>
  Boolean(object.metadata.annotations?.[lastAppliedAnnotation])

const ownersBefore = (live: KubernetesObject | undefined, applying: Applying): Owners => {
  if (!live) return new Map()
  const owners = decodeOwners(live.metadata.managedFields)
  if (!owners) throw new Error('failed to decode managed fields')
  if (owners.size > 0) return owners
  // The content of an untracked object is attributed to an unknown writer before the first apply.
  return ownersAfterUpdate(undefined, withoutManagedFields(live), owners, {
    ...applying,
    manager: 'before-first-apply',
  })
}

/**
 * Removes what the manager applied last time and nobody owns now. `owned` are the fields of all owners, including what this manager
 * applies now.
 */
const prune = (
  schema: StructuralSchema,
  merged: KubernetesObject,
  last: FieldSet,
  owned: FieldSet,
): KubernetesObject => {
  const named = (fields: FieldSet) => withNamedFields(schema, fields)
  const gone = (object: unknown) => difference(all, named(fieldsOf(schema, object)))
  const all = named(fieldsOf(schema, merged))
  const lastApplied = named(last)
  const droppedByManager = gone(removeFields(schema, merged, lastApplied))
  const wantedByNobody = difference(droppedByManager, named(owned))
  const goneWithThem = gone(removeFields(schema, merged, wantedByNobody))
  const mineAlone = difference(intersection(goneWithThem, lastApplied), owned)
  return removeFields(schema, merged, mineAlone) as KubernetesObject
}
