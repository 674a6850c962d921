import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { plannedCondition } from '../../foundations/kinds/rollout.ts'
import { describeTarget } from '../../foundations/kinds/target-reference.ts'
import { waitingCondition, windowOverridden } from '../../foundations/kinds/window.ts'
import { conditionOf, type NewCondition, timestamp } from '../../foundations/rules/conditions.ts'
import { wasScheduled } from '../../foundations/rules/proposed-plan.ts'
import type { CrossNamespaceSettings } from '../../hub/references/access-denied.ts'
import type { References } from '../../hub/references/references.ts'
import type { LeasePorts } from '../runtime/lease-holding.ts'
import type { Held, Outcome, Pass, Reconciler, StatusUpdate } from '../runtime/reconciler.ts'
import { awaitedUnits } from './awaited-units.ts'
import { confined, inSlot, slotRetryMs } from './confinement.ts'
import type { Proposal, planning } from './plan-proposed.ts'
import {
  type RequiredApproval,
  type Restraining,
  type Restraint,
  type RestraintReason,
  restraintOf,
} from './restraint.ts'

type Unit = KubernetesObject & { readonly status?: { readonly conditions?: readonly Condition[] } }

/** Describes what waits, including the verb: `revision main@sha1:... waits`. */
const describeWaiting = (what: string, { why, until }: Restraining): string =>
  `${what}${until === undefined ? '' : ` until ${timestamp(until)}`}: ${why}`

/** When to check again, in milliseconds: at the end of the hold, but at least once a day, as windows may change. */
const maxWaitMs = 24 * 60 * 60_000

/**
 * Milliseconds until the hold is checked again; those that users end, such as an approval, are checked after the
 * interval.
 */
export const recheckAfterMs = ({ until }: Restraining, now: number, intervalMs: number): number =>
  until === undefined ? intervalMs : Math.min(Math.max(until - now, 0), maxWaitMs)

/** The condition for work that waits. One event for each message. */
export const waitingFor = <T extends Unit>(
  unit: T,
  what: string,
  hold: Restraining,
  pass: Pick<Pass<T>, 'event'>,
): NewCondition => conditionFor(unit, { reason: hold.reason, message: describeWaiting(what, hold) }, pass)

const conditionFor = <T extends Unit>(
  unit: T,
  { reason, message }: { readonly reason: RestraintReason; readonly message: string },
  pass: Pick<Pass<T>, 'event'>,
): NewCondition => {
  if (conditionOf(unit.status?.conditions, waitingCondition)?.message !== message)
    pass.event({ severity: 'info', reason: waitingCondition, message })
  return { status: 'True', reason, message }
}

/** The outcome of a pass that must not do its work now: nothing has happened, and the status stays as it was. */
export const heldBack = <T extends Unit>(
  unit: T,
  what: string,
  hold: Restraining,
  {
    pass,
    now,
    intervalMs,
    isChange = false,
  }: {
    readonly pass: Pick<Pass<T>, 'event'>
    readonly now: number
    readonly intervalMs: number
    readonly isChange?: boolean
  },
): Held<T> => {
  const condition = waitingFor(unit, what, hold, pass)
  return {
    type: 'held',
    reason: condition.reason,
    message: condition.message,
    conditions: { [waitingCondition]: condition },
    isChange,
    ...(hold.until !== undefined && { afterMs: recheckAfterMs(hold, now, intervalMs) }),
  }
}

/** The outcome of a pass whose change waits for users: it is checked again at every interval, as what it would change may change. */
export const awaiting = <T extends Unit>(
  unit: T,
  { reason, message }: { readonly reason: RestraintReason; readonly message: string },
  pass: Pick<Pass<T>, 'event'>,
): Held<T> => {
  const condition = conditionFor(unit, { reason, message }, pass)
  return { type: 'held', reason, message, conditions: { [waitingCondition]: condition } }
}

/** How a pass ends that was made to find what it would change. */
export const onlyPlanned = { reason: 'ApprovalRequired', message: 'it is only planned' } as const

