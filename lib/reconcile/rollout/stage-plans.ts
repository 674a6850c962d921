/** What a stage would change, unit by unit, and the approval of all of that as one. */
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import type { RolloutRun, StagePlansStatus } from '../../foundations/kinds/rollout-run.ts'
import type { RolloutWorld } from '../../foundations/rollout/world.ts'
import { type ProposedPlan, plannedOf, sumOf } from '../../foundations/rules/proposed-plan.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { PlacedStage } from './world-of.ts'

interface UnitPlan {
  /** `Kind/namespace/name` of the unit. */
  readonly key: string
  readonly namespace: string
  readonly plan: ProposedPlan
}

export type MadePlan = UnitPlan & { readonly plan: Extract<ProposedPlan, { state: 'made' }> }

export interface StagePlans {
  readonly made: readonly MadePlan[]
  readonly refused: readonly (UnitPlan & { readonly plan: Extract<ProposedPlan, { state: 'refused' }> })[]
  readonly missing: readonly UnitPlan[]
}

/**
 * The plans of the units of a stage which do not have the revision yet. A cluster that does not respond can't be planned: unless its stage waits for it, it is left
 * out, and its units need approvals of their own when it is back.
 */
export const plansOfStage = (
  { clusters }: PlacedStage,
  { metadata: { namespace = '', name } }: RolloutRun,
  offline: RolloutWorld['offline'],
): StagePlans => {
  const plans = clusters
    .filter(cluster => !(cluster.offline && offline === 'Skip'))
    .flatMap(({ members, units }) => members.filter((_, at) => units[at]!.pin !== 'target'))
    .filter(unit => !isSuspended(unit))
    .map(
      (unit): UnitPlan => ({
        key: describeRef(refOf(unit)),
        namespace: unit.metadata.namespace ?? '',
        plan: plannedOf(unit, { namespace, run: name }),
      }),
    )
  return {
    made: plans.filter(({ plan }) => plan.state === 'made') as StagePlans['made'],
    refused: plans.filter(({ plan }) => plan.state === 'refused') as StagePlans['refused'],
    missing: plans.filter(({ plan }) => plan.state === 'missing'),
  }
}

/** As the status of the run shows them: their digest names exactly these changes of exactly these units. */
export const statusOfPlans = (made: readonly MadePlan[]): StagePlansStatus => {
  const lines = made.map(({ key, plan }) => `${key} ${plan.digest}`).toSorted()
  return {
    units: made.length,
    summary: sumOf(made.map(({ plan }) => plan.summary)),
    digest: sha256Digest(lines.join('\n')),
  }
}
