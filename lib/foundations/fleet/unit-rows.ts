/** The units of a fleet, one by one: chosen, sorted and in pages. Pure. */
import { driftedCondition, pruneGuarded } from '../kinds/applied.ts'
import type { KubernetesObject } from '../kinds/object.ts'
import { waitingCondition } from '../kinds/window.ts'
import { clusterNameOf, type Fleet, type FleetCluster, type Unit } from './fleet-clusters.ts'
import { countsOf, type StateCounts } from './fleet-rows.ts'
import { type Needing, neededNames } from './needed-by.ts'
import { type ObjectState, statusCondition, undoneMessage } from './object-state.ts'
import { type PageOptions, pageOf } from './page.ts'
import { hubName } from './versions.ts'

export interface UnitRow extends ObjectState {
  readonly kind: string
  readonly namespace: string
  readonly name: string
  /** `Cluster/apps/prod`, the Secret or ConfigMap with the access, or `hub`. Several Clusters may use one access. */
  readonly clusters: readonly string[]
  readonly labels?: Readonly<Record<string, string>>
  /** Of the condition Ready. */
  readonly reason?: string
  /** When that last changed; RFC 3339. */
  readonly since?: string
  /** What it has applied. */
  readonly revision?: string
  /** Where that comes from: `GitRepository/apps/app`. */
  readonly source?: string
  /** Changes that wait for a window, and until when. */
  readonly waiting?: string
  /** What it keeps since it was undone, and why. */
  readonly undone?: string
  /** What differs on the cluster, where that is only reported. */
  readonly drift?: { readonly since: string; readonly message: string }
}

/** Which units; all conditions that are given must hold. */
export interface UnitFilter {
  readonly kind?: string
  /** A name as in `clusters`. */
  readonly cluster?: string
  readonly states?: readonly string[]
  /** A part of `Kind/namespace/name`, in any case. */
  readonly search?: string
  readonly isDrifted?: boolean
  readonly isWaiting?: boolean
  readonly isUndone?: boolean
  /** Whether it holds deletions back. */
  readonly isHolding?: boolean
  /** What it needs, directly: `GitRepository/apps/app`. */
  readonly source?: string
  /** A part of the revision that it has applied. */
  readonly revision?: string
  /** Whether a Cluster with these labels is one that it applies to. */
  readonly isOnCluster?: (labels: Readonly<Record<string, string>>) => boolean
  /** Its state has changed last at this time or later; RFC 3339. */
  readonly changedSince?: string
  /** Its state has changed last before this time; RFC 3339. */
  readonly unchangedSince?: string
}

export type UnitOrder = 'name' | 'state' | 'since'

export interface UnitPage {
  /** How many match. */
  readonly total: number
  /** Those that match but for their state, by state. */
  readonly counts: StateCounts
  readonly items: readonly UnitRow[]
  /** Pass it as `continue` for those that follow. */
  readonly continue?: string
}

export interface UnitPageOptions extends PageOptions {
  readonly filter: UnitFilter
  readonly order: UnitOrder
}

interface Placed extends Unit {
  readonly on: readonly FleetCluster[]
}

/**
 * The page of matching units in this order, with the counts of their states; the filter's own states don't affect the
 * counts.
 */
export const unitPage = (fleet: Fleet, { filter, order, ...options }: UnitPageOptions): UnitPage => {
  const inAnyState = placedUnits(fleet).filter(unit => matches(unit, filter))
  const { states } = filter
  const found = states ? inAnyState.filter(({ state }) => states.includes(state)) : inAnyState
  const { items, ...page } = pageOf(sorted(found, order), options)
  return { ...page, counts: countsOf(inAnyState), items: items.map(rowOf) }
}

/** Each unit once. */
const placedUnits = ({ clusters, onHub }: Fleet): readonly Placed[] => {
  const placed = new Map<Unit, FleetCluster[]>()
  for (const at of clusters)
    for (const unit of at.units) {
      const on = placed.get(unit) ?? []
      on.push(at)
      placed.set(unit, on)
    }
  for (const unit of onHub) placed.set(unit, [])
  return Array.from(placed, ([unit, on]) => ({ ...unit, on }))
}

const clustersOf = ({ on }: Placed): readonly string[] => (on.length > 0 ? on.map(clusterNameOf) : [hubName])

