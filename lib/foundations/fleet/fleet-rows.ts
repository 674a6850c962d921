/** The clusters of a fleet, each in a row with the states of its units. Pure. */
import { waitingCondition } from '../kinds/window.ts'
import { clusterNameOf, type FleetCluster, type Unit } from './fleet-clusters.ts'
import { type ObjectState, statusCondition } from './object-state.ts'

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

/** The row of a cluster. */
export const rowOf = (at: FleetCluster): FleetRow => {
  const { cluster } = at
  const ready = cluster && statusCondition(cluster, 'Ready')?.status
  return {
    cluster: clusterNameOf(at),
    ...(ready !== undefined && ready !== 'Unknown' && { ready: ready === 'True' }),
    ...(cluster?.status?.kubernetesVersion && { version: cluster.status.kubernetesVersion }),
    ...unitCounts(at.units),
  }
}

/** The row of what applies to the hub itself. */
export const hubRow = (units: readonly Unit[]): FleetRow => ({ cluster: 'hub', ...unitCounts(units) })

const unitCounts = (units: readonly Unit[]): Pick<FleetRow, 'units' | 'waiting' | 'kinds'> => {
  const kinds = Map.groupBy(units, ({ object }) => object.kind)
  return {
    units: countsOf(units),
    waiting: units.filter(isWaiting).length,
    kinds: Object.fromEntries([...kinds].sort().map(([kind, ofKind]) => [kind, countsOf(ofKind)])),
  }
}

const troubleOf = ({ ready, units }: FleetRow): number => (ready === false ? 1e9 : 0) + units.failed + units.stalled

/** The one in which more is wrong first. */
export const byTrouble = (a: FleetRow, b: FleetRow): number =>
  troubleOf(b) - troubleOf(a) || b.units.progressing - a.units.progressing || (a.cluster < b.cluster ? -1 : 1)

/** How many units are in each state, and in all. */
export const countsOf = (units: readonly ObjectState[]): StateCounts => {
  const counts = { ready: 0, progressing: 0, failed: 0, stalled: 0, suspended: 0 }
  for (const { state } of units) counts[state] += 1
  return { total: units.length, ...counts }
}

const isWaiting = ({ object }: Unit): boolean => statusCondition(object, waitingCondition)?.status === 'True'