/** The condition of an override that has an effect; null for none. One event for each override. */
const overrideCondition = <T extends Unit>(
  unit: T,
  { override }: Restraint,
  pass: Pick<Pass<T>, 'event'>,
): NewCondition | null => {
  if (!override) return null
  const message = `${override.by} overrides the windows until ${timestamp(override.until)}: ${override.reason}`
  if (conditionOf(unit.status?.conditions, windowOverridden)?.message !== message)
    pass.event({ severity: 'info', reason: windowOverridden, message })
  return { status: 'True', reason: windowOverridden, message }
}

interface Ports extends LeasePorts {
  readonly references: References
  /** Whose units may be dependencies of whom. Without it, units wait for none. */
  readonly settings?: CrossNamespaceSettings
  /** For kinds that take revisions from Rollouts. */
  readonly rollouts?: RolloutsOfUnits
}

/** What Rollouts have to do with the passes of units. */
export interface RolloutsOfUnits {
  restraining<T extends Unit>(
    unit: T,
    restraint: Restraint,
    reads: References,
    pass: Pick<Pass<T>, 'dryRun'>,
  ): Promise<RolledOut<T>>
}

/**
 * A hold until a Rollout has pinned the unit; otherwise the end of a pass with what it says about the pin, and the approval that the revision of the pin
 * needs. A revision may be proposed in both cases: it is planned.
 */
export type RolledOut<T extends Unit> = { readonly proposal?: Proposal<T> } & (
  | { readonly hold: Restraining }
  | {
      /** `continues`: when what the pass has continued began, in milliseconds since the epoch. */
      readonly noted: (outcome: Outcome<T>, continues: number | undefined) => Outcome<T>
      readonly approval?: RequiredApproval
    }
)

/** What needs an approval and can't be planned waits: it would otherwise go on without one. */
const withoutPlans = ({ kind }: Unit, { approval, ...restraint }: Restraint): Restraint => {
  if (!approval) return restraint
  const why = `${approval.requiredBy} requires an approval, and changes of a ${kind} can't be planned`
  const hold = { reason: 'ApprovalRequired', why } as const
  const held = approval.of === 'Deletions' ? { Deletions: hold } : { Changes: hold, Deletions: hold }
  return { ...restraint, holds: { ...held, ...restraint.holds } }
}

type Parts<T extends Unit> = Pick<Reconciler<T>, 'intervalOf' | 'finalize' | 'endRun'> & {
  /** Its changes can be planned, and so approved. */
  readonly planning?: typeof planning
  reconcile(unit: T, pass: Pass<T>, restraint: Restraint): Promise<Outcome<T>>
}

/** What `confined` needs to know of a unit: the clock, and whether somebody has requested the pass. */
export const partsOf = ({ clock }: Pick<Ports, 'clock'>, unit: KubernetesObject) => ({
  clock,
  isRequested: isReconcileRequested(unit),
})

/** A unit as if it named the default ServiceAccount of its Cluster itself. */
export const actingBy = <T extends Unit>(unit: T, { account }: Restraint): T => {
  const spec = unit.spec as { readonly serviceAccountName?: string } | undefined
  return account && !spec?.serviceAccountName ? { ...unit, spec: { ...spec, serviceAccountName: account } } : unit
}

/** A change that waits for a window. */
const isScheduled = <T extends Unit>(outcome: Outcome<T>): outcome is Held<T> =>
  outcome.type === 'held' && outcome.isChange === true && outcome.reason === 'OutsideWindow'

/** A pass that finds all slots of its cluster taken has done nothing, and takes up no request. */
const withoutSlot = ({ share }: Restraint) => {
  const { passes, access } = share!
  const message = `${passes === 1 ? 'another unit is' : `${passes} other units are`} applied to the cluster of ${describeTarget(access)}, as many as its Cluster allows`
  const condition = { status: 'True', reason: 'ClusterBusy', message } as const
  const conditions = { [waitingCondition]: condition }
  return { type: 'waiting', afterMs: slotRetryMs, leavesRequest: true, conditions } as const
}

/**
 * A unit's reconciler, restrained. On a suspended Cluster it does nothing, and even a deletion waits. The cluster client that it gets never
 * deletes the protected kinds of its Clusters, and keeps to their limits. The rest is up to `reconcile`. Removes the condition `Waiting` when
 * nothing waits any more.
 */
