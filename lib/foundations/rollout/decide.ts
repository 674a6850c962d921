/**
 * What a run does next. A pure function of its stored state and of what is observed, so that a pass may end at any line, come twice or late.
 * A state is stored before anything follows from it; pins follow from a state, and are given again until they are observed.
 */
import { describeShutGates, passingClusters, type ShutGate, shutGates } from './cluster-gates.ts'
import { afterOrder } from './orders.ts'
import { firstPins, pinsOfStage, toPrevious, unproposed } from './pins.ts'
import { isSettled, stageProgress, startedStages, unitsOf } from './progress.ts'
import type { Decision, GateResult, PinChange, RolloutStage, RolloutWorld, RunState } from './world.ts'

/** The state of a new run at `now` (milliseconds since the epoch): before its first stage. */
export const initialState = (now: number): RunState => ({ phase: 'Running', stage: 0, step: 'Before', since: now })

/**
 * What a run does next: move to a state, or hold, with pins to set and what it waits for. A user's order comes first,
 * then its failures and its replacement by a newer run.
 */
export const decide = (state: RunState, world: RolloutWorld): Decision => {
  const { order } = world
  if (order && order.id !== state.order) return { type: 'move', ...afterOrder(order, state, world) }
  switch (state.phase) {
    case 'Superseded':
      return { type: 'hold', pins: [], waitsFor: [] }
    case 'RollingBack':
      return rollBack(state, world)
    case 'Paused':
      return mayReplace(state, world) ? superseded(state) : paused(state, world)
    case 'Running':
      return mayReplace(state, world) ? superseded(state) : (failure(state, world) ?? proceed(state, world))
    default:
      return holdAt(pinsAtEnd(state, world), shutGates(state, world), [], [])
  }
}

const move = (state: RunState, change: Partial<RunState>, message: string): Decision => ({
  type: 'move',
  state: { ...state, ...change },
  message,
})

/**
 * Whether a newer revision takes over. A person's pause stops that, too; a run that failed never holds up what may be the fix.
 */
const mayReplace = ({ phase, pausedFor, step }: RunState, { newer, supersede }: RolloutWorld): boolean => {
  if (!newer || (phase === 'Paused' && pausedFor === 'Requested')) return false
  if (phase === 'Paused' || newer.isHotfix || supersede === 'ReplaceNow') return true
  return supersede === 'ReplaceAtStage' && step !== 'Rolling'
}

const superseded = (state: RunState): Decision =>
  move(state, { phase: 'Superseded', pausedFor: undefined }, 'superseded by a newer revision')

/** What happens when more clusters of a stage have failed than it allows. */
const failure = (state: RunState, world: RolloutWorld): Decision | undefined => {
  if (world.onFailure === 'Continue') return undefined
  const started = startedStages(world, state)
  const at = started.findIndex((stage, index) => {
    const failed = stageProgress(stage, state, world).failed.length
    return failed > Math.max(stage.maxFailures, state.accepted?.[index] ?? 0)
  })
  if (at < 0) return undefined
  const stage = started[at]!
  const names = namesOf(stageProgress(stage, state, world).failed)
  const message = `stage ${stage.name} failed on ${names}`
  if (world.onFailure === 'Pause' || !world.hasPrevious)
    return move(state, { phase: 'Paused', pausedFor: 'Failed' }, `paused: ${message}`)
  const rollback = world.onFailure === 'Rollback' ? 'All' : 'Stage'
  return move(state, { phase: 'RollingBack', rollback, since: world.now }, `rolling back: ${message}`)
}

const proceed = (state: RunState, world: RolloutWorld): Decision => {
  const { now, stages, gates } = world
  const stage = stages[state.stage]
  if (!stage) return move(state, { phase: 'Succeeded' }, 'all stages are done')
  if (state.step === 'Rolling') return roll(stage, state, world)
  const shut = gates.filter(gate => gate.state !== 'open')
  const broken = shut.find(gate => gate.state === 'failed')
  if (broken && world.onFailure !== 'Continue') return gateFailure(broken, `stage ${stage.name}`, state)
  if (shut.length > 0) return holding(state, world, shut.map(describeGate), shut.map(untilOf))
  if (state.step === 'Before')
    return move(state, { step: 'Rolling', since: now }, `stage ${stage.name} starts on ${countOf(stage)}`)
  const next = stages[state.stage + 1]
  if (!next) return move(state, { phase: 'Succeeded' }, 'all stages are done')
  return move(
    state,
    { stage: state.stage + 1, step: 'Before', since: now },
    `stage ${stage.name} is done, ${next.name} is next`,
  )
}

const roll = (stage: RolloutStage, state: RunState, world: RolloutWorld): Decision => {
  const { now, onFailure } = world
  const passing = passingClusters(stage, state, world)
  if (passing.length > 0) {
    const passed = [...(state.passed ?? []), ...passing.map(({ name }) => name)]
    return move(state, { passed }, `stage ${stage.name} is through the gates after ${namesOf(passing)}`)
  }
  if (isSettled(stage, state, world)) {
    const after = { step: 'After', since: now, passed: undefined } as const
    return move(state, after, `stage ${stage.name} ${summaryOf(stage, state, world)}`)
  }
  const shut = shutGates(state, world)
  const broken = shut.find(({ gate, stage: at }) => gate.state === 'failed' && at === state.stage)
  if (broken && onFailure !== 'Continue') return gateFailure(broken.gate, broken.cluster, state)
  return holding(state, world, waitOf(stage, state, world), deadlines(stage, state, world))
}

const gateFailure = ({ name, message }: GateResult, of: string, state: RunState): Decision =>
  move(state, { phase: 'Paused', pausedFor: 'Failed' }, `paused: gate ${name} of ${of}: ${message}`)

