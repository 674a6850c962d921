/** The outcomes of a pass over a release, reported like helm-controller. */
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { Outcome } from '../runtime/reconciler.ts'
import { detectsDrift } from './drift.ts'
import { waiting } from './failure.ts'
import { activeRetry } from './remediation.ts'
import { successMessage } from './report.ts'
import { summarize } from './summarize.ts'
import type { Work } from './work.ts'

/** Nothing is left to do: conditions of earlier failures are replaced (HR-054). */
export const inSync = ({ draft }: Work, hasDrifted: boolean): Outcome<HelmRelease> => {
  const [current] = draft.status.history ?? []
  if (current && !hasDrifted) {
    if (isConditionTrue(draft.status.conditions, 'Remediated')) {
      draft.remove('Remediated')
      draft.mark('Released', 'True', 'UpgradeSucceeded', successMessage('upgrade', current))
    }
    const { reason } = draft.condition('Released') ?? {}
    if (reason === 'InstallFailed')
      draft.mark('Released', 'True', 'InstallSucceeded', successMessage('install', current))
    if (reason === 'UpgradeFailed')
      draft.mark('Released', 'True', 'UpgradeSucceeded', successMessage('upgrade', current))
    if (detectsDrift(draft.release))
      draft.mark('Drifted', 'False', 'NoDriftDetected', 'No drift detected against the cluster state')
  }
  draft.remove('Reconciling')
  summarize(draft)
  const ready = draft.condition('Ready')
  if (ready?.status !== 'True') return waiting(draft, intervalOf(draft.release), true)
  const { reason, message } = ready
  const { status } = draft.release
  const wasReady =
    isConditionTrue(status?.conditions, 'Ready') &&
    status?.observedGeneration === draft.release.metadata.generation &&
    status?.history?.[0]?.digest === draft.status.history?.[0]?.digest
  return { type: 'done', reason, message, ...draft.change(), ...(!wasReady && { triggersDependents: 'readiness' }) }
}

/** Something newer has ended a wait: the failure is handled like any other, and reported as a cancelled wait. */
export const isCutShort = ({ draft, newer }: Work): boolean =>
  newer !== undefined && ['Released', 'Remediated'].some(type => draft.condition(type)?.status === 'False')

/** The outcome of a failed pass. If something newer was requested since, the failure is a cancellation, and the next pass follows at once (HR-055). */
const orCanceled = ({ draft, newer, pass }: Work, outcome: () => Outcome<HelmRelease>): Outcome<HelmRelease> => {
  if (newer === undefined) return outcome()
  const reason = 'HealthCheckCanceled'
  draft.mark('Ready', 'False', reason, `New reconciliation triggered by ${newer}`)
  const message = `Health checks canceled due to new reconciliation triggered by ${newer}`
  pass.event({ severity: 'info', reason, message })
  return { ...waiting(draft, 0), leavesRequest: true } as Outcome<HelmRelease>
}

/** The pass has failed, and the strategy is to retry without remediation: again after `afterMs`. */
export const retryLater = (work: Work, afterMs: number): Outcome<HelmRelease> => {
  work.draft.markReconciling('ProgressingWithRetry', `retrying after ${formatDuration(afterMs)}`)
  return orCanceled(work, () => waiting(work.draft, afterMs, true))
}

/** Requeues like controller-runtime's rate limiter: at once, then with a delay that doubles with each failure. */
export const requeue = (work: Work): Outcome<HelmRelease> => {
  const { draft } = work
  draft.markReconciling('ProgressingWithRetry', draft.condition('Ready')?.message ?? '')
  return orCanceled(work, () => waiting(draft, Math.min(shortestMs * 2 ** (draft.status.failures ?? 0), longestMs)))
}

const shortestMs = 5
const longestMs = 15 * 60_000

/**
 * Nothing helps but a change of the spec: Stalled=True with the reason and message. Ready and the Event are those of
 * the failure that came before.
 */
export const stall = (work: Work, reason: string, message: string): Outcome<HelmRelease> => {
  const { draft } = work
  draft.markStalled(reason, message)
  const ready = draft.condition('Ready')
  return orCanceled(work, () => ({
    type: 'stalled',
    reason,
    message,
    event: null,
    ...(ready && { ready: { reason: ready.reason, message: ready.message } }),
    ...draft.change(),
  }))
}

/** The action wrote nothing: it is retried, after the retry interval if the spec has one. */
export const notDone = (work: Work, message: string): Outcome<HelmRelease> => {
  const { draft, settings } = work
  const retry = activeRetry(draft.release, draft.status, settings.retryOnFailure)
  if (retry !== undefined) return retryLater(work, retry)
  const ready = draft.condition('Ready')
  const [reason, reported] = ready?.status === 'False' ? [ready.reason, ready.message] : ['ReconcileError', message]
  return orCanceled(work, () => ({
    ...{ type: 'failed', reason, message: reported, event: null, keepsReconciling: true },
    ...draft.change(),
  }))
}
