/** Rules that apply and update share: which fields are tracked, and which owners lose fields in a change. */
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

/** How an object is written, and by which manager. */
export interface Writing {
  /** Schema of the whole object (`wholeSchema`), shared by all versions of a kind. */
  readonly schema: StructuralSchema
  /** The versions in which the kind is served, as apiVersions: entries of others are dropped. */
  readonly apiVersions: readonly string[]
  readonly apiVersion: string
  readonly manager: string
  readonly subresource?: string
  /** Fields that this write cannot change: `status` of a kind whose status is a subresource (see `resetFields`). */
  readonly ignored?: FieldSet
  /** Content of every new object of the kind (`always` of Kubernetes' own kinds), which nobody owns. */
  readonly blank?: object
  /** RFC 3339, whole seconds. */
  readonly now: string
}

/** Never owned: set by the server, or part of the object's identity. */
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

/** The fields without those that nobody owns: apiVersion, kind, and metadata that the server sets. */
export const tracked = (fields: FieldSet): FieldSet => difference(fields, untracked)

const status = setOf(['status'])
const allButStatus = setOf(['metadata'], ['spec'])

/** Fields that a write cannot change: with a status subresource, the status; through the subresource, everything else. */
export const resetFields = (hasStatusSubresource: boolean, subresource: string | undefined): FieldSet | undefined => {
  if (subresource === 'status') return allButStatus
  return hasStatusSubresource ? status : undefined
}

/** Owners of versions that are still served. */
export const knownOwners = (owners: Owners, { apiVersions }: Writing): Map<string, Ownership> =>
  new Map([...owners].filter(([, { apiVersion }]) => apiVersions.includes(apiVersion)))

/**
 * The ownership of the others after a change: they lose fields that were changed or removed. Fails with ApplyConflict if they would lose a
 * field that still exists, unless forced.
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

/** The difference, without fields that this write cannot change. */
export const changeOf = (before: unknown, after: unknown, { schema, ignored }: Writing): Comparison => {
  const change = compare(schema, before, after)
  return ignored ? ignoring(change, ignored) : change
}

/** The manager that makes a write, and its key. A client without a name is `unknown`; the hub derives names before. */
export const managerOf = (operation: Manager['operation'], { manager, apiVersion, subresource }: Writing) => {
  const id: Manager = { manager: manager || 'unknown', operation, apiVersion, ...(subresource && { subresource }) }
  return { id, key: managerKey(id) }
}

/**
 * The live object itself if the new one differs only in the times of its managedFields: writing the same content again must not create a
 * new version.
 */
export const orUnchanged = (live: KubernetesObject | undefined, written: KubernetesObject): KubernetesObject =>
  live && isSameJson(timeless(live), timeless(written)) ? live : written

const timeless = (object: KubernetesObject) => ({
  ...object,
  metadata: { ...object.metadata, managedFields: object.metadata.managedFields?.map(withoutTime) },
})

const withoutTime = ({ time: _, ...entry }: ManagedFieldsEntry) => entry
