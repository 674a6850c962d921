import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { intervalOf, type ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { wasApplied } from '../windows/applied-before.ts'
import type { Restraint } from '../windows/restraint.ts'
import { heldBack } from '../windows/waiting.ts'
import type { ResourceSetRun } from './run.ts'

/** The outcome of a pass if windows prevent it from applying the rendered objects; otherwise undefined. As for a Kustomization. */
export const heldByWindows = (
  { applier: set, pass, digest, clock }: ResourceSetRun,
  restraint: Restraint,
): Outcome<ResourceSet> | undefined => {
  const { holds } = restraint
  const isChange = !wasApplied(set, digest, restraint)
  const hold = isChange ? holds.Changes : holds.DriftCorrection
  if (!hold) return undefined
  const ready = conditionOf(set.status?.conditions, 'Ready')
  if (!isChange && ready?.status === 'True' && !isReconcileRequested(set))
    return { type: 'done', routine: true, reason: ready.reason, message: ready.message }
  const what = isChange ? 'what is rendered waits' : 'the correction of drift waits'
  return heldBack(set, what, hold, { pass, now: clock.now(), intervalMs: intervalOf(set) })
}
