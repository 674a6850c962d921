/** What becomes of an order of a person. Pure. */
import { stageProgress } from './progress.ts'
import type { Order, OrderType, RolloutWorld, RunPhase, RunState } from './world.ts'

const phasesFor: Readonly<Record<OrderType, readonly RunPhase[]>> = {
  Pause: ['Running'],
  Resume: ['Paused'],
  Abort: ['Running', 'Paused', 'RollingBack'],
  Rollback: ['Running', 'Paused', 'RollingBack', 'Succeeded', 'Aborted'],
  Retry: ['Running', 'Paused', 'Succeeded', 'Aborted', 'RolledBack'],
}

/** Why an order has no effect on a run in this phase; undefined if it has one. */
export const orderRefusal = (type: OrderType, phase: RunPhase, hasPrevious: boolean): string | undefined => {
  if (type === 'Rollback' && !hasPrevious) return 'there is no revision before'
  return phasesFor[type].includes(phase) ? undefined : `the run is ${phase}`
}

/** The state after an order, and what is said of it. One without effect is not carried out later either. */
export const afterOrder = (
  { type, id }: Order,
  state: RunState,
  world: RolloutWorld,
): { readonly state: RunState; readonly message: string } => {
  const { now, stages, hasPrevious } = world
  const change = (what: Partial<RunState>, message: string) => ({
    state: { ...state, order: id, pausedFor: undefined, ...what },
    message,
  })
  const refusal = orderRefusal(type, state.phase, hasPrevious)
  if (refusal) return { state: { ...state, order: id }, message: `${type} has no effect: ${refusal}` }
  switch (type) {
    case 'Pause':
      return change({ phase: 'Paused', pausedFor: 'Requested' }, 'paused as requested')
    case 'Resume': {
      const accepted = stages.map(stage => stageProgress(stage, state, world).failed.length)
      return change({ phase: 'Running', accepted }, 'resumed')
    }
    case 'Abort':
      return change({ phase: 'Aborted' }, 'aborted: units stay at the revision that they have')
    case 'Rollback':
      return change({ phase: 'RollingBack', rollback: 'All', since: now }, 'all units go back to the revision before')
    case 'Retry': {
      const again = { phase: 'Running', accepted: undefined, passed: undefined, retriedAt: now } as const
      if (state.phase === 'Running' || state.phase === 'Paused') return change(again, 'failed units are tried again')
      return change({ ...again, stage: 0, step: 'Before', since: now }, 'begins again with the first stage')
    }
  }
}
