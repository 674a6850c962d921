import type { KubernetesObject, ObjectRef } from '../../foundations/kinds/object.ts'
import { refOf } from '../../foundations/kinds/object.ts'
import type { PlanApproval } from '../../foundations/kinds/plan.ts'
import type { BoundCluster } from '../../foundations/rules/cluster-binding.ts'
import type { KeptBuild } from '../../foundations/rules/kept-builds.ts'
import type { GuardMemory } from '../../foundations/rules/prune-guard.ts'
import type { ObjectStore } from '../../platform/ports/objects.ts'
import type { SignedFor } from '../approvals/signatures.ts'

/** Facts about a unit (a Kustomization or ResourceSet) that the hub keeps between passes. */
export interface UnitFacts {
  /** The cluster that the inventory belongs to. */
  readonly cluster?: BoundCluster
  readonly guard?: GuardMemory
  /** What the unit may apply without another approval. */
  readonly approved?: ApprovedBuild
  /** Digest of the build that it had applied in full when its changes last needed approval. It is stored. */
  readonly stored?: string
  /** Manifests that it has applied with success, newest first. */
  readonly kept?: readonly KeptBuild[]
}

/** A build that was applied, or is being applied, by an approved plan or while no approval was required. */
export interface ApprovedBuild {
  /** Digest of the build. */
  readonly build: string
  /** Of the unit's spec. */
  readonly generation: number
  /** The plan by which it is being applied. */
  readonly plan?: PlanApproval
  /** Where signatures are demanded: what else was signed with it. */
  readonly signed?: SignedFor
}

/**
 * Facts about units, in records that are not API objects: unlike a status, only the hub can write them. They are bound to the unit's UID,
 * so that a new object of the same name starts without any.
 */
export interface UnitMemory {
  read(unit: KubernetesObject): Promise<UnitFacts>
  /** Only the holder of the unit's lease writes; a lost race fails with a StoreError and the pass is retried. */
  write(unit: KubernetesObject, facts: UnitFacts): Promise<void>
  /** Called once the unit is deleted. */
  forget(unit: KubernetesObject): Promise<void>
}

/** The records in a hub's store, a few hundred bytes each. */
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
