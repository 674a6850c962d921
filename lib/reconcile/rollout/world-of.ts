import type { Cluster } from '../../foundations/kinds/cluster.ts'
import { durationMs } from '../../foundations/kinds/duration.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { gatesOfStage } from '../../foundations/kinds/rollout-run.ts'
import { countOf, type GateSpec, plansToApprove } from '../../foundations/kinds/rollout-stages.ts'
import { describeTarget, namedTarget } from '../../foundations/kinds/target-reference.ts'
import type {
  ObservedWorld,
  RolloutCluster,
  RolloutStage,
  RolloutUnit,
  RolloutWorld,
} from '../../foundations/rollout/world.ts'
import { isBreakerOpen } from '../../foundations/rules/cluster-breaker.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import { matchesSelector } from '../../foundations/rules/match-labels.ts'
import { accessOf } from '../../foundations/rules/target.ts'
import type { ObservedFleet } from './observe.ts'
import { type KnownRuns, observeUnit, saysOffline } from './unit-state.ts'

/** A cluster of a stage with the objects behind it. */
export interface PlacedCluster extends RolloutCluster {
  readonly object: Cluster | undefined
  readonly members: readonly KubernetesObject[]
}

export interface PlacedStage extends RolloutStage {
  readonly clusters: readonly PlacedCluster[]
}

export interface Placed {
  readonly stages: readonly PlacedStage[]
  readonly unassigned: readonly RolloutUnit[]
}

/** Units by cluster, clusters by stage: each belongs to the first stage that selects it. In the order of their names. */
export const placeFleet = (fleet: ObservedFleet, runs: KnownRuns, now: number): Placed => {
  const objects = new Map(
    fleet.clusters.flatMap(object => {
      const access = namedTarget(object)
      return access ? [[describeTarget(access), object] as const] : []
    }),
  )
  const byAccess = Map.groupBy(fleet.units, unit => {
    const access = accessOf(unit, fleet.namespaces.get(unit.metadata.namespace ?? ''))
    return access ? describeTarget(access) : 'the hub'
  })
  const clusters = [...byAccess]
    .map(([access, members]): PlacedCluster => {
      const object = objects.get(access)
      const name = object ? `${object.metadata.namespace}/${object.metadata.name}` : access
      const units = members.map(unit => observeUnit(unit, runs, now))
      return { name, object, members, units, offline: isOffline(object, members) }
    })
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const stages = runs.target.spec.stages.map(stage => ({ stage, matches: matchesSelector(stage.clusterSelector) }))
  const stageOf = ({ object }: PlacedCluster): number =>
    stages.findIndex(
      ({ stage, matches }) => !stage.clusterSelector || (object !== undefined && matches(object.metadata.labels ?? {})),
    )
  const byStage = Map.groupBy(clusters, stageOf)
  return {
    stages: stages.map(({ stage }, at) => {
      const members = byStage.get(at) ?? []
      const { before, eachCluster = {} } = gatesOfStage(runs.target, at)
      return {
        name: stage.name,
        clusters: members,
        maxConcurrency: Math.max(1, countOf(stage.maxConcurrency ?? 1, members.length)),
        maxFailures: countOf(stage.maxFailures ?? 0, members.length),
        isPlanned: plansToApprove(before) !== undefined,
        eachCluster: { before: isGated(eachCluster.before), after: isGated(eachCluster.after) },
      }
    }),
    unassigned: (byStage.get(-1) ?? []).flatMap(({ units }) => units),
  }
}

const isGated = (gates: readonly GateSpec[] = []): boolean => gates.length > 0

/** A probe says so, or, where there is no Cluster, a unit. */
const isOffline = (object: Cluster | undefined, units: readonly KubernetesObject[]): boolean =>
  object
    ? isBreakerOpen(object) || conditionOf(object.status?.conditions, 'Reachable')?.status === 'False'
    : units.some(saysOffline)

/** What does not change while a pass decides. */
export type Surroundings = Pick<RolloutWorld, 'now' | 'newer' | 'hasPrevious'>

/**
 * The world of a run: its spec with defaults, the clusters in their stages, and what is known of the runs around it.
 */
export const worldOf = (
  { target }: KnownRuns,
  placed: Placed,
  surroundings: Surroundings,
): Omit<ObservedWorld, keyof Placed> & Placed => {
  const { onFailure = 'Pause', offline = 'Skip', supersede = 'Finish', progressDeadline = '10m', order } = target.spec
  return {
    ...placed,
    ...surroundings,
    ...{ onFailure, offline, supersede, order },
    progressDeadlineMs: durationMs(progressDeadline),
  }
}
