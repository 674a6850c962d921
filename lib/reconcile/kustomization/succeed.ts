import type { InventoryEntry, Kustomization } from '../../kinds/kustomization.ts'
import { isConditionTrue } from '../../rules/conditions.ts'
import type { Done } from '../runtime/reconciler.ts'
import { finishedEvent } from './events.ts'
import type { Run } from './run.ts'
import { historyAfter } from './run.ts'

const reason = 'ReconciliationSucceeded'

/** All is applied, pruned and healthy. Those that depend on it learn of it when it was not so before. */
export const succeed = (run: Run, entries: readonly InventoryEntry[]): Done<Kustomization> => {
  const { kustomization, pass, clock, revision, startedAt } = run
  pass.event(finishedEvent(kustomization, reason, clock.now() - startedAt, revision))
  return {
    type: 'done',
    reason,
    message: `Applied revision: ${revision.revision}`,
    status: {
      inventory: { entries },
      history: historyAfter(run, reason),
      lastAppliedRevision: revision.revision,
      lastAppliedOriginRevision: revision.originRevision ?? null,
    },
    ...(!wasReadyFor(kustomization, revision.revision) && { announce: 'readiness' }),
  }
}

const wasReadyFor = ({ metadata, status }: Kustomization, revision: string): boolean =>
  isConditionTrue(status?.conditions, 'Ready') &&
  status?.observedGeneration === metadata.generation &&
  status?.lastAppliedRevision === revision
