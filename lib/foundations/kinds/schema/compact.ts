/**
 * Drops what says nothing: Kubernetes decodes metadata, and the whole of its own kinds, into fixed types, and writes
 * those back without empty fields. So `labels: {}` or `data: null` never show in an object that was written.
 */
import type { KubernetesObject, ObjectMeta } from '../object.ts'

/** With compact metadata; the object itself when it is so already. */
export const withCompactMetadata = <T extends KubernetesObject>(object: T): T => {
  const { managedFields, ...given } = object.metadata
  const metadata: ObjectMeta = withoutEmptyFields(given)
  if (metadata === given) return object
  // An empty list of managedFields is a wish of its own: to forget them.
  return { ...object, metadata: managedFields ? { ...metadata, managedFields } : metadata }
}

/** Without fields that are null, '', 0, {} or []. Only the fields of this object, not those below. */
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
