import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decide, initialState } from '../../../../lib/foundations/rollout/decide.ts'
import type {
  Decision,
  OrderType,
  RolloutUnit,
  RolloutWorld,
  RunState,
} from '../../../../lib/foundations/rollout/world.ts'

const unit = (key: string, state: RolloutUnit['state'], pin: RolloutUnit['pin'] = 'target'): RolloutUnit => ({
  key,
  pin,
  state,
  pinnedAt: 10,
  isProposed: false,
})

/** One stage, of clusters with one unit each. */
const worldOf = (units: readonly RolloutUnit[], more: Partial<RolloutWorld> = {}): RolloutWorld => ({
  now: 20,
  stages: [
    {
      name: 'all',
      maxConcurrency: 1,
      maxFailures: 0,
      isPlanned: false,
      eachCluster: { before: false, after: false },
      clusters: units.map(one => ({ name: one.key, offline: false, units: [one] })),
    },
  ],
  unassigned: [],
  gates: [],
  clusterGates: new Map(),
  hasPrevious: true,
  supersede: 'Finish',
  onFailure: 'Pause',
  offline: 'Skip',
  progressDeadlineMs: 1_000,
  ...more,
})

const order = (type: OrderType) => ({ order: { type, id: type } })
const rolling: RunState = { ...initialState(0), step: 'Rolling' }
const failed: RunState = { ...rolling, phase: 'Paused', pausedFor: 'Failed' }

const stateAfter = (decision: Decision): RunState => {
  assert.equal(decision.type, 'move')
  return decision.state
}
const pinsOf = (decision: Decision) => {
  assert.equal(decision.type, 'hold')
  return decision.pins
}

test('Resume accepts the clusters that have failed so far: the run goes on with them, and stops at the next one', () => {
  const units = [unit('a', 'failed'), unit('b', 'ready', 'previous'), unit('c', 'ready', 'previous')]
  const resumed = stateAfter(decide(failed, worldOf(units, order('Resume'))))
  assert.equal(resumed.phase, 'Running')
  assert.deepEqual(pinsOf(decide(resumed, worldOf(units, order('Resume')))), [{ key: 'b', to: 'target' }])
  const more = [unit('a', 'failed'), unit('b', 'failed'), unit('c', 'ready', 'previous')]
  assert.equal(stateAfter(decide(resumed, worldOf(more, order('Resume')))).phase, 'Paused')
})

test('Retry gives failed units a new pin, ready ones keep theirs; until then the failure does not count', () => {
  const units = [unit('a', 'ready'), unit('b', 'failed'), unit('c', 'ready', 'previous')]
  const again = stateAfter(decide(failed, worldOf(units, order('Retry'))))
  assert.equal(again.phase, 'Running')
  assert.deepEqual(pinsOf(decide(again, worldOf(units, order('Retry')))), [{ key: 'b', to: 'target' }])
  const tried = units.with(1, { ...unit('b', 'progressing'), pinnedAt: 20 })
  assert.deepEqual(pinsOf(decide(again, worldOf(tried, order('Retry')))), [])
  const failedAgain = units.with(1, { ...unit('b', 'failed'), pinnedAt: 20 })
  assert.equal(stateAfter(decide(again, worldOf(failedAgain, order('Retry')))).phase, 'Paused')
})

test('Retry forgets what Resume has accepted', () => {
  const units = [unit('a', 'failed'), unit('b', 'ready', 'previous')]
  const resumed = stateAfter(decide(failed, worldOf(units, order('Resume'))))
  const again = stateAfter(decide(resumed, worldOf(units, order('Retry'))))
  const failedAgain = units.with(0, { ...unit('a', 'failed'), pinnedAt: 20 })
  assert.equal(stateAfter(decide(again, worldOf(failedAgain, order('Retry')))).phase, 'Paused')
})

test('an order that does not fit the phase says why, and is not carried out later', () => {
  const units = [unit('a', 'ready')]
  for (const [type, state, more, message] of [
    ['Resume', rolling, {}, 'Resume has no effect: the run is Running'],
    ['Pause', failed, {}, 'Pause has no effect: the run is Paused'],
    ['Rollback', rolling, { hasPrevious: false }, 'Rollback has no effect: there is no revision before'],
    ['Retry', { ...rolling, phase: 'Superseded' }, {}, 'Retry has no effect: the run is Superseded'],
    ['Abort', { ...rolling, phase: 'Succeeded' }, {}, 'Abort has no effect: the run is Succeeded'],
  ] as const) {
    const decision = decide(state, worldOf(units, { ...more, ...order(type) }))
    assert.equal(decision.type === 'move' && decision.message, message)
    assert.deepEqual(stateAfter(decision), { ...state, order: type })
  }
})
