import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { runOrders } from '../../../../lib/foundations/kinds/rollout-run.ts'
import { decide } from '../../../../lib/foundations/rollout/decide.ts'
import { stageProgress } from '../../../../lib/foundations/rollout/progress.ts'
import type { Decision, RolloutUnit } from '../../../../lib/foundations/rollout/world.ts'
import { begin, isOpen, type Model, type Options, stageOf, worldOf } from './small-worlds.ts'

const replaced = <T>(items: readonly T[], at: number, item: T): readonly T[] => items.with(at, item)

/** What may happen next: a pass that ends anywhere, or something outside of the hub. */
const following = (model: Model, options: Options): readonly Model[] => {
  const next: Model[] = []
  const { units, offline, left, run } = model
  const use = (what: keyof Model['left'], change: Partial<Model>): void => {
    if (left[what] > 0) next.push({ ...model, ...change, left: { ...left, [what]: left[what] - 1 } })
  }
  const decision = check(model, options)
  if (decision.type === 'move') next.push({ ...model, run: decision.state })
  // A pass that dies has pinned some of the units: each order of single pins is explored.
  else {
    for (const pin of decision.pins) next.push(withPin(model, pin))
    for (const key of decision.proposals ?? []) next.push(withProposal(model, key))
  }
  for (const [at, unit] of units.entries()) {
    const become = (state: RolloutUnit['state']) => replaced(units, at, { ...unit, state })
    if (unit.pin === 'none') continue
    if (unit.state !== 'ready' && !offline[unit.cluster]) next.push({ ...model, units: become('ready') })
    if (unit.state !== 'failed') use('failures', { units: become('failed') })
  }
  for (const [at, isOffline] of offline.entries())
    if (isOffline) next.push({ ...model, offline: replaced(offline, at, false) })
    else use('outages', { offline: replaced(offline, at, true) })
  use('gateFlaps', { isGateOpen: !model.isGateOpen })
  for (const [at, isOpen] of model.openClusters.entries())
    use('clusterFlaps', { openClusters: replaced(model.openClusters, at, !isOpen) })
  if (model.order === undefined || model.order.id === run.order)
    for (const type of runOrders) use('orders', { order: { type, id: `${left.orders} ${type}` }, now: model.now + 1 })
  if (options.newer && !model.newer) next.push({ ...model, newer: { isHotfix: options.hotfix === true } })
  return next
}

const withPin = (model: Model, { key, to }: { readonly key: string; readonly to: 'target' | 'previous' }): Model => {
  const unit = model.units[Number(key)]!
  const pinned = { ...unit, pin: to, state: 'progressing', pinnedAt: model.now } as const
  return { ...model, units: replaced(model.units, Number(key), pinned) }
}

const withProposal = (model: Model, key: string): Model => ({
  ...model,
  units: replaced(model.units, Number(key), { ...model.units[Number(key)]!, isProposed: true }),
})

