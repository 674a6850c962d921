/** Gates of each cluster: which clusters are at one, and what becomes of them. Pure. */
import { stageProgress, startedStages } from './progress.ts'
import type { GateResult, ObservedWorld, RolloutCluster, RolloutStage, RolloutWorld, RunState } from './world.ts'

export interface ClusterAtGates {
  /** Index of its stage. */
  readonly stage: number
  readonly cluster: RolloutCluster
  readonly step: 'before' | 'after'
}

/**
 * The clusters whose gates decide what happens next: the next ones of each stage that has started, and those of the stage under way whose units are ready.
 */
export const clustersAtGates = (state: RunState, world: ObservedWorld): readonly ClusterAtGates[] => {
  const stages =
    state.phase === 'Running' ? startedStages(world, state) : state.phase === 'Succeeded' ? world.stages : []
  return stages.flatMap((stage, at) => {
    const step = (clusters: readonly RolloutCluster[], step: ClusterAtGates['step']) =>
      clusters.map(cluster => ({ stage: at, cluster, step }))
    return [
      ...(stage.eachCluster.before ? step(nextClusters(stage, state, world), 'before') : []),
      ...step(stageProgress(stage, state, world).gated, 'after'),
    ]
  })
}

/** The pending clusters for which there is a place, in order. */
const nextClusters = (stage: RolloutStage, state: RunState, world: ObservedWorld): readonly RolloutCluster[] => {
  const { pending, progressing, gated } = stageProgress(stage, state, world)
  return pending.slice(0, Math.max(0, stage.maxConcurrency - progressing.length - gated.length))
}

/** The clusters that start now. */
export const startingClusters = (
  stage: RolloutStage,
  state: RunState,
  world: RolloutWorld,
): readonly RolloutCluster[] => {
  const next = nextClusters(stage, state, world)
  return stage.eachCluster.before ? next.filter(cluster => isThrough(cluster, world)) : next
}

/** The clusters of the stage under way whose gates after them are open. */
export const passingClusters = (stage: RolloutStage, state: RunState, world: RolloutWorld): readonly RolloutCluster[] =>
  stageProgress(stage, state, world).gated.filter(cluster => isThrough(cluster, world))

const isThrough = ({ name }: RolloutCluster, { clusterGates }: RolloutWorld): boolean =>
  clusterGates.get(name)?.every(({ state }) => state === 'open') ?? false

/** A closed gate of a cluster. */
export interface ShutGate {
  /** Index of the stage. */
  readonly stage: number
  readonly cluster: string
  readonly step: ClusterAtGates['step']
  readonly gate: GateResult
}

/**
 * The gates that hold clusters back in stages under way: those before a cluster takes the revision, and those after.
 */
export const shutGates = (state: RunState, world: RolloutWorld): readonly ShutGate[] =>
  clustersAtGates(state, world).flatMap(({ stage, cluster: { name }, step }) =>
    (world.clusterGates.get(name) ?? [])
      .filter(gate => gate.state !== 'open')
      .map(gate => ({ stage, cluster: name, step, gate })),
  )

const maxTexts = 5

/** What the run waits for at gates of clusters: `gate soak of apps/paris: opens at ...`. */
export const describeShutGates = (shut: readonly ShutGate[]): readonly string[] => [
  ...shut.slice(0, maxTexts).map(({ cluster, gate: { name, message } }) => `gate ${name} of ${cluster}: ${message}`),
  ...(shut.length > maxTexts ? [`${shut.length - maxTexts} more gates of clusters`] : []),
]
