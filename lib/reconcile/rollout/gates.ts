import { gatesOfStage, type RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { type ClusterAtGates, clustersAtGates } from '../../foundations/rollout/cluster-gates.ts'
import type { GateResult, ObservedWorld, RolloutWorld, RunState } from '../../foundations/rollout/world.ts'
import { once } from '../../foundations/rules/once.ts'
import { type GateContext, judgeGate, readyOf, transitionOf } from './judge-gate.ts'
import type { Placed, PlacedCluster, PlacedStage } from './world-of.ts'

type Rest = Pick<GateContext, 'now' | 'evaluations' | 'ports' | 'signal'>

/** All gates that decide what a run does next, judged. */
export const gateResults = async (
  run: RolloutRun,
  state: RunState,
  observed: Omit<ObservedWorld, keyof Placed> & Placed,
  rest: Rest,
): Promise<Pick<RolloutWorld, 'gates' | 'clusterGates'>> => {
  // One list of the decisions for all gates.
  const approvals = once(() => rest.ports.approvals(run))
  const shared = { ...rest, ports: { ...rest.ports, approvals } }
  return {
    gates: await gatesOfStep(run, state, observed, shared),
    clusterGates: await gatesOfClusters(run, state, observed, shared),
  }
}

/** Of the step under way; none while clusters start. */
const gatesOfStep = async (
  run: RolloutRun,
  state: RunState,
  { stages }: Placed,
  rest: Rest,
): Promise<readonly GateResult[]> => {
  const stage = stages[state.stage]
  if (!stage || state.step === 'Rolling' || state.phase !== 'Running') return []
  const { before = [], after = [] } = gatesOfStage(run, state.stage)
  const isBefore = state.step === 'Before'
  const over = (isBefore ? stages.slice(0, state.stage) : [stage]).flatMap(({ clusters }) => clusters)
  // After a stage, a decision counts that was made since it is done.
  const context = { ...rest, run, stage, over, since: state.since, decidedSince: isBefore ? 0 : state.since }
  return Promise.all((isBefore ? before : after).map(gate => judgeGate(gate, context)))
}

/** Clusters whose gates are judged at the same time. */
const concurrency = 16

const gatesOfClusters = async (
  run: RolloutRun,
  state: RunState,
  observed: Omit<ObservedWorld, keyof Placed> & Placed,
  rest: Rest,
): Promise<RolloutWorld['clusterGates']> => {
  const found = new Map<string, readonly GateResult[]>()
  const waiting = clustersAtGates(state, observed).values()
  const worker = async (): Promise<void> => {
    for (const at of waiting) {
      const context = { ...rest, ...contextOf(at, run, state, observed) }
      const gates = gatesOfStage(run, at.stage).eachCluster?.[at.step] ?? []
      found.set(at.cluster.name, await Promise.all(gates.map(gate => judgeGate(gate, context))))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return found
}

/** Times count from when the cluster was ready; before it, from when the last one of its stage started. */
const contextOf = (
  { stage: at, cluster: { name }, step }: ClusterAtGates,
  run: RolloutRun,
  state: RunState,
  { stages }: Placed,
): Omit<GateContext, keyof Rest> => {
  const stage = stages[at]!
  const cluster = stage.clusters.find(one => one.name === name)!
  const base = { run, stage, cluster, over: [cluster] }
  if (step === 'after') {
    const since = readySince(cluster)
    return { ...base, since, decidedSince: since }
  }
  const began = at === state.stage ? state.since : 0
  return { ...base, since: Math.max(began, lastStartIn(stage)), decidedSince: 0 }
}

const readySince = ({ members, units }: PlacedCluster): number =>
  Math.max(0, ...units.map(({ pinnedAt }) => pinnedAt), ...members.map(unit => transitionOf(readyOf(unit))))

const lastStartIn = ({ clusters }: PlacedStage): number =>
  Math.max(
    0,
    ...clusters.flatMap(({ units }) => units.flatMap(({ pin, pinnedAt }) => (pin === 'target' ? pinnedAt : []))),
  )
