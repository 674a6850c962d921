import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { InventoryEntry, Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { Held } from '../../foundations/rules/prune-guard.ts'
import { guardConditions, heldOutcome } from '../guard/prune-guard.ts'
import type { Done, Failed } from '../runtime/reconciler.ts'
import { finishedEvent } from './events.ts'
import type { KustomizationRun } from './run.ts'
import { historyAfter, wasReadyFor } from './run.ts'

/** Of a run that has applied everything, and deleted the rest. */
export const reason = 'ReconciliationSucceeded'

/**
 * Everything is applied, pruned and healthy. Enqueues the dependents if it was not before. With deletions that wait, everything
 * else is current, but the cluster does not match the source: Ready is False, as after a failed prune. A routine pass that has
 * changed nothing is not reported: Flux would count it in the history, with an Event.
 */
export const succeed = (
  run: KustomizationRun,
  entries: readonly InventoryEntry[],
  held: Held | undefined,
  isUnchanged = false,
): Done<Kustomization> | Failed<Kustomization> => {
  const { applier: kustomization, pass, clock, revision, startedAt } = run
  const applied = {
    lastAppliedRevision: revision.revision,
    lastAppliedOriginRevision: revision.originRevision ?? null,
  }
  if (held)
    return heldOutcome(kustomization, held, intervalOf(kustomization), {
      inventory: { entries },
      history: historyAfter(run, pruneGuarded),
      ...applied,
    })
  const conditions = guardConditions(kustomization, undefined)
  const message = `Applied revision: ${revision.revision}`
  if (isUnchanged)
    return { type: 'done', reason, message, status: { inventory: { entries }, ...applied }, conditions, routine: true }
  pass.event(finishedEvent(kustomization, reason, clock.now() - startedAt, revision))
  return {
    type: 'done',
    reason,
    message,
    status: {
      inventory: { entries },
      history: historyAfter(run, reason),
      ...applied,
    },
    conditions,
    ...(!wasReadyFor(kustomization, revision.revision) && { triggersDependents: 'readiness' }),
  }
}
