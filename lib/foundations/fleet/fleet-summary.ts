/** A fleet at a glance: how many units are in which state, why some fail, and each cluster in a row. Pure. */
import { waitingCondition } from '../kinds/window.ts'
import type { Cause } from './cause.ts'
import { clusterNameOf, type Fleet, type FleetCluster, type Unit } from './fleet-clusters.ts'
import { type ObjectState, objectStateOf, statusCondition, undoneMessage } from './object-state.ts'

/** Units by state. */
export type StateCounts = Readonly<Record<'total' | ObjectState['state'], number>>

/** One cluster of the fleet. */
export interface FleetRow {
  /** The Cluster, or the Secret or ConfigMap with its access; `hub` for what applies to the hub itself. */
  readonly cluster: string
  /** Absent where it is not probed. */
  readonly ready?: boolean
  readonly version?: string
  readonly units: StateCounts
  /** How many of them have work that waits for a window. */
  readonly waiting: number
  /** The units by kind. */
  readonly kinds: Readonly<Record<string, StateCounts>>
}

/** A cause, with as many names as have room. */
export interface CauseSummary extends Omit<Cause, 'clusters' | 'units'> {
  readonly clusters: Names
  readonly units: Names
}

export interface Names {
  readonly total: number
  readonly names: readonly string[]
}

export interface FleetSummary {
  readonly clusters: { readonly total: number; readonly ready: number; readonly unreachable: number }
  readonly units: StateCounts
  /** How many of them were undone; absent for none. */
  readonly undone?: number
  readonly causes: readonly CauseSummary[]
  /** How many more causes there are than are listed. */
  readonly moreCauses: number
  /** The clusters in which most is wrong first. */
  readonly rows: readonly FleetRow[]
  /** Pass it as `continue` for the rows that follow; absent with the last ones. */
  readonly continue?: string
}

export interface SummaryOptions {
  /** The most rows, causes, and names in a cause. */
  readonly limit: number
  readonly maxNames: number
  readonly continue?: string
}

/**
 * Counts of clusters and units, causes of failures, and a page of clusters with the worst ones first. A unit that
 * several clusters have counts once. `causes` are in their order.
 */
export const summaryOf = (fleet: Fleet, causes: readonly Cause[], options: SummaryOptions): FleetSummary => {
  const { limit, maxNames } = options
  const rows = [...fleet.clusters.map(rowOf), ...(fleet.onHub.length > 0 ? [hubRow(fleet.onHub)] : [])].sort(byTrouble)
  const from = Number(options.continue ?? 0)
  const next = from + limit
  const unique = [...new Set([...fleet.clusters.flatMap(({ units }) => units), ...fleet.onHub])]
  const undone = unique.filter(({ object }) => undoneMessage(object)).length
  return {
    clusters: {
      total: fleet.clusters.length,
      ready: fleet.clusters.filter(({ cluster }) => cluster && objectStateOf(cluster).state === 'ready').length,
      unreachable: fleet.clusters.filter(({ cluster }) => cluster && reachableOf(cluster) === 'False').length,
    },
    units: countsOf(unique),
    ...(undone > 0 && { undone }),
    causes: causes.slice(0, limit).map(cause => ({
      ...cause,
      clusters: { total: cause.clusters.length, names: cause.clusters.slice(0, maxNames) },
      units: { total: cause.units.length, names: cause.units.slice(0, maxNames) },
    })),
    moreCauses: Math.max(0, causes.length - limit),
    rows: rows.slice(from, next),
    ...(next < rows.length && { continue: String(next) }),
  }
}

/** How many units are in each state, and in all. */
export const countsOf = (units: readonly ObjectState[]): StateCounts => {
  const counts = { ready: 0, progressing: 0, failed: 0, stalled: 0, suspended: 0 }
  for (const { state } of units) counts[state] += 1
  return { total: units.length, ...counts }
}

const isWaiting = ({ object }: Unit): boolean => statusCondition(object, waitingCondition)?.status === 'True'

const reachableOf = (cluster: NonNullable<FleetCluster['cluster']>): string | undefined =>
  statusCondition(cluster, 'Reachable')?.status

const rowOf = (at: FleetCluster): FleetRow => {
  const { cluster } = at
  const ready = cluster && statusCondition(cluster, 'Ready')?.status
  return {
    cluster: clusterNameOf(at),
    ...(ready !== undefined && ready !== 'Unknown' && { ready: ready === 'True' }),
    ...(cluster?.status?.kubernetesVersion && { version: cluster.status.kubernetesVersion }),
    ...unitCounts(at.units),
  }
}

const hubRow = (units: readonly Unit[]): FleetRow => ({ cluster: 'hub', ...unitCounts(units) })

const unitCounts = (units: readonly Unit[]): Pick<FleetRow, 'units' | 'waiting' | 'kinds'> => {
  const kinds = Map.groupBy(units, ({ object }) => object.kind)
  return {
    units: countsOf(units),
    waiting: units.filter(isWaiting).length,
    kinds: Object.fromEntries([...kinds].sort().map(([kind, ofKind]) => [kind, countsOf(ofKind)])),
  }
}

const troubleOf = ({ ready, units }: FleetRow): number => (ready === false ? 1e9 : 0) + units.failed + units.stalled

const byTrouble = (a: FleetRow, b: FleetRow): number =>
  troubleOf(b) - troubleOf(a) || b.units.progressing - a.units.progressing || (a.cluster < b.cluster ? -1 : 1)
