import type { ObservedWorld, RolloutCluster, RolloutStage, RolloutUnit, RolloutWorld, RunState } from './world.ts'

/** Gated: its units are ready, but a gate after it was never open. */
export type ClusterState = 'pending' | 'progressing' | 'gated' | 'ready' | 'failed' | 'skipped'

/** A failure of before a retry, or of another revision, is none of this run's. */
const isFailed = (
  unit: RolloutUnit,
  { retriedAt = 0 }: RunState,
  { now, progressDeadlineMs }: ObservedWorld,
): boolean =>
  unit.pin === 'target' &&
  unit.pinnedAt >= retriedAt &&
  (unit.state === 'failed' || (unit.state === 'progressing' && now - unit.pinnedAt >= progressDeadlineMs))

/** How a cluster is doing with the revision of the run: pending while no unit of it may take that. */
const clusterState = (
  cluster: RolloutCluster,
  stage: RolloutStage,
  state: RunState,
  world: ObservedWorld,
): ClusterState => {
  if (cluster.offline && world.offline === 'Skip') return 'skipped'
  if (!hasStarted(cluster)) return 'pending'
  if (cluster.units.some(unit => isFailed(unit, state, world))) return 'failed'
  if (!cluster.units.every(unit => unit.pin === 'target' && unit.state === 'ready')) return 'progressing'
  return hasPassed(cluster, stage, state, world) ? 'ready' : 'gated'
}

export const hasStarted = ({ units }: RolloutCluster): boolean => units.some(({ pin }) => pin === 'target')

/** Gates after a cluster hold up its stage, while that is under way. */
const hasPassed = (
  { name }: RolloutCluster,
  stage: RolloutStage,
  { stage: at, step, passed }: RunState,
  { stages }: ObservedWorld,
): boolean =>
  !stage.eachCluster.after || step !== 'Rolling' || stages[at]?.name !== stage.name || passed?.includes(name) === true

/** The clusters of a stage by their state. */
export const stageProgress = (
  stage: RolloutStage,
  state: RunState,
  world: ObservedWorld,
): Readonly<Record<ClusterState, readonly RolloutCluster[]>> => {
  const groups = Map.groupBy(stage.clusters, cluster => clusterState(cluster, stage, state, world))
  const of = (wanted: ClusterState): readonly RolloutCluster[] => groups.get(wanted) ?? []
  return {
    pending: of('pending'),
    progressing: of('progressing'),
    gated: of('gated'),
    ready: of('ready'),
    failed: of('failed'),
    skipped: of('skipped'),
  }
}

/** Whether all clusters of a stage are ready, have failed, or are skipped. */
export const isSettled = (stage: RolloutStage, state: RunState, world: RolloutWorld): boolean => {
  const { pending, progressing, gated } = stageProgress(stage, state, world)
  return pending.length + progressing.length + gated.length === 0
}

/** The stages whose clusters may have the revision of the run. */
export const startedStages = ({ stages }: ObservedWorld, { stage, step }: RunState): readonly RolloutStage[] =>
  stages.slice(0, step === 'Before' ? stage : stage + 1)

/** All units of these stages, in the order of stages and clusters. */
export const unitsOf = (stages: readonly RolloutStage[]): readonly RolloutUnit[] =>
  stages.flatMap(({ clusters }) => clusters.flatMap(({ units }) => units))
