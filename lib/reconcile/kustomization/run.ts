import type { ClusterClient } from '../../clusters/client/client.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { InventoryEntry, Kustomization, Snapshot } from '../../foundations/kinds/kustomization.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import { withAttempt } from '../../foundations/rules/history.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { Halt } from '../runtime/halt.ts'
import type { Failed, Pass } from '../runtime/reconciler.ts'
import type { Revision } from './events.ts'
import { failure } from './failure.ts'

/** What is being applied, and where to: known once the manifests are built. */
export interface Run {
  readonly kustomization: Kustomization
  readonly pass: Pass<Kustomization>
  readonly clock: Clock
  readonly cluster: ClusterClient
  readonly revision: Revision
  /** Digest of the manifests. */
  readonly digest: string
  /** Milliseconds since the epoch; before the pass when an earlier one began. */
  readonly startedAt: number
  /** Nothing is new: it was ready for this revision before, and nobody has asked for a pass. */
  readonly routine: boolean
}

/** Whether a pass has nothing new to do: it was ready for this revision, and nobody has asked for it. */
export const isRoutine = (kustomization: Kustomization, { revision }: Revision): boolean =>
  wasReadyFor(kustomization, revision) && !isReconcileRequested(kustomization)

export const wasReadyFor = ({ metadata, status }: Kustomization, revision: string): boolean =>
  isConditionTrue(status?.conditions, 'Ready') &&
  status?.observedGeneration === metadata.generation &&
  status?.lastAppliedRevision === revision

/** How Ready is described until a pass has ended. */
export const inProgress = 'Reconciliation in progress'

export const inventoryOf = ({ status }: Kustomization): readonly InventoryEntry[] => status?.inventory?.entries ?? []

/** The history once this run has ended so. */
export const historyAfter = (
  { kustomization, clock, revision, digest, startedAt }: Run,
  status: string,
): readonly Snapshot[] => {
  const endedAt = clock.now()
  return withAttempt(kustomization.status?.history ?? [], {
    digest,
    status,
    endedAt,
    durationMs: endedAt - startedAt,
    metadata: { ...revision },
  })
}

/** Ends a run that has got as far as the cluster. */
export const runFailure = (
  run: Run,
  reason: string,
  message: string,
  { status, ...more }: Omit<Failed<Kustomization>, 'type' | 'reason' | 'message'> = {},
): Halt<Kustomization> =>
  failure(reason, message, { ...more, status: { ...status, history: historyAfter(run, reason) } })