const matches = (unit: Placed, filter: UnitFilter): boolean =>
  isNamed(unit, filter) && isPlaced(unit, filter) && isAged(unit, filter) && isMarked(unit, filter)

const isPlaced = (unit: Placed, { cluster, isOnCluster }: UnitFilter): boolean =>
  (cluster === undefined || clustersOf(unit).includes(cluster)) &&
  (!isOnCluster || unit.on.some(({ cluster: at }) => at && isOnCluster(at.metadata.labels ?? {})))

/** Neither, if its state has never been reported. */
const isAged = ({ object }: Placed, { changedSince, unchangedSince }: UnitFilter): boolean => {
  if (changedSince === undefined && unchangedSince === undefined) return true
  const since = sinceOf(object)
  return (
    since !== undefined &&
    (changedSince === undefined || since >= changedSince) &&
    (unchangedSince === undefined || since < unchangedSince)
  )
}

const isNamed = ({ object }: Placed, { kind, search }: UnitFilter): boolean =>
  (kind === undefined || object.kind === kind) &&
  (search === undefined || nameOf(object).toLowerCase().includes(search.toLowerCase()))

const isMarked = ({ object }: Placed, filter: UnitFilter): boolean =>
  (!filter.isDrifted || isTrue(object, driftedCondition)) &&
  (!filter.isWaiting || isTrue(object, waitingCondition)) &&
  (!filter.isUndone || undoneMessage(object) !== undefined) &&
  (!filter.isHolding || isTrue(object, pruneGuarded)) &&
  (!filter.source || neededNames(object as Needing).includes(filter.source)) &&
  (!filter.revision || (appliedRevision(object)?.includes(filter.revision) ?? false))

const appliedRevision = ({ status }: KubernetesObject): string | undefined =>
  (status as { readonly lastAppliedRevision?: string } | undefined)?.lastAppliedRevision

const isTrue = (object: KubernetesObject, type: string): boolean => statusCondition(object, type)?.status === 'True'

const nameOf = ({ kind, metadata }: KubernetesObject): string => `${kind}/${metadata.namespace}/${metadata.name}`

const severities: readonly ObjectState['state'][] = ['failed', 'stalled', 'progressing', 'suspended', 'ready']

/** What fails first. */
export const byState = (a: Pick<ObjectState, 'state'>, b: Pick<ObjectState, 'state'>): number =>
  severities.indexOf(a.state) - severities.indexOf(b.state)

const sorted = (units: readonly Placed[], order: UnitOrder): readonly Placed[] => {
  const keyed = units.map(unit => ({ unit, key: nameOf(unit.object), since: sinceOf(unit.object) ?? '' }))
  const byName = (a: (typeof keyed)[number], b: (typeof keyed)[number]): number => (a.key < b.key ? -1 : 1)
  if (order === 'since') keyed.sort((a, b) => (a.since === b.since ? byName(a, b) : a.since > b.since ? -1 : 1))
  else if (order === 'state') keyed.sort((a, b) => byState(a.unit, b.unit) || byName(a, b))
  else keyed.sort(byName)
  return keyed.map(({ unit }) => unit)
}

const sinceOf = (object: KubernetesObject): string | undefined => statusCondition(object, 'Ready')?.lastTransitionTime

const rowOf = (unit: Placed): UnitRow => {
  const { object, state, message } = unit
  const { kind, metadata } = object
  const revision = appliedRevision(object)
  const reason = statusCondition(object, 'Ready')?.reason
  const since = sinceOf(object)
  const waiting = statusCondition(object, waitingCondition)
  const undone = undoneMessage(object)
  const drifted = statusCondition(object, driftedCondition)
  const [source] = kind === 'ResourceSet' ? [] : neededNames(object as Needing)
  return {
    ...{ kind, namespace: metadata.namespace ?? '', name: metadata.name, clusters: clustersOf(unit) },
    ...(metadata.labels && { labels: metadata.labels }),
    ...{ state, message },
    ...(reason && { reason }),
    ...(since && { since }),
    ...(revision && { revision }),
    ...(source && { source }),
    ...(waiting?.status === 'True' && { waiting: waiting.message }),
    ...(undone && { undone }),
    ...(drifted?.status === 'True' && { drift: { since: drifted.lastTransitionTime, message: drifted.message } }),
  }
}
