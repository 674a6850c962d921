import { type Approval, approval as approvalKind } from '../../foundations/kinds/approval.ts'
import { type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import {
  firstPhaseOf,
  type Plan,
  type PlanPhase,
  type PlanSpec,
  plan as planKind,
  unitRefOf,
  unitUidLabel,
} from '../../foundations/kinds/plan.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { digestOfPlan } from '../../foundations/rules/approval-statement.ts'
import { type ApprovalState, approvalState } from '../../foundations/rules/approvals.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { References } from '../../hub/references/references.ts'
import type { Hub } from '../../hub/store/hub.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { RequiredApproval } from '../windows/restraint.ts'
import { describeRejected, describeWaiting } from './describe-decision.ts'
import { type ChangeToApprove, digestOf, planOf } from './plan-of-change.ts'
import { type SignatureDemand, signedApprovals } from './signatures.ts'

export interface PlanPorts {
  readonly references: Pick<References, 'localList'>
  readonly hub: Pick<Hub, 'create' | 'update' | 'delete'>
  readonly clock: Pick<Clock, 'now'>
  /** Of a runner that counts signed approvals only. */
  readonly signatures?: SignatureDemand | undefined
}

export type PlanDecision =
  /** `remember`: call it once that is stored, so that no plan counts that was signed before this one. */
  | { readonly type: 'approved'; readonly plan: Plan; remember(): Promise<void> }
  | { readonly type: 'waiting'; readonly reason: 'ApprovalRequired' | 'PlanRejected'; readonly message: string }

/** Plans of a unit that have ended and are kept. */
const maxEnded = 20

const finished: ReadonlySet<PlanPhase | undefined> = new Set<PlanPhase>(['Applied', 'Stale', 'Expired'])
const options = { fieldManager: 'keelson' }

/**
 * Finds the plan of a change, or stores it, and counts the decisions about it. Plans of other changes of the unit have become stale; one that became so for a while,
 * until drift was corrected, is open again with its decisions. In a dry run, fails with WouldWrite if anything would be stored.
 */
export const decideAbout = async (change: ChangeToApprove, ports: PlanPorts): Promise<PlanDecision> => {
  const { unit, required, isDryRun } = change
  const { signatures } = required
  const now = ports.clock.now()
  const end = async (plan: Plan, status: Plan['status']) => {
    if (isDryRun) throw new WouldWrite('a plan')
    return ports.hub.update({ ...plan, status: status! }, options)
  }
  const digest = digestOf(change)
  // A signature is of what the plan shows, and a hub that is taken over may show something else.
  const shown = signatures && digestOfPlan(planOf(change, digest, now))
  const isShown = (plan: Plan) => shown === undefined || digestOfPlan(plan) === shown
  let current: Plan | undefined
  const [open, ended] = await plansOf(unit, required, ports)
  const isExpired = ({ spec }: Plan) => Date.parse(spec.expiresAt ?? '') <= now
  for (const plan of open) {
    if (isExpired(plan)) await end(plan, { phase: 'Expired', finishedAt: timestamp(now) })
    else if (plan.spec.digest === digest && isMadeFor(plan, required) && isShown(plan) && !current) current = plan
    else await end(plan, { phase: 'Stale', message: 'the change is another one now', finishedAt: timestamp(now) })
  }
  const stale = current
    ? undefined
    : ended.find(plan => isStaleOf(change, digest, plan) && isShown(plan) && !isExpired(plan))
  if (stale) current = await end(stale, { phase: firstPhaseOf(stale.spec) })
  if (!current && isDryRun) throw new WouldWrite('a plan')
  if (!current) for (const old of ended.slice(maxEnded)) await ports.hub.delete(refOf(old), {})
  const plan = current ?? (await ports.hub.create(planOf(change, digest, now), options))
  if (required.count === 0) {
    required.onPlan?.(plan)
    return { type: 'waiting', reason: 'ApprovalRequired', message: '' }
  }
  // Nobody can have decided about a plan that is new.
  const approvals = current ? await ports.references.localList<Approval>(unit, approvalKind) : []
  const { count, authorMayApprove } = required
  const subject = { kind: 'Plan', name: plan.metadata.name } as const
  const { stageApprovedBy } = plan.status ?? {}
  const alsoBy = signatures ? [] : stageApprovedBy
  const needs = { subject, digest, count, author: plan.spec.author, authorMayApprove, alsoBy }
  const signed = signatures && signedApprovals(approvals, plan, signatures, now)
  const counted = approvalState(signed?.approvals ?? approvals, needs, now)
  const state = signed ? ofKeys(counted, count - signed.keys) : counted
  const status = { ...statusOf(state), ...(stageApprovedBy && { stageApprovedBy }) }
  const isSame =
    JSON.stringify({ ...plan.status, message: undefined }) === JSON.stringify({ ...status, message: undefined })
  const updated = isSame ? plan : await end(plan, status)
  required.onPlan?.(updated)
  const remember = async () => {
    if (signed) await signatures?.keepLastSigned(refKey(unitRefOf(plan)), signed.last)
  }
  if (state.state === 'Approved' && !required.onPlan) return { type: 'approved', plan: updated, remember }
  if (state.state === 'Rejected')
    return { type: 'waiting', reason: 'PlanRejected', message: describeRejected(change, plan, state) }
  const missing = state.state === 'Waiting' ? state.missing : 0
  return {
    type: 'waiting',
    reason: 'ApprovalRequired',
    message: describeWaiting(change, plan, missing, signed?.ignored),
  }
}

/** Whether a plan that is stale has become that of the change again: of the same revision, too, and by the same author, whose own approval may not count. */
const isStaleOf = ({ revision, author, required }: ChangeToApprove, digest: string, { spec, status }: Plan): boolean =>
  status?.phase === 'Stale' &&
  spec.digest === digest &&
  spec.revision === revision &&
  spec.author === author &&
  isMadeFor({ spec }, required)

/** Different keys must have signed: users are what the hub says. */
const ofKeys = (state: ApprovalState, missing: number): ApprovalState =>
  state.state === 'Approved' && missing > 0 ? { ...state, state: 'Waiting', missing } : state

const isMadeFor = ({ spec }: Pick<Plan, 'spec'>, { run, count, signatures }: RequiredApproval): boolean =>
  spec.rolloutRun === run &&
  (spec.approvals !== undefined) === count > 0 &&
  spec.approvals?.signedFor === signatures?.cluster

/**
 * The plan of a unit that has waited for a window until now, if it is of this build: it is applied, and nobody has to approve it. All others have
 * become stale.
 */
export const takeScheduled = async (
  unit: KubernetesObject,
  manifests: string,
  { references, hub, clock }: PlanPorts,
): Promise<Plan | undefined> => {
  const plans = await references.localList<Plan>(unit, planKind, `${unitUidLabel}=${unit.metadata.uid}`)
  let found: Plan | undefined
  for (const plan of plans.filter(({ status }) => status?.phase === 'Scheduled'))
    if (plan.spec.manifests === manifests) found = plan
    else {
      const message = 'the change is another one now'
      const status = { phase: 'Stale', message, finishedAt: timestamp(clock.now()) } as const
      await hub.update({ ...plan, status }, options)
    }
  return found
}

/** Marks a plan as applied. */
export const markApplied = async (plan: Plan, { hub, clock }: Pick<PlanPorts, 'hub' | 'clock'>): Promise<void> => {
  const status = { ...plan.status, phase: 'Applied', finishedAt: timestamp(clock.now()) } as const
  await hub.update({ ...plan, status }, options)
}

/** The same for a change of a unit that an earlier pass has begun, by the name of its plan. */
export const markBegunApplied = async (unit: KubernetesObject, name: string, ports: PlanPorts): Promise<void> => {
  const plans = await ports.references.localList<Plan>(unit, planKind, `${unitUidLabel}=${unit.metadata.uid}`)
  const found = plans.find(({ metadata, status }) => metadata.name === name && !finished.has(status?.phase))
  if (found) await markApplied(found, ports)
}

/** A plan that was approved with others: of a unit, by its `Kind/namespace/name`. */
export interface ApprovedPlan {
  readonly key: string
  readonly namespace: string
  readonly plan: Pick<Plan['metadata'], 'name'> & Pick<PlanSpec, 'digest'>
}

/** Notes in each plan who has approved its stage. Returns the units whose plan is another one by now. */
export type ApprovePlans = (
  plans: readonly ApprovedPlan[],
  by: readonly string[],
  signal: AbortSignal,
) => Promise<readonly string[]>

const concurrency = 16

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
        if (found?.spec.digest !== plan.digest || finished.has(found.status?.phase)) changed.push(key)
        else if (!isSameJson(found.status?.stageApprovedBy, by))
          await update<Plan>({ ...found, status: { ...found.status!, stageApprovedBy: [...by] } }, options)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    return changed
  }

