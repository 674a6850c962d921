import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import type { Kustomization, Snapshot } from '../../foundations/kinds/kustomization.ts'
import { undone } from '../../foundations/kinds/undo.ts'
import { conditionOf, isConditionTrue } from '../../foundations/rules/conditions.ts'
import { type ApplierRun, withRun } from '../applied-objects/run.ts'
import type { Halt } from '../runtime/halt.ts'
import type { Failed } from '../runtime/reconciler.ts'
import type { Revision } from './events.ts'
import { failure } from './failure.ts'

/** What is applied, and where; known once the manifests are built. */
export interface KustomizationRun extends ApplierRun<Kustomization> {
  readonly revision: Revision
  /** Nothing has changed: it was ready for this revision before, and no pass was requested. */
  readonly routine: boolean
  /** The generation of the unit whose change waits, while this is a run of what was approved before it. */
  readonly inPlaceOf?: number | undefined
}

/** Whether a pass has nothing new to do: it was ready for this revision, and nobody has requested the pass. */
export const isRoutine = (kustomization: Kustomization, { revision }: Revision): boolean =>
  wasReadyFor(kustomization, revision) && !isReconcileRequested(kustomization)

/** A unit that went back by itself counts as ready for the revision that it keeps. */
export const wasReadyFor = ({ metadata, status }: Kustomization, revision: string): boolean =>
  (isConditionTrue(status?.conditions, 'Ready') || conditionOf(status?.conditions, 'Ready')?.reason === undone) &&
  status?.observedGeneration === metadata.generation &&
  status?.lastAppliedRevision === revision

/** The history with this run, ended with the given reason. */
export const historyAfter = (run: KustomizationRun, status: string): readonly Snapshot[] =>
  withRun(run.applier.status?.history ?? [], run, status, { ...run.revision })

/** Ends a run that has reached the cluster. */
export const runFailure = (
  run: KustomizationRun,
  reason: string,
  message: string,
  { status, ...more }: Omit<Failed<Kustomization>, 'type' | 'reason' | 'message'> = {},
): Halt<Kustomization> =>
  failure(reason, message, { ...more, status: { ...status, history: historyAfter(run, reason) } })
