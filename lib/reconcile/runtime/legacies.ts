import type { InventoryEntry } from '../../foundations/kinds/applied.ts'
import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { inventoryUnion } from '../../foundations/rules/inventory.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'

/** What deleted units have left to others: entries of their inventories, in records that are not API objects. */
export interface Legacies {
  /** The entries that were left to a unit. */
  read(successor: ObjectRef): Promise<readonly InventoryEntry[]>
  /** Adds entries for a unit. */
  leave(successor: ObjectRef, entries: readonly InventoryEntry[]): Promise<void>
  /** Called once the unit has these entries in its own inventory; later ones stay. */
  take(successor: ObjectRef, entries: readonly InventoryEntry[]): Promise<void>
}

/** The records in a hub's store. A lost race fails with a StoreError: the pass is retried. */
export const legacies = (objects: Pick<ObjectStore, 'get' | 'commit'>): Legacies => {
  const find = async (successor: ObjectRef) => {
    const ref = placeOf(successor)
    const record = await objects.get(ref)
    return { ref, record, entries: record ? (JSON.parse(record.body) as readonly InventoryEntry[]) : [] }
  }
  return {
    read: async successor => (await find(successor)).entries,
    async leave(successor, entries) {
      const { ref, record, entries: before } = await find(successor)
      const change = { ref, body: JSON.stringify(inventoryUnion(before, entries)), refersTo: [] }
      await objects.commit(record ? { op: 'update', expect: record.version, ...change } : { op: 'create', ...change })
    },
    async take(successor, entries) {
      const { ref, record, entries: before } = await find(successor)
      if (!record) return
      const taken = new Set(entries.map(({ id }) => id))
      const rest = before.filter(({ id }) => !taken.has(id))
      const { version: expect, body } = record
      if (rest.length === 0) await objects.commit({ op: 'delete', ref, expect, body })
      else await objects.commit({ op: 'update', ref, expect, body: JSON.stringify(rest), refersTo: [] })
    },
  }
}

const placeOf = ({ group, kind, namespace, name }: ObjectRef): ObjectRef => ({
  group: `legacy.unit.${group}`,
  kind,
  namespace,
  name,
})
