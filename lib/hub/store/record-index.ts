/** What the store indexes of an object besides its body: its references, due time and expiry. Pure. */
import type { Kind } from '../../foundations/kinds/kind.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { refKey } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { isDeleted } from './deletion.ts'
import { referencesOf } from './references.ts'

/** The key of an owner's dependents. */
export const ownerKey = (uid: string): string => `owner|${uid}`
/** All objects with owners, and all whose deletion the hub must complete: what a sweep checks. */
export const ownedKey = 'owned'
export const deletingKey = 'deleting'

/**
 * The keys under which the store finds an object: refs that its spec refers to, UIDs of owners, and what a sweep
 * checks.
 */
export const indexKeysOf = (object: KubernetesObject): readonly string[] => {
  const owners = object.metadata.ownerReferences ?? []
  return [
    ...new Set([
      ...referencesOf(object).map(refKey),
      ...owners.map(({ uid }) => ownerKey(uid)),
      ...(owners.length > 0 ? [ownedKey] : []),
      ...(isDeleted(object) ? [deletingKey] : []),
    ]),
  ]
}

/** The store's form of a label. */
export const labelText = (key: string, value: string): string => `${key}=${value}`

/** Whether the store may index labels with this key: of encrypted objects only those that the kind names. */
export const isIndexed = ({ sealedFields = [], openLabels = [] }: Kind, key: string): boolean =>
  sealedFields.length === 0 || openLabels.includes(key)

/** The labels that the store may index; undefined if it learns of none, so that it must not exclude the object by them. */
export const labelsOf = (kind: Kind, { metadata: { labels = {} } }: KubernetesObject): string[] | undefined =>
  kind.sealedFields?.length && !kind.openLabels
    ? undefined
    : Object.entries(labels)
        .filter(([key]) => isIndexed(kind, key))
        .map(([key, value]) => labelText(key, value))

/**
 * Whether a change requires a reconciliation: of the desired state, of annotations (`reconcile.fluxcd.io/requestedAt`), or a deletion.
 * `before` is absent for a new object.
 */
export const requiresReconciliation = (object: KubernetesObject, before: KubernetesObject | undefined): boolean =>
  !before ||
  object.metadata.generation !== before.metadata.generation ||
  object.metadata.deletionTimestamp !== before.metadata.deletionTimestamp ||
  !isSameJson(object.metadata.annotations ?? {}, before.metadata.annotations ?? {})

/** How long Events live after their last change: the default of kube-apiserver's `--event-ttl`. */
export const defaultEventTtlMs = 3_600_000

/** When an object expires, in milliseconds since the epoch; undefined if never. */
export const expiryOf = ({ group, kind }: Kind, now: number, eventTtlMs: number): number | undefined =>
  kind === 'Event' && (group === '' || group === 'events.k8s.io') ? now + eventTtlMs : undefined
