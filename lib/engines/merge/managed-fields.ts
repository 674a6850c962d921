/** The owners of an object's fields: a decoded `metadata.managedFields`. */
import { compareText } from '../../foundations/go/compare-text.ts'
import type { KubernetesObject, ManagedFieldsEntry } from '../../foundations/kinds/object.ts'
import type { FieldSet } from './field-set.ts'
import { isEmpty } from './field-set.ts'
import { decodeFields, encodeFields } from './fields-v1.ts'

/** A writer and its operation. A manager's Update entries are separate for each version. */
export interface Manager {
  readonly manager: string
  readonly operation: 'Apply' | 'Update'
  readonly apiVersion: string
  readonly subresource?: string
}

export interface Ownership extends Manager {
  readonly fields: FieldSet
  readonly time?: string
}

/** By `managerKey`. */
export type Owners = ReadonlyMap<string, Ownership>

/** By which an API server distinguishes managers: the version counts for updates only, as an applier may change it. */
export const managerKey = ({ manager, operation, apiVersion, subresource = '' }: Manager): string =>
  JSON.stringify([manager, operation, operation === 'Apply' ? '' : apiVersion, subresource])

/** Undefined if any entry is malformed: then none of them can be trusted. */
export const decodeOwners = (entries: readonly ManagedFieldsEntry[] = []): Owners | undefined => {
  const owners = new Map<string, Ownership>()
  for (const { manager = '', operation, apiVersion, time, fieldsType, fieldsV1 = {}, subresource } of entries) {
    const fields = decodeFields(fieldsV1)
    if ((operation !== 'Apply' && operation !== 'Update') || !apiVersion || fieldsType !== 'FieldsV1' || !fields)
      return undefined
    const owner = { manager, operation, apiVersion, ...(time && { time }), ...(subresource && { subresource }), fields }
    owners.set(managerKey(owner), owner)
  }
  return owners
}

/** As entries, in Kubernetes' order. Owners without fields are dropped. */
const encodeOwners = (owners: Owners): ManagedFieldsEntry[] =>
  [...owners.values()]
    .filter(({ fields }) => !isEmpty(fields))
    .sort(compareOwners)
    .map(({ manager, operation, apiVersion, time, subresource, fields }) => ({
      ...(manager && { manager }),
      operation,
      apiVersion,
      ...(time && { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFields(fields),
      ...(subresource && { subresource }),
    }))

const compareOwners = (a: Ownership, b: Ownership): number =>
  compareText(a.operation, b.operation) ||
  compareText(a.time ?? '', b.time ?? '') ||
  compareText(a.manager, b.manager) ||
  compareText(a.apiVersion, b.apiVersion) ||
  compareText(a.subresource ?? '', b.subresource ?? '')

/**
 * The object with these owners in `managedFields`, in the order of an API server; without that field if there are none.
 */
export const withManagedFields = (object: KubernetesObject, owners: Owners): KubernetesObject => {
  const { managedFields: _, ...metadata } = object.metadata
  const entries = encodeOwners(owners)
  return { ...object, metadata: entries.length > 0 ? { ...metadata, managedFields: entries } : metadata }
}

/** The object as ownership is computed from it; the same one if it has no managed fields. */
export const withoutManagedFields = (object: KubernetesObject): KubernetesObject => {
  if (!object.metadata.managedFields) return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}
