/** Which units of a run get pins, and to which revision. Pure. */
import { startingClusters } from './cluster-gates.ts'
import { hasStarted, stageProgress, unitsOf } from './progress.ts'
import type { PinChange, RolloutStage, RolloutUnit, RolloutWorld, RunState } from './world.ts'

/**
 * The pins that units of a started stage get now: clusters start in order, as many at a time as the stage allows; a cluster that has started gets
 * all its units pinned. One that is skipped takes up no place: its units find the revision when it is back, unless it has a gate to go through first.
 */
export const pinsOfStage = (stage: RolloutStage, state: RunState, world: RolloutWorld): readonly PinChange[] => {
  const { progressing, gated, ready, failed, skipped } = stageProgress(stage, state, world)
  const absent = stage.eachCluster.before ? skipped.filter(hasStarted) : skipped
  const started = [...progressing, ...gated, ...ready, ...failed, ...absent]
  return [...startingClusters(stage, state, world), ...started].flatMap(({ units }) =>
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

const toTarget = ({ key }: RolloutUnit): PinChange => ({ key, to: 'target' })
/** Pins a unit to the revision that it had before the run. */
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