const holding = (
  state: RunState,
  world: RolloutWorld,
  waitsFor: readonly string[],
  times: readonly (number | undefined)[],
): Decision => {
  const proposals = state.step === 'Before' ? unproposed(world.stages[state.stage]!) : []
  const held = holdAt(runningPins(state, world), shutGates(state, world), waitsFor, times)
  return proposals.length > 0 ? { ...held, proposals } : held
}

/** The state stays, also because of gates of clusters. */
const holdAt = (
  pins: readonly PinChange[],
  shut: readonly ShutGate[],
  waitsFor: readonly string[],
  times: readonly (number | undefined)[],
): Extract<Decision, { type: 'hold' }> => {
  const known = [...times, ...shut.map(({ gate: { until } }) => until)].filter(time => time !== undefined)
  return {
    ...{ type: 'hold', pins, waitsFor: [...waitsFor, ...describeShutGates(shut)] },
    ...(known.length > 0 && { recheckAt: Math.min(...known) }),
  }
}

const runningPins = (state: RunState, world: RolloutWorld): readonly PinChange[] => {
  const started = startedStages(world, state)
  const later = unitsOf(world.stages.slice(started.length))
  return [
    ...started.flatMap(stage => pinsOfStage(stage, state, world)),
    ...firstPins([...later, ...world.unassigned], world),
  ]
}

/** No further cluster starts; only units that are new, and have no pin, get that of before. */
const paused = (state: RunState, world: RolloutWorld): Decision => ({
  type: 'hold',
  pins: firstPins([...unitsOf(world.stages), ...world.unassigned], world),
  waitsFor: [
    state.pausedFor === 'Requested'
      ? 'it is paused: resume, abort or roll it back'
      : 'it has failed: retry, resume, abort or roll it back, or push a fix',
  ],
})

const rollBack = (state: RunState, world: RolloutWorld): Decision => {
  const isAll = state.rollback !== 'Stage'
  const stages = isAll ? world.stages : world.stages.slice(state.stage, state.stage + 1)
  const clusters = stages.flatMap(stage => stage.clusters)
  const unready = clusters.filter(
    ({ offline, units }) =>
      !(offline && world.offline === 'Skip') &&
      !units.every(({ pin, state }) => pin === 'previous' && state === 'ready'),
  )
  const loose = isAll ? world.unassigned.filter(({ pin }) => pin === 'target') : []
  const pins = [...unitsOf(stages), ...loose].filter(({ pin }) => pin !== 'previous').map(toPrevious)
  if (unready.length > 0 || pins.length > 0)
    return { type: 'hold', pins, waitsFor: [`the return of ${namesOf(unready)} to the revision before`] }
  if (isAll) return move(state, { phase: 'RolledBack', rollback: undefined }, 'all units are back')
  const name = world.stages[state.stage]!.name
  return move(
    state,
    { phase: 'Paused', pausedFor: 'Failed', rollback: undefined, passed: undefined, retriedAt: world.now },
    `paused: the units of stage ${name} are back`,
  )
}

/** A run that has ended still decides for units that are new, or whose cluster was not there. */
const pinsAtEnd = (state: RunState, world: RolloutWorld): readonly PinChange[] => {
  const all = [...unitsOf(world.stages), ...world.unassigned]
  if (state.phase === 'Succeeded')
    return [...world.stages.flatMap(stage => pinsOfStage(stage, state, world)), ...firstPins(world.unassigned, world)]
  if (state.phase === 'RolledBack') return all.filter(({ pin }) => pin === 'none' || pin === 'target').map(toPrevious)
  return firstPins(all, world)
}

const untilOf = ({ until }: GateResult): number | undefined => until
const describeGate = ({ name, message }: GateResult): string => `gate ${name}: ${message}`

const deadlines = (stage: RolloutStage, state: RunState, world: RolloutWorld): readonly number[] =>
  stageProgress(stage, state, world)
    .progressing.flatMap(({ units }) => units.filter(({ pin }) => pin === 'target').map(({ pinnedAt }) => pinnedAt))
    .map(time => time + world.progressDeadlineMs)

/** The clusters under way; none if all that have started are at gates. */
const waitOf = (stage: RolloutStage, state: RunState, world: RolloutWorld): readonly string[] => {
  const { pending, progressing, gated } = stageProgress(stage, state, world)
  const isAtGates = gated.length > 0 || shutGates(state, world).some(({ stage: at }) => at === state.stage)
  if (progressing.length === 0 && isAtGates) return []
  const more = pending.length > 0 ? `, ${pending.length} more after that` : ''
  return [`${namesOf(progressing.length > 0 ? progressing : pending)} of stage ${stage.name}${more}`]
}

const summaryOf = (stage: RolloutStage, state: RunState, world: RolloutWorld): string => {
  if (stage.clusters.length === 0) return 'selects no cluster'
  const { ready, failed, skipped } = stageProgress(stage, state, world)
  const parts = [
    `is ready on ${ready.length} of ${countOf(stage)}`,
    ...(failed.length > 0 ? [`failed on ${namesOf(failed)}`] : []),
    ...(skipped.length > 0 ? [`skipped ${namesOf(skipped)}`] : []),
  ]
  return parts.join(', ')
}

const countOf = ({ clusters: { length } }: RolloutStage): string =>
  length === 0 ? 'no cluster' : `${length} ${length === 1 ? 'cluster' : 'clusters'}`

const maxNames = 5

/** `a, b and 7 more`. */
const namesOf = (clusters: readonly { readonly name: string }[]): string => {
  const names = clusters.slice(0, maxNames).map(({ name }) => name)
  return clusters.length > maxNames
    ? `${names.join(', ')} and ${clusters.length - maxNames} more`
    : names.join(', ') || 'no cluster'
}
