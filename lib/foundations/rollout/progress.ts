import type { PinChange, RolloutCluster, RolloutStage, RolloutUnit, RolloutWorld, RunState } from './world.ts'

export type ClusterState = 'pending' | 'progressing' | 'ready' | 'failed' | 'skipped'

/** A failure of before a retry, or of another revision, is none of this run's. */
const isFailed = (unit: RolloutUnit, { retriedAt = 0 }: RunState, { now, progressDeadlineMs }: RolloutWorld): boolean =>
  unit.pin === 'target' &&
  unit.pinnedAt >= retriedAt &&
  (unit.state === 'failed' || (unit.state === 'progressing' && now - unit.pinnedAt >= progressDeadlineMs))

/** How a cluster is doing with the revision of the run: pending while no unit of it may take that. */
export const clusterState = (cluster: RolloutCluster, state: RunState, world: RolloutWorld): ClusterState => {
  if (cluster.offline && world.offline === 'Skip') return 'skipped'
  if (!cluster.units.some(({ pin }) => pin === 'target')) return 'pending'
  if (cluster.units.some(unit => isFailed(unit, state, world))) return 'failed'
  return cluster.units.every(unit => unit.pin === 'target' && unit.state === 'ready') ? 'ready' : 'progressing'
}

/** The clusters of a stage by their state. */
export const stageProgress = (
  { clusters }: RolloutStage,
  state: RunState,
  world: RolloutWorld,
): Readonly<Record<ClusterState, readonly RolloutCluster[]>> => {
  const groups = Map.groupBy(clusters, cluster => clusterState(cluster, state, world))
  const of = (wanted: ClusterState): readonly RolloutCluster[] => groups.get(wanted) ?? []
  return {
    pending: of('pending'),
    progressing: of('progressing'),
    ready: of('ready'),
    failed: of('failed'),
    skipped: of('skipped'),
  }
}

/** Whether all clusters of a stage are ready, have failed, or are skipped. */
export const isSettled = (stage: RolloutStage, state: RunState, world: RolloutWorld): boolean => {
  const { pending, progressing } = stageProgress(stage, state, world)
  return pending.length + progressing.length === 0
}

/** The stages whose clusters may have the revision of the run. */
export const startedStages = ({ stages }: RolloutWorld, { stage, step }: RunState): readonly RolloutStage[] =>
  stages.slice(0, step === 'Before' ? stage : stage + 1)

/**
 * The pins that units of a started stage get now: clusters start in order, as many at a time as the stage allows; a cluster that has started gets
 * all its units pinned. One that is skipped takes up no place: its units find the revision when it is back.
 */
export const pinsOfStage = (stage: RolloutStage, state: RunState, world: RolloutWorld): readonly PinChange[] => {
  const { pending, progressing, ready, failed, skipped } = stageProgress(stage, state, world)
  const free = Math.max(0, stage.maxConcurrency - progressing.length)
  const starting = [...pending.slice(0, free), ...progressing, ...ready, ...failed, ...skipped]
  return starting.flatMap(({ units }) =>
    units
      .filter(unit => needsPin(unit, state))
      .map(unit => ({ ...toTarget(unit), ...(stage.isPlanned && { isPlanned: true }) })),
  )
}

/** The units of a stage whose gates need plans of them. */
export const unproposed = (stage: RolloutStage): readonly string[] =>
  stage.isPlanned
    ? unitsOf([stage])
        .filter(({ pin, isProposed }) => pin !== 'target' && !isProposed)
        .map(({ key }) => key)
    : []

const needsPin = ({ pin, state, pinnedAt }: RolloutUnit, { retriedAt = 0 }: RunState): boolean =>
  pin !== 'target' || (pinnedAt < retriedAt && state !== 'ready')

export const toTarget = ({ key }: RolloutUnit): PinChange => ({ key, to: 'target' })
export const toPrevious = ({ key }: RolloutUnit): PinChange => ({ key, to: 'previous' })

/**
 * The pins of units without one, whose stage has not started: a unit takes the revision of before, or stays at what it runs. Without
 * either it waits for its stage.
 */
export const firstPins = (units: readonly RolloutUnit[], { hasPrevious }: RolloutWorld): readonly PinChange[] =>
  units
    .filter(({ pin }) => pin === 'none')
    .flatMap(unit => {
      if (unit.runs === 'target') return toTarget(unit)
      return hasPrevious ? toPrevious(unit) : []
    })

export const unitsOf = (stages: readonly RolloutStage[]): readonly RolloutUnit[] =>
  stages.flatMap(({ clusters }) => clusters.flatMap(({ units }) => units))
