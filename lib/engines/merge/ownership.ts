/** The rules that apply and update share: what is tracked at all, and who loses what when an object changes. */
import type { KubernetesObject, ManagedFieldsEntry } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { StructuralSchema } from '../../foundations/kinds/schema/schema.ts'
import type { Comparison } from './compare.ts'
import { compare, ignoring } from './compare.ts'
import { ApplyConflict, conflictsWith } from './conflict.ts'
import type { FieldSet } from './field-set.ts'
import { difference, intersection, isEmpty, setOf, union } from './field-set.ts'
import type { Manager, Owners, Ownership } from './managed-fields.ts'
import { managerKey } from './managed-fields.ts'

/** How an object is written. */
export interface Writing {
  /** Schema of the whole object (`wholeSchema`). All versions of a kind share it. */
  readonly schema: StructuralSchema
  /** Versions the kind is served in, as apiVersions: entries of others are dropped. */
  readonly apiVersions: readonly string[]
  readonly apiVersion: string
  readonly manager: string
  readonly subresource?: string
  /** Fields that this way of writing cannot change: `status` of a kind whose status is a subresource (see `resetFields`). */
  readonly ignored?: FieldSet
  /** What an object of the kind holds before anybody set a field (`always` of Kubernetes' own kinds): nobody owns that. */
  readonly blank?: object
  /** RFC 3339, whole seconds. */
  readonly now: string
}

/** Nobody owns these: they are the server's, or the object's identity. */
const untracked = setOf(
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
)

export const tracked = (fields: FieldSet): FieldSet => difference(fields, untracked)

const status = setOf(['status'])
const allButStatus = setOf(['metadata'], ['spec'])

/** What a write cannot change: of kinds with a status subresource the status, and through it everything else. */
export const resetFields = (hasStatusSubresource: boolean, subresource: string | undefined): FieldSet | undefined => {
  if (subresource === 'status') return allButStatus
  return hasStatusSubresource ? status : undefined
}

/** Owners of versions that are still served. */
export const knownOwners = (owners: Owners, { apiVersions }: Writing): Map<string, Ownership> =>
  new Map([...owners].filter(([, { apiVersion }]) => apiVersions.includes(apiVersion)))

/**
 * What the others own after a change: fields that changed are no longer theirs, nor those that are gone. Fails with
 * ApplyConflict when they would lose a field that still exists, unless forced.
 */
export const afterChange = (
  owners: Owners,
  self: string,
  change: Comparison,
  force: boolean,
): Map<string, Ownership> => {
  const changed = union(change.modified, change.added)
  const lost = [...owners]
    .filter(([key]) => key !== self)
    .map(([, owner]) => ({ ...owner, fields: intersection(owner.fields, changed) }))
    .filter(({ fields }) => !isEmpty(fields))
  if (lost.length > 0 && !force) throw new ApplyConflict(conflictsWith(lost))
  const gone = union(changed, change.removed)
  const left = new Map<string, Ownership>()
  for (const [key, owner] of owners) {
    const fields = difference(owner.fields, gone)
    if (!isEmpty(fields)) left.set(key, fields === owner.fields ? owner : { ...owner, fields })
  }
  return left
}

/** The change, as far as this way of writing can make it. */
export const changeOf = (before: unknown, after: unknown, { schema, ignored }: Writing): Comparison => {
  const change = compare(schema, before, after)
  return ignored ? ignoring(change, ignored) : change
}

export const managerOf = (operation: Manager['operation'], { manager, apiVersion, subresource }: Writing) => {
  const id: Manager = { manager: manager || 'unknown', operation, apiVersion, ...(subresource && { subresource }) }
  return { id, key: managerKey(id) }
}

/**
 * The live object itself when the new one differs in nothing but the times of its managedFields: writing the same again
 * must not make a new version.
 */
export const orUnchanged = (live: KubernetesObject | undefined, written: KubernetesObject): KubernetesObject =>
  live && isSameJson(timeless(live), timeless(written)) ? live : written

const timeless = (object: KubernetesObject) => ({
  ...object,
  metadata: { ...object.metadata, managedFields: object.metadata.managedFields?.map(withoutTime) },
})

const withoutTime = ({ time: _, ...entry }: ManagedFieldsEntry) => entry