/** What holds of each decision, in whichever state. */
const check = (model: Model, options: Options): Decision => {
  const { run, units } = model
  const world = worldOf(model, options)
  const decision = decide(run, world)
  const holds = (isTrue: unknown, otherwise: string): void => {
    // Made only if it is needed: there are hundreds of thousands of these.
    if (!isTrue) assert.fail(`${otherwise}: ${JSON.stringify({ model, decision })}`)
  }
  if (decision.type === 'hold') {
    const isOpen = ['Running', 'Paused', 'RollingBack'].includes(run.phase)
    const hasLateCluster =
      run.phase === 'Succeeded' && world.clusterGates.values().some(([gate]) => gate!.state !== 'open')
    const waits = isOpen || hasLateCluster
    holds(decision.waitsFor.length > 0 === waits, 'a run that has not ended says what it waits for')
    const starting = new Set<number>()
    for (const key of decision.proposals ?? []) {
      const isNext = run.step === 'Before' && stageOf(units[Number(key)]!.cluster, options) === run.stage
      holds(options.planned && isNext && run.phase === 'Running', 'a plan for nobody')
    }
    for (const { key, to, isPlanned = false } of decision.pins) {
      if (to === 'target') holds(isPlanned === (options.planned === true), 'a pin without its plan')
      const unit = units[Number(key)]!
      const stage = stageOf(unit.cluster, options)
      if (to === 'previous') holds(options.hasPrevious, 'back to nothing')
      if (to !== 'target') continue
      const isStarted = stage < run.stage || (stage === run.stage && run.step !== 'Before')
      holds(isStarted, 'a unit is ahead of its stage')
      holds(['Running', 'Succeeded'].includes(run.phase), 'a run that does not run starts a unit')
      if (units.some(({ cluster, pin }) => cluster === unit.cluster && pin === 'target')) continue
      starting.add(unit.cluster)
      const mayStart = !options.eachCluster?.before || model.openClusters[unit.cluster]
      holds(mayStart, 'a cluster starts before its gate')
    }
    for (const [at, stage] of world.stages.entries()) {
      const { progressing, gated } = stageProgress(stage, run, world)
      const underWay = progressing.length + gated.length
      const more = [...starting].filter(
        cluster => stageOf(cluster, options) === at && !(model.offline[cluster] && options.offline === 'Skip'),
      ).length
      holds(more === 0 || underWay + more <= options.maxConcurrency, 'too many at a time')
    }
    return decision
  }
  const { state } = decision
  holds(!isDeepStrictEqual(state, run), 'a move without a change')
  const hasBegun = run.step === 'Before' && state.step === 'Rolling'
  const hasLeft =
    run.step === 'After' && (state.stage > run.stage || state.phase === 'Succeeded') && run.phase === 'Running'
  if (hasBegun || hasLeft) holds(isOpen(model, options), 'a stage goes on before its gate')
  holds(state.stage <= run.stage + 1, 'a stage is left out')
  if (run.step === 'Rolling' && state.step === 'After') {
    const { pending, progressing, ready } = stageProgress(world.stages[run.stage]!, run, world)
    holds(pending.length + progressing.length === 0, 'a stage ends early')
    for (const { name } of options.eachCluster?.after ? ready : [])
      holds(run.passed?.includes(name), 'a stage ends before the gate of a cluster')
  }
  for (const name of state.passed ?? []) {
    if (run.passed?.includes(name)) continue
    const cluster = Number(name.split('-')[1])
    holds(model.openClusters[cluster], 'a cluster passes a closed gate')
    holds(stageOf(cluster, options) === run.stage, 'a cluster of another stage')
    const isReady = units.every(unit => unit.cluster !== cluster || (unit.pin === 'target' && unit.state === 'ready'))
    holds(isReady, 'a cluster passes that is not ready')
  }
  return decision
}

/**
 * With clusters that respond, units that get ready, open gates and a person who resumes, each run ends, with the units where it says. Many
 * states are the same ones from there on: `ended` has those from which a run is known to end.
 */
const checkEnd = (model: Model, options: Options, ended: Set<string>): void => {
  const openClusters = model.openClusters.map(() => true)
  let at: Model = { ...model, offline: model.offline.map(() => false), isGateOpen: true, openClusters }
  const keyOf = (state: Model): string => JSON.stringify({ ...state, left: undefined })
  const onTheWay = new Set<string>()
  for (let key = keyOf(at); !ended.has(key); key = keyOf(at)) {
    if (onTheWay.has(key) || onTheWay.size > 200) assert.fail(`it never comes to rest: ${JSON.stringify(model)}`)
    onTheWay.add(key)
    const decision = check(at, options)
    if (decision.type === 'move') {
      at = { ...at, run: decision.state }
      continue
    }
    for (const pin of decision.pins) at = withPin(at, pin)
    for (const unit of decision.proposals ?? []) at = withProposal(at, unit)
    at = { ...at, units: at.units.map(unit => (unit.pin === 'none' ? unit : { ...unit, state: 'ready' as const })) }
    if (at.run.phase === 'Paused') at = { ...at, order: { type: 'Resume', id: `end ${onTheWay.size}` } }
    if (keyOf(at) !== key) continue
    const { phase } = at.run
    const pins = new Set(at.units.map(({ pin }) => pin))
    const show = JSON.stringify({ model, at })
    assert.ok(!['Running', 'Paused', 'RollingBack'].includes(phase), `it never ends: ${show}`)
    if (phase === 'Succeeded') assert.deepEqual([...pins], ['target'], show)
    if (phase === 'RolledBack') assert.deepEqual([...pins], ['previous'], show)
    break
  }
  for (const key of onTheWay) ended.add(key)
}

