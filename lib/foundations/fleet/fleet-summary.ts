/** A fleet at a glance: how many units are in which state, why some fail, and each cluster in a row. Pure. */
import type { Cause } from './cause.ts'
import { type ClusterGroup, type GroupingLabel, groupedRows, labelsToGroup } from './cluster-groups.ts'
import type { Fleet, FleetCluster } from './fleet-clusters.ts'
import { byTrouble, countsOf, type FleetRow, hubRow, rowOf, type StateCounts } from './fleet-rows.ts'
import { type ObjectState, objectStateOf, statusCondition, undoneMessage } from './object-state.ts'

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
  readonly clusters: {
    readonly total: number
    readonly ready: number
    readonly unreachable: number
    /** How many respond, and have units that fail. */
    readonly failing: number
  }
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
  /** The labels of clusters by which these can be grouped. */
  readonly labels: readonly GroupingLabel[]
  /** If a label is given. */
  readonly groups?: readonly ClusterGroup[]
  readonly moreGroups?: number
}

export interface SummaryOptions {
  /** The most rows, causes, and names in a cause. */
  readonly limit: number
  readonly maxNames: number
  readonly continue?: string
  /** A label of clusters. */
  readonly groupBy?: string
}

/**
 * Counts of clusters and units, causes of failures, and a page of clusters with the worst ones first. A unit that
 * several clusters have counts once. `causes` are in their order.
 */
export const summaryOf = (fleet: Fleet, causes: readonly Cause[], options: SummaryOptions): FleetSummary => {
  const { limit, maxNames, groupBy } = options
  const clusters = fleet.clusters.map(at => ({ labels: at.cluster?.metadata.labels ?? {}, row: rowOf(at) }))
  const onHub = fleet.onHub.length > 0 ? [{ labels: {}, row: hubRow(fleet.onHub) }] : []
  const rows = [...clusters, ...onHub].sort((a, b) => byTrouble(a.row, b.row))
  const from = Number(options.continue ?? 0)
  const next = from + limit
  const unique = [...new Set([...fleet.clusters.flatMap(({ units }) => units), ...fleet.onHub])]
  const undone = unique.filter(({ object }) => undoneMessage(object)).length
  return {
    clusters: {
      total: fleet.clusters.length,
      ready: fleet.clusters.filter(({ cluster }) => cluster && objectStateOf(cluster).state === 'ready').length,
      unreachable: fleet.clusters.filter(isUnreachable).length,
      failing: fleet.clusters.filter(at => !isUnreachable(at) && at.units.some(isFailing)).length,
    },
    units: countsOf(unique),
    ...(undone > 0 && { undone }),
    causes: causes.slice(0, limit).map(cause => ({
      ...cause,
      clusters: { total: cause.clusters.length, names: cause.clusters.slice(0, maxNames) },
      units: { total: cause.units.length, names: cause.units.slice(0, maxNames) },
    })),
    moreCauses: Math.max(0, causes.length - limit),
    rows: rows.slice(from, next).map(({ row }) => row),
    ...(next < rows.length && { continue: String(next) }),
    labels: labelsToGroup(fleet.clusters),
    ...(groupBy !== undefined && groupedRows(rows, groupBy)),
  }
}

const isUnreachable = ({ cluster }: FleetCluster): boolean =>
  cluster !== undefined && statusCondition(cluster, 'Reachable')?.status === 'False'

const isFailing = ({ state }: ObjectState): boolean => state === 'failed' || state === 'stalled'
