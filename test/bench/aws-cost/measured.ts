import type { Units } from '../../bed/aws/simulated-dynamo.ts'
import type { UnitKind } from './simulated-fleet.ts'
import type { UsageByFunction } from './usage.ts'

/** An hour has all that a tick does now and then. */
export const minutesAtRest = 60

export interface Scene {
  readonly units: UnitKind
  readonly clusters: number
  readonly perCluster: number
  readonly intervalMinutes: number
  readonly repositories: number
}

export interface Measured {
  /** An hour of a hub without a fleet, and of one that has its repositories only. */
  readonly empty: UsageByFunction
  readonly sources: UsageByFunction
  /** The fleet at rest. */
  readonly rest: {
    readonly usage: UsageByFunction
    readonly looks: ReadonlyMap<string, number>
    readonly calls: ReadonlyMap<string, readonly number[]>
  }
  /** The same with a Cluster for each cluster; and beyond that, what it takes to write that each of them was seen. */
  readonly probed: {
    readonly usage: UsageByFunction
    readonly bySort: UnitsBySort
    readonly contacts: UsageByFunction
  }
  readonly pushes?: MeasuredPushes
  /** Units of the table by the sort of item, at rest. */
  readonly bySort: UnitsBySort
  readonly tableBytes: number
  /** Objects in the bucket: a list tells of a thousand. */
  readonly bucketObjects: number
  readonly metrics: number
}

/** A push that changes one Kustomization of a cluster, and one that changes all of them. */
export interface MeasuredPushes {
  readonly ofOne: UsageByFunction
  readonly ofAll: UsageByFunction
  /** Units of the table by the sort of item, of each. */
  readonly bySortOfOne: UnitsBySort
  readonly bySortOfAll: UnitsBySort
}

export type UnitsBySort = ReadonlyMap<string, Units>
