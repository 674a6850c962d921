import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { intervalOf } from '../../foundations/kinds/resource-set.ts'
import type { TargetReference } from '../../foundations/kinds/target-reference.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Held } from '../../foundations/rules/prune-guard.ts'
import { inProgress } from '../applied-objects/run.ts'
import { rememberApproved } from '../approvals/keep-approved.ts'
import { unsignedDeletions } from '../approvals/unsigned-deletions.ts'
import { guardConditions, heldOutcome } from '../guard/prune-guard.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Failed, Outcome } from '../runtime/reconciler.ts'
import type { ApprovedBuild } from '../runtime/unit-memory.ts'
import { withDeletionsWaiting } from '../windows/applied-before.ts'
import type { Restraint } from '../windows/restraint.ts'
import { type Applied, applySteps, untilNextShare } from './apply-steps.ts'
import { clearanceOf } from './clearance.ts'
import { collect, heldOf } from './collect.ts'
import type { Context } from './context.ts'
import { finishedEvent } from './events.ts'
import { heldByWindows } from './held-by-windows.ts'
import type { OngoingWait } from './ongoing-wait.ts'
import { requireHealthy } from './require-healthy.ts'
import { historyAfter, objectsOf, orRunFailure, type ResourceSetRun, secretsOf } from './run.ts'

/** The state from which the objects of a run are applied. */
interface Start {
  /** The cluster. */
  readonly reference: TargetReference | undefined
  /** A wait that an earlier pass began. */
  readonly ongoing: OngoingWait | undefined
  /** For a cluster that has just been approved: binds the set to it. */
  readonly bind: (() => Promise<void>) | undefined
}

/** Applies what is rendered, as far as it may be applied now: collects what is no longer rendered, and waits until all is healthy. */
export const applyRendered = async (
  run: ResourceSetRun,
  { reference, ongoing, bind }: Start,
  restraint: Restraint,
  context: Context,
): Promise<Outcome<ResourceSet>> => {
  const { applier: set, pass, digest, steps } = run
  const begun = ongoing?.digest === digest ? ongoing : undefined
  const waiting = begun ? undefined : heldByWindows(run, restraint)
  if (waiting) return waiting
  const clearance = await clearanceOf(run, reference, restraint, context)
  if (clearance.waiting) return clearance.waiting
  const { lastAppliedRevision } = set.status ?? {}
  pass.note({
    ...{ phase: 'Apply', manifests: digest },
    hasNewInputs: lastAppliedRevision !== undefined && lastAppliedRevision !== digest,
    ...{ objects: () => objectsOf(run), secrets: secretsOf(run).secrets },
  })
  const held = await heldOf(run, restraint, clearance.deletions, context)
  if (bind) {
    await pass.progress(inProgress, { status: { inventory: { entries: [] } } })
    await bind()
  }
  const steppedThrough = await applySteps(run, begun, context)
  const unasked = restraint.holds.Deletions
  const allowed = clearance.isSigned ? clearance.deletions : undefined
  const applied = await collect(run, steppedThrough, held, { isHeld: unasked !== undefined, allowed })
  const hold = unasked ?? (applied.postponed.length > 0 ? unsignedDeletions : undefined)
  const last = steps.at(-1)
  if (set.spec.wait && last) await requireHealthy(run, last, applied.changes, begun, context)
  await clearance.applied?.()
  if (restraint.approval || clearance.isJudged) await rememberRendered(run, context)
  const timing = { pass, now: context.clock.now(), intervalMs: intervalOf(set) }
  return withDeletionsWaiting(succeed(run, applied, held, context), {
    unit: set,
    postponed: applied.postponed,
    hold,
    ...timing,
  })
}

const rememberRendered = ({ applier: unit, pass, digest, steps, inputs }: ResourceSetRun, context: Context) => {
  const put = () => context.renderings.put(unit, digest, { spec: unit.spec, steps, inputs })
  return rememberApproved({ unit, digest, pass, put }, { units: context.units, builds: context.renderings })
}

/**
 * Applies again what was approved last, in place of what `run` has rendered and may not apply yet. Undefined if it is not stored, or if the set is to act on another
 * cluster or as another ServiceAccount now: that was not approved.
 */
export const applyApproved = async (
  { applier: set, ...run }: ResourceSetRun,
  { build: digest }: ApprovedBuild,
  start: Start,
  restraint: Restraint,
  context: Context,
): Promise<Outcome<ResourceSet> | undefined> => {
  if (start.bind) return undefined
  const stored = await orRunFailure({ ...run, applier: set }, () => context.renderings.get(set, digest))
  if (!stored) return undefined
  if (stored.spec.serviceAccountName !== set.spec.serviceAccountName) return undefined
  const { spec, steps, inputs } = stored
  const approved = { ...run, applier: { ...set, spec }, steps, inputs, digest }
  return applyRendered(approved, start, restraint, context).catch(outcomeOfHalt)
}

/**
 * Everything is applied, collected and healthy. Enqueues the dependents if it was not before. With deletions that wait, Ready
 * is False, as after a failed collection.
 */
const succeed = (
  run: ResourceSetRun,
  { entries, isShared }: Applied,
  held: Held | undefined,
  { settings }: Context,
): Done<ResourceSet> | Failed<ResourceSet> => {
  const { applier: set, pass, clock, digest, startedAt } = run
  const applied = { inventory: { entries }, lastAppliedRevision: digest }
  if (held) return heldOutcome(set, held, intervalOf(set), { ...applied, history: historyAfter(run, pruneGuarded) })
  const reason = 'ReconciliationSucceeded'
  const ready = conditionOf(set.status?.conditions, 'Ready')
  const wasReady = ready?.status === 'True' && set.status?.lastAppliedRevision === digest
  // Duration and history stay those of the last pass that changed something.
  if (pass.dryRun && wasReady)
    return {
      type: 'done',
      reason,
      message: ready.message,
      status: applied,
      conditions: guardConditions(set, undefined),
    }
  const message = `Reconciliation finished in ${formatDuration(clock.now() - startedAt)}`
  pass.event(finishedEvent(message))
  return {
    type: 'done',
    reason,
    message,
    conditions: guardConditions(set, undefined),
    status: { ...applied, history: historyAfter(run, reason) },
    ...(!wasReady && { triggersDependents: 'readiness' }),
    ...(!isShared && { afterMs: untilNextShare(run, settings) }),
  }
}