/**
 * The plans of a unit: those that are decided about, and those that have ended, newest first. While a revision is proposed, the unit may have another plan
 * for what it is pinned to.
 */
const plansOf = async (
  unit: KubernetesObject,
  { run }: RequiredApproval,
  { references }: PlanPorts,
): Promise<readonly [readonly Plan[], readonly Plan[]]> => {
  const plans = await references.localList<Plan>(unit, planKind, `${unitUidLabel}=${unit.metadata.uid}`)
  const hasEnded = ({ status }: Plan) => finished.has(status?.phase)
  const isOfRun = ({ spec }: Plan) => spec.rolloutRun !== undefined
  const byAge = plans
    .filter(plan => isOfRun(plan) === (run !== undefined))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? 1 : -1))
  return [byAge.filter(plan => !hasEnded(plan)), byAge.filter(hasEnded)]
}

const statusOf = (state: ReturnType<typeof approvalState>): NonNullable<Plan['status']> => {
  switch (state.state) {
    case 'Approved':
      return { phase: 'Approved', approvedBy: [...state.approvedBy] }
    case 'Rejected':
      return {
        phase: 'Rejected',
        rejectedBy: state.rejectedBy,
        ...(state.comment !== undefined && { message: state.comment }),
      }
    case 'Waiting':
      return { phase: 'Waiting', ...(state.approvedBy.length > 0 && { approvedBy: [...state.approvedBy] }) }
  }
}
