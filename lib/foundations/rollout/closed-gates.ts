/** The gates that hold a run up, as its status names them: for programs what `waitsFor` is for people. Pure. */
import { type ClosedGate, maxClosedGates, type RolloutRun } from '../kinds/rollout-run.ts'
import { shutGates } from './cluster-gates.ts'
import type { GateResult, RolloutWorld, RunState } from './world.ts'

/** Those of the step under way, then those of clusters. */
export const closedGates = (state: RunState, world: RolloutWorld): readonly ClosedGate[] => {
  const step = state.step === 'After' ? 'After' : 'Before'
  const ofStep = world.gates.filter(gate => gate.state !== 'open')
  const stageName = (at: number): string => world.stages[at]!.name
  return [
    ...ofStep.map(gate => ({ stage: stageName(state.stage), step, ...described(gate) }) as const),
    ...shutGates(state, world).map(
      ({ stage, step, cluster, gate }) =>
        ({
          stage: stageName(stage),
          step: step === 'after' ? 'After' : 'Before',
          cluster,
          ...described(gate),
        }) as const,
    ),
  ].slice(0, maxClosedGates)
}

const described = ({ name, message, digest }: GateResult) => ({
  ...{ gate: name, message },
  ...(digest !== undefined && { digest }),
})

/** A decision of users that a run waits for: about a stage, or about one cluster of it. */
export interface AwaitedApproval {
  readonly stage: string
  readonly cluster?: string
  /** What the Approvals must name, one each. */
  readonly digests: readonly string[]
}

/** The decisions that would open gates at which a run is. A paused one first needs an order. */
export const awaitedApprovals = ({ status = {} }: Pick<RolloutRun, 'status'>): readonly AwaitedApproval[] => {
  const { phase = 'Running' } = status
  if (phase !== 'Running' && phase !== 'Succeeded') return []
  const gates = (status.closedGates ?? []).filter(({ digest }) => digest !== undefined)
  const bySubject = Map.groupBy(gates, ({ stage, cluster = '' }) => `${stage} ${cluster}`)
  return [...bySubject.values()].map(some => {
    const { stage, cluster } = some[0]!
    return { stage, ...(cluster && { cluster }), digests: [...new Set(some.map(({ digest }) => digest!))] }
  })
}