export const restrained = <T extends Unit>(
  ports: Ports,
  { intervalOf, reconcile, finalize, endRun, planning }: Parts<T>,
): Pick<Reconciler<T>, 'intervalOf' | 'reconcile' | 'finalize' | 'endRun'> => ({
  intervalOf,
  ...(endRun && {
    endRun: async (unit, pass) => {
      const restraint = await restraintOf(unit, ports.references, ports.clock.now())
      return endRun(
        actingBy(unit, restraint),
        confined(pass, partsOf(ports, unit), async () => restraint),
      )
    },
  }),
  reconcile: async (unit, passOf) => {
    const { references, clock } = ports
    let continues: number | undefined
    const pass: typeof passOf = {
      ...passOf,
      note: note => {
        if ('continues' in note) continues = note.continues
        passOf.note(note)
      },
    }
    const now = clock.now()
    const reads = pass.dryRun?.references(references) ?? references
    const found = await restraintOf(unit, reads, now)
    const restraint = planning ? found : withoutPlans(unit, found)
    const { suspended } = restraint
    if (suspended) return heldBack(unit, 'everything waits', suspended, { pass, now, intervalMs: intervalOf(unit) })
    const rollout = await ports.rollouts?.restraining(unit, restraint, reads, pass)
    const unpinned = rollout && 'hold' in rollout ? rollout.hold : undefined
    const proposal = rollout?.proposal
    const awaited = unpinned || !ports.settings ? undefined : await awaitedUnits(unit, reads, ports.settings)
    const hold = unpinned ?? awaited
    const held = (hold: Restraining) =>
      heldBack(unit, unpinned ? 'its first revision waits' : 'everything waits', hold, {
        ...{ pass, now, intervalMs: intervalOf(unit) },
      })
    if (unpinned && !proposal) return held(unpinned)
    const required = rollout && 'approval' in rollout ? rollout.approval : restraint.approval
    const own = { ...restraint, ...(required && { approval: required }) }
    const plan = (unit: T, pass: Pass<T>, approval: RequiredApproval) =>
      reconcile(actingBy(unit, restraint), pass, { ...restraint, holds: {}, approval })
    const override = overrideCondition(unit, restraint, pass)
    const done = await inSlot(
      ports,
      restraint,
      confined(pass, partsOf(ports, unit), async () => restraint),
      async pass => {
        const outcome = hold ? held(hold) : await reconcile(actingBy(unit, restraint), pass, own)
        if (proposal && planning) return planning.ofProposal(outcome, proposal, pass, plan)
        return planning && isScheduled(outcome)
          ? planning.ofHeld(outcome, unit, { pass, plan, intervalMs: intervalOf(unit), approval: own.approval })
          : outcome
      },
    )
    if (!done) return withoutSlot(restraint)
    const outcome = rollout && 'noted' in rollout ? rollout.noted(done.result, continues) : done.result
    const none: StatusUpdate<T>['conditions'] = {
      ...(outcome.type !== 'held' && { [waitingCondition]: null }),
      ...(planning && wasScheduled(unit) && { [plannedCondition]: null }),
    }
    return { ...outcome, conditions: { ...none, [windowOverridden]: override, ...outcome.conditions } }
  },
  finalize: async (unit, pass) => {
    const isLeftAlone = (unit.spec as { readonly suspend?: boolean } | undefined)?.suspend === true
    if (isLeftAlone) return finalize(unit, pass)
    const restraint = await restraintOf(unit, ports.references, ports.clock.now())
    const { suspended } = restraint
    if (!suspended) {
      const done = await inSlot(
        ports,
        restraint,
        confined(pass, partsOf(ports, unit), async () => restraint),
        pass => finalize(actingBy(unit, restraint), pass),
      )
      if (!done) return withoutSlot(restraint)
      const { result } = done
      return result && { ...result, conditions: { [waitingCondition]: null, ...result.conditions } }
    }
    const condition = waitingFor(unit, 'the deletion waits', suspended, pass)
    return { type: 'waiting', afterMs: intervalOf(unit), conditions: { [waitingCondition]: condition } }
  },
})
