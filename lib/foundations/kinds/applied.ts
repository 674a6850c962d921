/** Status fields of the kinds that apply objects: the inventory and the history. */
import type { TypeOf } from './schema/schema.ts'
import { integer, list, map, object, optional, text } from './schema/schema.ts'

const inventoryEntry = object('An object that was applied.', {
  id: text('`<namespace>_<name>_<group>_<kind>`.'),
  v: text('API version it was applied in.'),
})

export const inventory = object('All that was applied.', { entries: list('The objects.', inventoryEntry) })

export const snapshot = object('How reconciling the same objects went, over time.', {
  digest: text('Checksum of the objects, as `<algorithm>:<hex>`.'),
  firstReconciled: text('When they were first reconciled.', { format: 'date-time' }),
  lastReconciled: text('When they were last reconciled.', { format: 'date-time' }),
  lastReconciledDuration: text('How long that took.'),
  lastReconciledStatus: text('How that ended.'),
  totalReconciliations: integer('How often they were reconciled.', { format: 'int64' }),
  metadata: optional(map('More about them, such as the revision.', text('Value of the fact.'))),
})

export type InventoryEntry = TypeOf<typeof inventoryEntry>
export type Snapshot = TypeOf<typeof snapshot>

/** Metadata that replaces an object's own on all applied objects. */
export const commonMetadata = object('Put on every object, in place of what it says itself.', {
  labels: optional(map('Labels to put on.', text('Value of a label.'))),
  annotations: optional(map('Annotations to put on.', text('Value of an annotation.'))),
})
