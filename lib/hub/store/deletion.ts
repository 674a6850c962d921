/** How objects are deleted: what a deletion waits for, and when it removes the object. Pure. */
import type { KubernetesObject, ObjectMeta } from '../../foundations/kinds/object.ts'
import type { DeleteOptions } from './hub.ts'
import { asJson } from './json.ts'

/** Wait until dependents no longer refer to this owner, or until those that block it are gone. */
export const orphanFinalizer = 'orphan'
export const foregroundFinalizer = 'foregroundDeletion'

type Namespace = KubernetesObject & { readonly spec?: { readonly finalizers?: readonly string[] } }

/** Namespaces also have finalizers in the spec. */
const specFinalizers = (object: KubernetesObject): readonly string[] =>
  object.kind === 'Namespace' && object.apiVersion === 'v1' ? ((object as Namespace).spec?.finalizers ?? []) : []

/** Whether anything must still be done before a deleted object can be removed. */
export const isHeld = (object: KubernetesObject): boolean =>
  (object.metadata.finalizers ?? []).length > 0 || specFinalizers(object).length > 0

export const isDeleted = ({ metadata }: KubernetesObject): boolean => metadata.deletionTimestamp !== undefined

/** The object after a deletion request; the same one if nothing changes. `now` is RFC 3339. */
export const withDeletion = (
  object: KubernetesObject,
  propagation: DeleteOptions['propagation'],
  now: string,
): KubernetesObject => {
  const { metadata } = object
  const before = metadata.finalizers ?? []
  const finalizers = finalizersFor(before, propagation)
  if (isDeleted(object) && isSameSet(finalizers, before)) return object
  const deleted: ObjectMeta = asJson({
    ...metadata,
    finalizers: finalizers.length > 0 ? finalizers : undefined,
    deletionTimestamp: metadata.deletionTimestamp ?? now,
    generation: isDeleted(object) || !metadata.generation ? metadata.generation : metadata.generation + 1,
  })
  if (specFinalizers(object).length > 0)
    return { ...object, metadata: deleted, status: { ...(object.status as object), phase: 'Terminating' } }
  const deletionGracePeriodSeconds = metadata.deletionGracePeriodSeconds ?? 0
  return { ...object, metadata: { ...deleted, deletionGracePeriodSeconds } }
}

/** An explicit propagation policy replaces the finalizers for dependents. */
const finalizersFor = (finalizers: readonly string[], propagation: DeleteOptions['propagation']): readonly string[] => {
  if (!propagation) return finalizers
  const others = finalizers.filter(name => name !== orphanFinalizer && name !== foregroundFinalizer)
  if (propagation === 'Orphan') return [...others, orphanFinalizer]
  if (propagation === 'Foreground') return [...others, foregroundFinalizer]
  return others
}

const isSameSet = (some: readonly string[], others: readonly string[]): boolean =>
  some.length === others.length && some.every(item => others.includes(item))
