import type { Rollout } from '../../foundations/kinds/rollout.ts'
import {
  orderedByAnnotation,
  type RolloutRun,
  revisionsIn,
  type StageStatus,
} from '../../foundations/kinds/rollout-run.ts'
import { closedGates } from '../../foundations/rollout/closed-gates.ts'
import { decide } from '../../foundations/rollout/decide.ts'
import { stageProgress, unitsOf } from '../../foundations/rollout/progress.ts'
import type { RolloutWorld, RunState } from '../../foundations/rollout/world.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Evaluations } from '../heavy-work/evaluations.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { gateResults } from './gates.ts'
import type { GatePorts } from './judge-gate.ts'
import type { ObservedFleet } from './observe.ts'
import { type RunStorePorts, stateOf, statusOf, storeStatus } from './run-store.ts'
import { plansOfStage, statusOfPlans } from './stage-plans.ts'
import type { KnownRuns } from './unit-state.ts'
import { type Placed, placeFleet, worldOf } from './world-of.ts'
import { writePins, writeProposals } from './write-pins.ts'

export interface DrivePorts extends RunStorePorts {
  readonly clock: Clock
  readonly gates: GatePorts
}

/** Where a run is after a pass. */
export interface Driven {
  readonly run: RolloutRun
  readonly state: RunState
  readonly waitsFor: readonly string[]
  /** When to decide again, if time may change the decision. */
  readonly recheckAt?: number | undefined
  /** Units are under way, which may change the decision at any time. */
  readonly isMoving: boolean
  readonly hasMorePins: boolean
  /** When a unit last got a pin, in milliseconds since the epoch. */
  readonly lastPinAt: number
  readonly units: number
  readonly unassigned: number
}

/** Decides until nothing more is to be decided: stores each state before anything follows from it, then pins units. */
export const driveRun = async (
  fleet: ObservedFleet,
  runs: KnownRuns,
  newer: RolloutWorld['newer'],
  {
    pass,
    evaluations,
    ports,
  }: {
    readonly pass: Pass<Rollout>
    readonly evaluations: Evaluations
    readonly ports: DrivePorts
  },
): Promise<Driven> => {
  const now = ports.clock.now()
  const placed = placeFleet(fleet, runs, now)
  const base = worldOf(runs, placed, { now, newer, hasPrevious: runs.previous !== undefined })
  let run = runs.target
  let state = stateOf(run, now)
  if (run.status?.phase === undefined) {
    const startedAt = timestamp(now)
    run = await storeStatus(run, { ...statusOf(state), startedAt, message: 'begins' }, ports)
    pass.event(eventOf(run, state, `begins with ${revisionsOf(run)}`))
  }
  for (;;) {
    const gates = await gateResults(run, state, base, {
      ...{ now, evaluations, signal: pass.signal },
      ports: ports.gates,
    })
    const world: RolloutWorld = { ...base, ...gates }
    const decision = decide(state, world)
    pass.signal.throwIfAborted()
    const stages = progressOf(run, state, decision.type === 'move' ? decision.state : state, { ...world, ...placed })
    if (decision.type === 'hold') {
      const closed = closedGates(state, world)
      const change = { stages, waitsFor: decision.waitsFor, closedGates: closed.length > 0 ? closed : null }
      run = await storeStatus(run, change, ports)
      const { waitsFor, recheckAt, pins, proposals = [] } = decision
      const options = { hub: ports.hub, now, signal: pass.signal }
      const hasMoreProposals = await writeProposals(proposals, runs, options)
      const hasMorePins = (await writePins(pins, runs, options)) || hasMoreProposals
      const lastPinAt = pins.length > 0 ? now : Math.max(0, ...unitsOf(placed.stages).map(({ pinnedAt }) => pinnedAt))
      const counts = { units: fleet.units.length, unassigned: placed.unassigned.length }
      const isMoving = pins.length > 0 || isUnderWay(state, world)
      return { run, state, waitsFor, recheckAt, isMoving, hasMorePins, lastPinAt, ...counts }
    }
    const finishedAt = isEnd(decision.state) ? timestamp(now) : null
    const message = state.order === decision.state.order ? decision.message : `${decision.message}${orderedBy(run)}`
    const change = { ...statusOf(decision.state), message, stages, finishedAt }
    run = await storeStatus(run, change, ports)
    state = decision.state
    pass.event(eventOf(run, state, message))
  }
}

/** Whether units of the step under way are on their way; not if all its clusters are at gates. */
const isUnderWay = (state: RunState, world: RolloutWorld): boolean => {
  const stage = world.stages[state.stage]
  if (state.phase !== 'Running' || state.step !== 'Rolling' || !stage) return state.phase === 'RollingBack'
  const { progressing, gated } = stageProgress(stage, state, world)
  return progressing.length > 0 || (gated.length === 0 && world.clusterGates.size === 0)
}

/** ` (ann: errors in Paris)`, as far as it is known who gave the order, and why. */
const orderedBy = ({ metadata, spec }: RolloutRun): string => {
  const known = [metadata.annotations?.[orderedByAnnotation], spec.order?.reason].filter(Boolean).join(': ')
  return known && ` (${known})`
}

export const isEnd = ({ phase }: RunState): boolean =>
  phase !== 'Running' && phase !== 'Paused' && phase !== 'RollingBack'

/** `main@sha1:1a2b...`, or several, separated by commas. */
export const revisionsOf = (run: RolloutRun): string => revisionsIn(run).join(', ')

const eventOf = (run: RolloutRun, { phase, pausedFor, step }: RunState, message: string) => {
  const isBad = pausedFor === 'Failed' || phase === 'RollingBack'
  return {
    severity: isBad ? 'error' : 'info',
    reason: phase === 'Running' ? `Stage${step}` : `Rollout${phase}`,
    message: `RolloutRun ${run.metadata.name}: ${message}`,
    metadata: { 'fleet.keelson.dev/revision': revisionsOf(run) },
  } as const
}

const maxFailedNames = 10

/** The progress of each stage, with its times as far as they are known. */
const progressOf = (
  run: RolloutRun,
  before: RunState,
  state: RunState,
  world: Omit<RolloutWorld, keyof Placed> & Placed,
): readonly StageStatus[] =>
  world.stages.map((stage, at) => {
    const known = run.status?.stages?.find(({ name }) => name === stage.name)
    const { ready, progressing, gated, failed, skipped } = stageProgress(stage, state, world)
    const isStarted =
      state.phase === 'Running' && state.stage === at && before.step === 'Before' && state.step === 'Rolling'
    const isDone = state.stage === at && before.step === 'Rolling' && state.step === 'After'
    const startedAt = isStarted ? timestamp(world.now) : known?.startedAt
    const isPlanning = stage.isPlanned && before.stage === at && before.step === 'Before'
    const plans = isPlanning ? statusOfPlans(plansOfStage(stage, run, world.offline).made) : known?.plans
    const finishedAt = isDone ? timestamp(world.now) : isStarted ? undefined : known?.finishedAt
    return {
      name: stage.name,
      clusters: stage.clusters.length,
      ready: ready.length,
      progressing: progressing.length + gated.length,
      failed: failed.length,
      skipped: skipped.length,
      ...(plans && { plans }),
      ...(failed.length > 0 && { failedClusters: failed.slice(0, maxFailedNames).map(({ name }) => name) }),
      ...(startedAt !== undefined && { startedAt }),
      ...(finishedAt !== undefined && { finishedAt }),
    }
  })