/** Visits every state that can be reached; returns their number, and the phases that were seen. */
const explore = (options: Options): { readonly states: number; readonly phases: ReadonlySet<string> } => {
  const first = begin(options)
  const seen = new Set([JSON.stringify(first)])
  const queue = [first]
  const phases = new Set<string>()
  const ended = new Set<string>()
  for (let at = 0; at < queue.length; at++) {
    const model = queue[at]!
    phases.add(model.run.phase)
    checkEnd(model, options, ended)
    for (const next of following(model, options)) {
      const key = JSON.stringify(next)
      if (seen.has(key)) continue
      seen.add(key)
      queue.push(next)
    }
  }
  return { states: seen.size, phases }
}

const usual: Options = {
  stages: [1, 2],
  maxConcurrency: 1,
  maxFailures: 0,
  supersede: 'Finish',
  onFailure: 'Pause',
  offline: 'Skip',
  hasPrevious: true,
  orders: 0,
  gateFlaps: 2,
  outages: 0,
  failures: 0,
}

const ends = ['Succeeded']
const worlds: readonly (readonly [string, Partial<Options>, readonly string[]])[] = [
  ['gates that flap, and failures', { failures: 2, gateFlaps: 3 }, [...ends, 'Paused']],
  ['each order at each time', { orders: 2, failures: 1, stages: [1, 1] }, [...ends, 'Aborted', 'RolledBack', 'Paused']],
  ['orders to a first run', { orders: 2, hasPrevious: false, stages: [1, 1] }, [...ends, 'Aborted']],
  ['clusters that go and return', { outages: 2, failures: 1 }, [...ends, 'Paused']],
  ['clusters that are waited for', { outages: 2, offline: 'Block' }, ends],
  ['a rollback of all', { failures: 2, onFailure: 'Rollback' }, [...ends, 'RolledBack']],
  ['a rollback of the stage', { failures: 2, onFailure: 'RollbackStage', outages: 1 }, [...ends, 'Paused']],
  ['failures that are ignored', { failures: 2, onFailure: 'Continue' }, ends],
  ['failures that are allowed', { failures: 2, maxFailures: 1, maxConcurrency: 2 }, [...ends, 'Paused']],
  ['a newer revision, in the end', { newer: true, failures: 1 }, [...ends, 'Superseded']],
  ['a newer revision, between stages', { newer: true, supersede: 'ReplaceAtStage', failures: 1 }, ['Superseded']],
  ['a newer revision, now', { newer: true, supersede: 'ReplaceNow', orders: 1 }, ['Superseded', 'Paused']],
  ['a hotfix', { newer: true, hotfix: true, orders: 1 }, ['Superseded']],
  ['plans of each stage', { planned: true, failures: 1, outages: 1, gateFlaps: 3 }, [...ends, 'Paused']],
  ['gates before each cluster', { eachCluster: { before: true }, clusterFlaps: 3, failures: 1, outages: 1 }, ends],
  ['gates after each cluster', { eachCluster: { after: true }, clusterFlaps: 3, failures: 1, outages: 1 }, ends],
  [
    'gates around each cluster, and orders',
    { eachCluster: { before: true, after: true }, clusterFlaps: 3, orders: 1, failures: 1, stages: [1, 1] },
    [...ends, 'RolledBack', 'Paused'],
  ],
  [
    'gates around each of two clusters at a time',
    { eachCluster: { before: true, after: true }, clusterFlaps: 5, stages: [3], maxConcurrency: 2, gateFlaps: 1 },
    ends,
  ],
  [
    'gates around each cluster, and a rollback of the stage',
    {
      eachCluster: { before: true, after: true },
      clusterFlaps: 3,
      failures: 1,
      onFailure: 'RollbackStage',
      stages: [1, 1],
    },
    [...ends, 'Paused'],
  ],
  ['three stages', { stages: [1, 1, 2], maxConcurrency: 2, failures: 1, gateFlaps: 3 }, [...ends, 'Paused']],
]

for (const [title, options, phases] of worlds)
  test(`RO-11 no stage starts before its gate, no unit is ahead of its stage, every run ends or says why not: ${title}`, t => {
    const found = explore({ ...usual, ...options })
    t.diagnostic(`${found.states} states`)
    assert.ok(found.states > 100)
    for (const phase of phases) assert.ok(found.phases.has(phase), `${phase} was reached`)
  })
