import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import { undoOf } from '../../foundations/kinds/undo.ts'
import { conditionOf } from '../../foundations/rules/conditions.ts'
import type { Outcome, Pass } from '../runtime/reconciler.ts'
import { wasApplied } from '../windows/applied-before.ts'
import type { Restraint } from '../windows/restraint.ts'
import { heldBack } from '../windows/waiting.ts'
import type { Revision } from './events.ts'
import { isApplying } from './health/ongoing-check.ts'
import { isRoutine } from './run.ts'

/** A build that a pass is about to apply. */
interface About {
  readonly revision: Revision
  readonly digest: string
  readonly pass: Pass<Kustomization>
  readonly now: number
}

/**
 * The outcome of a pass if windows prevent it from applying its build; otherwise undefined. A build or a spec that was not applied yet is a
 * change; one that was fully applied before is only repaired. A change that has started is completed, so that nothing stays half applied; one
 * that has failed starts over.
 */
export const heldByWindows = (
  kustomization: Kustomization,
  restraint: Restraint,
  { revision, digest, pass, now }: About,
): Outcome<Kustomization> | undefined => {
  const { holds } = restraint
  const isChange = !wasApplied(kustomization, digest, restraint)
  const hold = isChange ? holds.Changes : holds.DriftCorrection
  if (!hold || isApplying(kustomization, revision)) return undefined
  const { conditions, lastAppliedRevision } = kustomization.status ?? {}
  const ready = conditionOf(conditions, 'Ready')
  // No known change waits: the status stays as it is, without a write.
  if (!isChange && ready && isRoutine(kustomization, revision))
    return { type: 'done', routine: true, reason: ready.reason, message: ready.message }
  const change =
    lastAppliedRevision === revision.revision ? 'the new spec waits' : `revision ${revision.revision} waits`
  const what = isChange ? change : 'the correction of drift waits'
  const isPlannable = isChange && !undoOf(kustomization)
  return heldBack(kustomization, what, hold, {
    pass,
    now,
    intervalMs: intervalOf(kustomization),
    isChange: isPlannable,
  })
}
