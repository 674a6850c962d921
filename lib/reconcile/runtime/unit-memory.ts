import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { BoundCluster } from '../../foundations/rules/cluster-binding.ts'
import type { GuardMemory } from '../../foundations/rules/prune-guard.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'

/** What the hub itself knows of a unit (a Kustomization or ResourceSet) from one pass to the next, and trusts. */
export interface UnitFacts {
  /** The cluster that the inventory is about. */
  readonly cluster?: BoundCluster
  readonly guard?: GuardMemory
}

/**
 * Facts about units, in records of no API kind: unlike a status, nobody but the hub writes them. They are bound to the unit's UID, so
 * that a new object of the same name starts without.
 */
export interface UnitMemory {
  read(unit: KubernetesObject): Promise<UnitFacts>
  /** Only the writer that holds the unit's lease gets here; a lost race fails with a StoreError and the pass is retried. */
  write(unit: KubernetesObject, facts: UnitFacts): Promise<void>
  /** Once the unit is gone. */
  forget(unit: KubernetesObject): Promise<void>
}

export const unitMemory = (objects: Pick<ObjectStore, 'get' | 'commit'>): UnitMemory => ({
  async read(unit) {
    const record = await objects.get(placeOf(unit))
    return record ? (JSON.parse(record.body) as UnitFacts) : {}
  },
  async write(unit, facts) {
    const ref = placeOf(unit)
    const known = await objects.get(ref)
    const record = { ref, body: JSON.stringify(facts), refersTo: [] }
    await objects.commit(known ? { op: 'update', expect: known.version, ...record } : { op: 'create', ...record })
  },
  async forget(unit) {
    const ref = placeOf(unit)
    const known = await objects.get(ref)
    if (known) await objects.commit({ op: 'delete', ref, expect: known.version, body: known.body })
  },
})

const placeOf = (unit: KubernetesObject): ObjectRef => {
  const { group, kind, namespace, name } = refOf(unit)
  return { group: `facts.unit.${group}`, kind, namespace, name: unit.metadata.uid ?? name }
}
