import type { KubernetesObject } from '../kinds/object.ts'
import type { Fleet } from './fleet-clusters.ts'

/** How much of what there is. */
export interface FleetCounts {
  readonly units: number
  readonly clusters: number
  readonly sources: number
  readonly rollouts: number
}

/** `others` are sources and Rollouts. A unit that several clusters have counts once. */
export const countFleet = ({ clusters, onHub }: Fleet, others: readonly KubernetesObject[]): FleetCounts => {
  const rollouts = others.filter(({ kind }) => kind === 'Rollout').length
  return {
    units: new Set([...clusters.flatMap(({ units }) => units), ...onHub]).size,
    clusters: clusters.length,
    sources: others.length - rollouts,
    rollouts,
  }
}
