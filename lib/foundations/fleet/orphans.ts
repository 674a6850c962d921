/** Objects on clusters whose labels name a unit that does not know them. Pure. */
import type { InventoryEntry } from '../kinds/applied.ts'
import { type KubernetesObject, refOf } from '../kinds/object.ts'
import { describeTarget } from '../kinds/target-reference.ts'
import { type BoundCluster, isSameCluster } from '../rules/cluster-binding.ts'
import { inventoryId } from '../rules/inventory.ts'
import { inheritedTarget, TargetError } from '../rules/target.ts'
import { clusterNameOf, type FleetCluster, type FleetObjects, fleetOf, objectName } from './fleet-clusters.ts'
import { statusCondition } from './object-state.ts'
import { type ObjectOwner, ownerOn } from './owner-labels.ts'

/** What was read on a cluster by one access. */
export interface OwnedObjects {
  readonly at: FleetCluster
  readonly identity: BoundCluster
  /** Those with labels of an owner; metadata is enough. */
  readonly objects: readonly KubernetesObject[]
  /** Units of a Flux on the cluster itself, as `Kind/namespace/name`. */
  readonly localUnits: ReadonlySet<string>
}

/** Why no unit knows an object: its unit does not exist, applies to another cluster, or has dropped it from its inventory. */
export type OrphanReason = 'UnitGone' | 'AppliesElsewhere' | 'NotInInventory'

export interface Orphan {
  /** The access by which it was found. */
  readonly at: FleetCluster
  readonly identity: BoundCluster
  readonly object: KubernetesObject
  readonly owner: ObjectOwner
  readonly reason: OrphanReason
  /** The unit of the hub that its labels name, unless that is gone. */
  readonly unit?: KubernetesObject
}

export interface Orphans {
  /** By cluster, unit and inventory id. */
  readonly found: readonly Orphan[]
  /** Units that objects outside of their inventory name, but which are at work, not ready, or on a cluster that could not be read. */
  readonly undecided: readonly string[]
}

/**
 * The objects that no unit knows. Read the hub after the clusters: what a unit has applied in the meantime is in its inventory then. Only a unit
 * that is Ready is believed, as one at work records what it applied at the end.
 */
export const orphansIn = (hub: FleetObjects, read: readonly OwnedObjects[]): Orphans => {
  const isRead = new Set(read.map(({ at }) => describeTarget(at.access)))
  const units = placedUnits(hub)
  const undecided = new Set<string>()
  const found = sameClusters(read).flatMap(group => {
    const { at, identity } = group[0]!
    const here = new Set(group.map(({ at: { access } }) => describeTarget(access)))
    const isHere = ({ access }: PlacedUnit): boolean => access === undefined || here.has(access)
    const known = new Set(
      [...units.values()]
        .flat()
        .filter(isHere)
        .flatMap(({ object }) => idsOf(object)),
    )
    return objectsOf(group).flatMap(({ object, ids, owner }): readonly Orphan[] => {
      if (group.some(({ localUnits }) => localUnits.has(owner.unit))) return []
      if (ids.some(id => known.has(id))) return []
      const named = units.get(owner.unit) ?? []
      if (named.some(({ object: unit, access }) => !isSettled(unit) || (access !== undefined && !isRead.has(access)))) {
        undecided.add(owner.unit)
        return []
      }
      const unit = (named.find(isHere) ?? named[0])?.object
      const reason = !unit ? 'UnitGone' : named.some(isHere) ? 'NotInInventory' : 'AppliesElsewhere'
      return [{ at, identity, object, owner, reason, ...(unit && { unit }) }]
    })
  })
  return { found: found.toSorted((a, b) => compare(sortKey(a), sortKey(b))), undecided: [...undecided].sort() }
}

interface PlacedUnit {
  readonly object: KubernetesObject
  /** Absent for what applies to the hub itself, or to no cluster as its annotation is invalid: its inventory counts everywhere. */
  readonly access?: string
}

/** By the names that labels on a cluster may give them: with an inherited target, the namespace there may be another. */
const placedUnits = (hub: FleetObjects): ReadonlyMap<string, readonly PlacedUnit[]> => {
  const namespaces = new Map(hub.namespaces.map(namespace => [namespace.metadata.name, namespace]))
  const { clusters, onHub } = fleetOf(hub)
  const placed = [
    ...clusters.flatMap(({ access, units }) => units.map(({ object }) => ({ object, access: describeTarget(access) }))),
    ...onHub.map(({ object }) => ({ object })),
  ]
  const units = new Map<string, PlacedUnit[]>()
  for (const unit of placed)
    for (const name of namesOf(unit.object, namespaces.get(unit.object.metadata.namespace ?? '')))
      units.set(name, [...(units.get(name) ?? []), unit])
  return units
}

const namesOf = (object: KubernetesObject, namespace: KubernetesObject | undefined): ReadonlySet<string> => {
  const own = objectName(object)
  try {
    const there = inheritedTarget(object, namespace)?.namespace
    return new Set(there === undefined ? [own] : [own, `${object.kind}/${there}/${object.metadata.name}`])
  } catch (error) {
    if (error instanceof TargetError) return new Set([own])
    throw error
  }
}

interface Applied {
  readonly status?: {
    readonly observedGeneration?: number
    readonly inventory?: { readonly entries: readonly InventoryEntry[] }
  }
}

const idsOf = (unit: KubernetesObject): readonly string[] =>
  ((unit as Applied).status?.inventory?.entries ?? []).map(({ id }) => id)

const isSettled = (unit: KubernetesObject): boolean => {
  const { metadata } = unit
  const { observedGeneration, inventory } = (unit as Applied).status ?? {}
  return (
    statusCondition(unit, 'Ready')?.status === 'True' &&
    statusCondition(unit, 'Reconciling')?.status !== 'True' &&
    observedGeneration === metadata.generation &&
    metadata.deletionTimestamp === undefined &&
    inventory !== undefined
  )
}

/** What was read of each cluster, by whatever access. */
const sameClusters = (read: readonly OwnedObjects[]): readonly (readonly OwnedObjects[])[] => {
  const groups: OwnedObjects[][] = []
  for (const one of read) {
    const group = groups.find(([first]) => isSameCluster(first!.identity, one.identity))
    if (group) group.push(one)
    else groups.push([one])
  }
  return groups
}

/** The objects of a cluster that a unit may have written, each once: a cluster may serve one in several groups, as OpenShift does Roles. */
const objectsOf = (group: readonly OwnedObjects[]) => {
  const byUid = Map.groupBy(
    group.flatMap(({ objects }) => objects),
    ({ metadata }) => metadata.uid,
  )
  return [...byUid.values()].flatMap(same => {
    const object = same[0]!
    const owner = ownerOn(object)
    return owner && !isMadeByOthers(object) ? [{ object, ids: same.map(one => inventoryId(refOf(one))), owner }] : []
  })
}

/** Controllers copy labels to what they make; Helm's hooks are in no inventory; what is being deleted is no one's concern. */
const isMadeByOthers = ({ kind, metadata }: KubernetesObject): boolean =>
  (metadata.ownerReferences ?? []).length > 0 ||
  kind === 'Endpoints' ||
  metadata.annotations?.['helm.sh/hook'] !== undefined ||
  metadata.deletionTimestamp !== undefined

const sortKey = ({ at, owner, object }: Orphan): string =>
  `${clusterNameOf(at)} ${owner.unit} ${inventoryId(refOf(object))}`

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
