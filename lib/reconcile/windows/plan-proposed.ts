/** The revision of a RolloutRun that needs approval: a pass plans it, and applies what the unit is pinned to. */
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Plan } from '../../foundations/kinds/plan.ts'
import { pinAnnotation, plannedCondition } from '../../foundations/kinds/rollout.ts'
import { gatesOfStage, type RolloutRun } from '../../foundations/kinds/rollout-run.ts'
import { plansToApprove } from '../../foundations/kinds/rollout-stages.ts'
import { approvalModes, defaultExpiryMs } from '../../foundations/rules/approvals.ts'
import type { NewCondition } from '../../foundations/rules/conditions.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { isSameRun, type Pin, pinOf, pinText, proposalOf, runOfPin } from '../../foundations/rules/pin.ts'
import { notPlanned, notScheduled, plannedAs, scheduledAs } from '../../foundations/rules/proposed-plan.ts'
import type { References } from '../../hub/references/references.ts'
import type { Held, Outcome, Pass } from '../runtime/reconciler.ts'
import { PinBroken, pinnedSource } from '../source-artifact/pinned-artifact.ts'
import { noApproval, type RequiredApproval, type Restraint } from './restraint.ts'

/** A unit as if it were pinned to the proposed run. */
export interface Proposal<T> {
  readonly unit: T
  readonly run: Pick<Pin, 'namespace' | 'run'>
  readonly approval: RequiredApproval
}

/** Ends after which nothing of a run is planned any more. */
const isUnderWay = ({ status }: RolloutRun): boolean =>
  status?.phase === undefined || status.phase === 'Running' || status.phase === 'Paused'

/** What is proposed to a unit besides what it is pinned to; undefined if nothing is, or it can't be. Costs a read of the run. */
export const proposalFor = async <T extends KubernetesObject>(
  unit: T,
  restraint: Restraint,
  references: Pick<References, 'anywhere' | 'ownNamespace'>,
): Promise<Proposal<T> | undefined> => {
  const run = proposalOf(unit)
  if (!run || isSameRun(run, pinOf(unit))) return undefined
  const annotations = { ...unit.metadata.annotations, [pinAnnotation]: pinText({ ...run, since: 0 }) }
  const pinned = { ...unit, metadata: { ...unit.metadata, annotations } }
  const found = await pinnedSource(pinned, references).catch(error => {
    if (error instanceof PinBroken) return undefined
    throw error
  })
  if (!found || !isUnderWay(found.run)) return undefined
  return { unit: pinned, run, approval: approvalBy(found.run, run, restraint) }
}

/** What a unit needs before it applies the revision of a run that was proposed to it: what the gates of the run do, and what it needs anyway. */
export const approvalBy = (
  run: RolloutRun,
  name: Pick<Pin, 'namespace' | 'run'>,
  { approvalPolicy: own }: Restraint,
): RequiredApproval => {
  const counts = run.spec.stages.map((_, at) => plansToApprove(gatesOfStage(run, at).before) ?? 1)
  return {
    of: 'Changes',
    run: `${name.namespace}/${name.run}`,
    modes: own?.modes ?? new Set(approvalModes),
    count: Math.max(...counts, own?.count ?? 1),
    authorMayApprove: own?.authorMayApprove ?? true,
    expiryMs: own?.expiryMs ?? defaultExpiryMs,
    requiredBy: [runOfPin(name), ...(own ? [own.requiredBy] : [])].join(' and '),
  }
}

/** When to try again what could not be planned, in milliseconds. */
const retryMs = 60_000

/** A pass that only plans. */
type PlanOf<T extends KubernetesObject> = (unit: T, pass: Pass<T>, approval: RequiredApproval) => Promise<Outcome<T>>

interface Planning<T extends KubernetesObject> {
  readonly pass: Pass<T>
  readonly plan: PlanOf<T>
  readonly approval: RequiredApproval
}

/** The plan that is stored after a pass that only plans, and how that pass has ended. */
const planned = async <T extends KubernetesObject>(unit: T, { pass, plan, approval }: Planning<T>) => {
  let made: Plan | undefined
  const onPlan = (plan: Plan) => {
    made = plan
  }
  const tried = await plan(unit, quiet(pass), { ...approval, onPlan }).catch((error: unknown): Outcome<T> => {
    if (pass.dryRun || pass.signal.aborted) throw error
    return { type: 'failed', reason: 'PlanFailed', message: errorMessage(error) }
  })
  return { made: made as Plan | undefined, tried }
}

/** Adds to a change that waits for a window what it would do: the unit's Plan, which users can approve until then if that is needed, and the condition that names it. */
const withPlanOfHeld = async <T extends KubernetesObject>(
  outcome: Held<T>,
  unit: T,
  {
    approval,
    intervalMs,
    ...planning
  }: Omit<Planning<T>, 'approval'> & {
    readonly approval: RequiredApproval | undefined
    readonly intervalMs: number
  },
): Promise<Outcome<T>> => {
  const required = approval?.of === 'Changes' ? approval : noApproval
  const { made, tried } = await planned(unit, { ...planning, approval: required })
  const problem = 'message' in tried ? tried.message : 'it is not known yet what it would change'
  const condition = made ? scheduledAs(made) : notScheduled(problem)
  const afterMs = Math.min(outcome.afterMs ?? intervalMs, intervalMs)
  return {
    ...outcome,
    conditions: { ...outcome.conditions, [plannedCondition]: condition },
    ...(!made && { afterMs }),
  }
}

/** Adds to a pass what the proposed revision would change: the unit's Plan, and the condition that names it. */
const withPlanOf = async <T extends KubernetesObject>(
  outcome: Outcome<T>,
  { unit, run, approval }: Proposal<T>,
  pass: Pass<T>,
  plan: PlanOf<T>,
): Promise<Outcome<T>> => {
  // Its action or health check is under way: the pass that ends it plans.
  if (outcome.type === 'waiting' && outcome.conditions?.Ready?.status !== 'False') return outcome
  const { made, tried } = await planned(unit, { pass, plan, approval })
  const condition = conditionFor(run, made, tried)
  const isMade = condition.status === 'True'
  const afterMs = Math.min('afterMs' in outcome ? (outcome.afterMs ?? retryMs) : retryMs, retryMs)
  return {
    ...outcome,
    conditions: { ...outcome.conditions, [plannedCondition]: condition },
    ...(!isMade && outcome.type !== 'resting' && { afterMs }),
  }
}

const conditionFor = <T extends KubernetesObject>(
  run: Proposal<T>['run'],
  plan: Plan | undefined,
  tried: Outcome<T>,
): NewCondition => {
  const message = 'message' in tried ? tried.message : 'it is not known yet what the revision would change'
  if ('reason' in tried && tried.reason === 'PlanRejected') return notPlanned(run, 'PlanRejected', message)
  return plan ? plannedAs(run, plan) : notPlanned(run, 'PlanFailed', message)
}

/** A pass that leaves no traces. */
const quiet = <T extends KubernetesObject>(pass: Pass<T>): Pass<T> => ({
  ...pass,
  open: async () => {},
  progress: async () => {},
  update: async () => {},
  event: () => {},
  note: () => {},
})

/** How units of a kind whose changes can be planned are planned. */
export const planning = { ofProposal: withPlanOf, ofHeld: withPlanOfHeld }
