import type { InventoryEntry, Snapshot } from '../../foundations/kinds/applied.ts'
import { pruneGuarded } from '../../foundations/kinds/applied.ts'
import type { Condition, KubernetesObject } from '../../foundations/kinds/object.ts'
import { undone } from '../../foundations/kinds/undo.ts'
import { waitingCondition } from '../../foundations/kinds/window.ts'
import { conditionOf, isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { Pass, StatusUpdate } from '../runtime/reconciler.ts'
import type { Restraining, Restraint } from './restraint.ts'
import { recheckAfterMs, waitingFor } from './waiting.ts'

type Unit = KubernetesObject & {
  readonly status?: {
    readonly conditions?: readonly Condition[]
    readonly history?: readonly Snapshot[]
    readonly observedGeneration?: number
  }
}

/** The reasons of runs that have applied everything. */
const appliedAll: ReadonlySet<string> = new Set([
  'ReconciliationSucceeded',
  'HealthCheckFailed',
  'PruneFailed',
  pruneGuarded,
])

/** Whether the last run has applied all of this build, for this spec, so that another run only repairs it. */
export const wasApplied = (
  { metadata, status }: Unit,
  digest: string,
  { isRepair }: Pick<Restraint, 'isRepair'> = {},
): boolean => {
  const [last] = status?.history ?? []
  const isOfLast = last?.digest === digest && appliedAll.has(last.lastReconciledStatus)
  return isRepair === true || (isOfLast && isOfSpec({ metadata, status }))
}

/** Whether the last run that has reached the cluster was of this spec. A pass may have failed before it did, and says nothing of the spec then. */
const isOfSpec = ({ metadata: { generation }, status }: Pick<Unit, 'metadata' | 'status'>): boolean => {
  const ready = conditionOf(status?.conditions, 'Ready')
  if (ready?.observedGeneration !== generation) return false
  return (
    isOfRun(ready) || (status?.observedGeneration === generation && !isConditionTrue(status?.conditions, 'Stalled'))
  )
}

/** Whether Ready says how a run has ended that has applied everything, and not that a pass has failed before it reached the cluster. */
export const isOfRun = (ready: Condition | undefined): boolean =>
  ready?.status === 'True' || appliedAll.has(ready?.reason ?? '') || ready?.reason === undone

export interface DeletionsWaiting<T extends Unit> {
  readonly unit: T
  readonly postponed: readonly InventoryEntry[]
  /** Why they wait; undefined if none do. */
  readonly hold: Restraining | undefined
  readonly pass: Pass<T>
  readonly now: number
  readonly intervalMs: number
}

/** The outcome of a run whose deletions wait: the rest is current, and the next pass runs when they are allowed. */
export const withDeletionsWaiting = <T extends Unit, O extends StatusUpdate<T> & { readonly afterMs?: number }>(
  outcome: O,
  { unit, postponed, hold, pass, now, intervalMs }: DeletionsWaiting<T>,
): O => {
  if (!hold || postponed.length === 0) return outcome
  const what = postponed.length === 1 ? '1 deletion waits' : `${postponed.length} deletions wait`
  return {
    ...outcome,
    conditions: { ...outcome.conditions, [waitingCondition]: waitingFor(unit, what, hold, pass) },
    afterMs: Math.min(outcome.afterMs ?? intervalMs, recheckAfterMs(hold, now, intervalMs)),
  }
}
