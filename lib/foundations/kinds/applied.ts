/** Status fields of the kinds that apply objects: the inventory and the history. */
import type { TypeOf } from './schema/schema.ts'
import { integer, list, map, object, optional, text } from './schema/schema.ts'

const inventoryEntry = object('An applied object.', {
  id: text('`<namespace>_<name>_<group>_<kind>`.'),
  v: text('API version with which the object was applied.'),
})

export const inventory = object('Inventory of the applied objects.', { entries: list('The objects.', inventoryEntry) })

export const snapshot = object('The reconciliations of one set of objects.', {
  digest: text('Checksum of the objects, as `<algorithm>:<hex>`.'),
  firstReconciled: text('Time of the first reconciliation.', { format: 'date-time' }),
  lastReconciled: text('Time of the last reconciliation.', { format: 'date-time' }),
  lastReconciledDuration: text('Duration.'),
  lastReconciledStatus: text('Result.'),
  totalReconciliations: integer('Number of reconciliations.', { format: 'int64' }),
  metadata: optional(map('Further metadata, such as the revision.', text('Value of the metadata.'))),
})

/** Condition type of a unit whose objects were changed on the cluster, which it only reports. */
export const driftedCondition = 'Drifted'
/** Keelson's own annotation of a Kustomization: with the value `report`, what was changed on the cluster is reported, and not corrected. */
export const driftAnnotation = 'kustomize.keelson.dev/drift'

/** Condition type and reason of a unit that holds deletions back. */
export const pruneGuarded = 'PruneGuarded'
/** Annotation of a unit: approves a list of deletions by its digest, see `approvedDigest`. */
export const allowPruneAnnotation = 'keelson.dev/allow-prune'

/** Condition type, and event reason, of a Kustomization whose kustomization file has fields that kustomize does not know. */
export const fieldsIgnored = 'FieldsIgnored'

export type InventoryEntry = TypeOf<typeof inventoryEntry>
export type Snapshot = TypeOf<typeof snapshot>

/** Metadata that replaces an object's own on all applied objects. */
export const commonMetadata = object('Metadata to set on every object, overriding its own.', {
  labels: optional(map('Labels to add.', text('Value of a label.'))),
  annotations: optional(map('Annotations to add.', text('Value of an annotation.'))),
})
