/**
 * Drops empty fields: Kubernetes decodes metadata, and all of its own kinds, into fixed types, and encodes them without empty fields. So
 * `labels: {}` or `data: null` never appear in a stored object.
 */
import type { KubernetesObject, ObjectMeta } from '../object.ts'

/** With compact metadata; the object itself if nothing changes. */
export const withCompactMetadata = <T extends KubernetesObject>(object: T): T => {
  const { managedFields, ...given } = object.metadata
  const metadata: ObjectMeta = withoutEmptyFields(given)
  if (metadata === given) return object
  // An empty list of managedFields is a request: it resets them.
  return { ...object, metadata: managedFields ? { ...metadata, managedFields } : metadata }
}

/** Without fields that are null, '', 0, {} or []. Only the fields of this object, not nested ones. */
export const withoutEmptyFields = <T extends object>(object: T): T => {
  const entries = Object.entries(object)
  const kept = entries.filter(([, value]) => !isEmpty(value))
  return kept.length === entries.length ? object : (Object.fromEntries(kept) as T)
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === 0 ||
  (typeof value === 'object' && Object.keys(value).length === 0)
