/** What a stage would change, unit by unit, and the approval of all of that as one. */
import { isSuspended } from '../../foundations/kinds/flux.ts'
import { describeRef, refOf } from '../../foundations/kinds/object.ts'
import { type Plan, plan as planKind } from '../../foundations/kinds/plan.ts'
import type { RolloutRun, StagePlansStatus } from '../../foundations/kinds/rollout-run.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import type { RolloutWorld } from '../../foundations/rollout/world.ts'
import { type ProposedPlan, plannedOf, sumOf } from '../../foundations/rules/proposed-plan.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import type { Hub } from '../../hub/store/hub.ts'
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

/** Notes in each plan who has approved its stage. Returns the units whose plan is another one by now. */
export type ApprovePlans = (
  plans: readonly MadePlan[],
  by: readonly string[],
  signal: AbortSignal,
) => Promise<readonly string[]>

const concurrency = 16
const open: ReadonlySet<string | undefined> = new Set(['Waiting', 'Approved'])

/** Costs a read and a write of each plan, the first time. */
export const approvePlansIn =
  ({ get, update }: Pick<Hub, 'get' | 'update'>): ApprovePlans =>
  async (plans, by, signal) => {
    const changed: string[] = []
    const left = plans.values()
    const worker = async (): Promise<void> => {
      for (const { key, namespace, plan } of left) {
        signal.throwIfAborted()
        const found = await get<Plan>({ group: planKind.group, kind: planKind.kind, namespace, name: plan.name })
        if (found?.spec.digest !== plan.digest || !open.has(found.status?.phase)) changed.push(key)
        else if (!isSameJson(found.status?.stageApprovedBy, by))
          await update<Plan>(
            { ...found, status: { ...found.status!, stageApprovedBy: [...by] } },
            { fieldManager: 'keelson' },
          )
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return changed
  }
