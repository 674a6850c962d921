/** Reports the result of an action on a release like helm-controller: conditions, counters and Events (HR-072, HR-073, HR-076, HR-106, HR-107). */
import type { ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import type { NewEvent } from '../runtime/reconciler.ts'
import type { Draft } from './draft.ts'
import { describeChart, describeRelease, isTested } from './history.ts'
import { releaseNameOf, releaseNamespaceOf } from './names.ts'
import { activeRemediation, failureCount, type Remediation, retryAfter } from './remediation.ts'

/** The release that was attempted, successful or not. */
export interface Attempt {
  readonly chartName: string
  readonly chartVersion: string
  readonly appVersion?: string | undefined
  readonly configDigest: string
  readonly ociDigest?: string | undefined
}

type SendEvent = (event: NewEvent) => void

const group = 'helm.toolkit.fluxcd.io'

/**
 * The metadata of Events, which notification-controller and Alerts read: the chart's version as `revision`, the digest
 * of the values as `token`.
 */
export const metadataOf = ({
  chartVersion,
  configDigest,
  appVersion,
  ociDigest,
}: Omit<Attempt, 'chartName'>): Readonly<Record<string, string>> => ({
  [`${group}/revision`]: chartVersion,
  [`${group}/token`]: configDigest,
  ...(appVersion && { [`${group}/app-version`]: appVersion }),
  ...(ociDigest && { [`${group}/oci-digest`]: ociDigest }),
})

const event = (severity: NewEvent['severity'], reason: string, message: string, attempt: Attempt): NewEvent => ({
  severity,
  reason,
  message,
  metadata: metadataOf(attempt),
})

/** Appends the last lines of Helm's log, with repeats folded. */
const withLogs = (message: string, logs: readonly string[]): string =>
  logs.length === 0 ? message : `${message}\n\nLast Helm logs:\n\n${logs.slice(-10).join('\n')}`

const verbs = { install: 'Install', upgrade: 'Upgrade' } as const

/**
 * Reports a successful install or upgrade: Released=True, TestSuccess=Unknown if tests follow, and an Event. With the
 * retry strategy it also ends the count of failures.
 */
export const reportReleased = (
  draft: Draft,
  action: 'install' | 'upgrade',
  retriesByDefault: boolean,
  sendEvent: SendEvent,
): void => {
  const current = latest(draft)
  const reason = `${verbs[action]}Succeeded`
  const message = successMessage(action, current)
  draft.mark('Released', 'True', reason, message)
  if (draft.release.spec.test?.enable && !isTested(current)) {
    const what = `Helm release ${describeRelease(current)} with chart ${describeChart(current)} is awaiting tests`
    draft.mark('TestSuccess', 'Unknown', 'AwaitingTests', what)
  }
  if (retryAfter(draft.release, action, retriesByDefault) !== undefined) clearFailures(draft)
  sendEvent(event('info', reason, message, current))
}

/** Helm-controller's message of Released=True after an install or upgrade. */
export const successMessage = (action: 'install' | 'upgrade', snapshot: ReleaseSnapshot): string =>
  `Helm ${action} succeeded for release ${describeRelease(snapshot)} with chart ${describeChart(snapshot)}`

/**
 * Reports a failed install or upgrade: Released=False, one more failure, and an Event with the last lines of Helm's
 * log.
 */
export const reportNotReleased = (
  draft: Draft,
  action: 'install' | 'upgrade',
  attempt: Attempt,
  { message: why, logs }: { readonly message: string; readonly logs: readonly string[] },
  sendEvent: SendEvent,
): void => {
  const { onCluster: release } = draft
  const reason = `${verbs[action]}Failed`
  const name = `${releaseNamespaceOf(release)}/${releaseNameOf(release)}`
  const chart = `${attempt.chartName}@${attempt.chartVersion}`
  const message = `Helm ${action} failed for release ${name} with chart ${chart}: ${why.trim()}`
  countFailure(draft)
  draft.mark('Released', 'False', reason, message)
  sendEvent(event('error', reason, withLogs(message, logs), attempt))
}

/**
 * Reports a successful remediation of `snapshot`: Remediated=True and an Event. `configDigest` is that of the failed
 * attempt.
 */
export const reportRemediated = (
  draft: Draft,
  action: 'rollback' | 'uninstall',
  snapshot: ReleaseSnapshot,
  configDigest: string,
  sendEvent: SendEvent,
): void => {
  const [reason, what] =
    action === 'rollback'
      ? ['RollbackSucceeded', 'Helm rollback to previous release']
      : ['UninstallSucceeded', 'Helm uninstall remediation for release']
  const message = `${what} ${describeRelease(snapshot)} with chart ${describeChart(snapshot)} succeeded`
  draft.mark('Remediated', 'True', reason, message)
  sendEvent(event('info', reason, message, { ...snapshot, configDigest }))
}

/**
 * Reports a failed remediation of `snapshot`: Remediated=False, one more failure, and an Event with the last lines of
 * Helm's log.
 */
export const reportNotRemediated = (
  draft: Draft,
  action: 'rollback' | 'uninstall',
  snapshot: ReleaseSnapshot,
  configDigest: string,
  { message: why, logs }: { readonly message: string; readonly logs: readonly string[] },
  sendEvent: SendEvent,
): void => {
  const [reason, what] =
    action === 'rollback'
      ? ['RollbackFailed', 'Helm rollback to previous release']
      : ['UninstallFailed', 'Helm uninstall remediation for release']
  const message = `${what} ${describeRelease(snapshot)} with chart ${describeChart(snapshot)} failed: ${why.trim()}`
  countFailure(draft)
  draft.mark('Remediated', 'False', reason, message)
  sendEvent(event('error', reason, withLogs(message, logs), { ...snapshot, configDigest }))
}

/** A rollback by a user: the release is as it should be, unlike after a remediation. */
export const reportUndone = (
  draft: Draft,
  attempt: Attempt,
  failure: { readonly message: string; readonly logs: readonly string[] } | undefined,
  sendEvent: SendEvent,
): void => {
  const { onCluster: release } = draft
  const chart = `${attempt.chartName}@${attempt.chartVersion}`
  const what = `Helm rollback of release ${releaseNamespaceOf(release)}/${releaseNameOf(release)} to chart ${chart}`
  if (!failure) {
    const message = `${what} succeeded`
    clearFailures(draft)
    draft.mark('Released', 'True', 'RollbackSucceeded', message)
    sendEvent(event('info', 'RollbackSucceeded', message, attempt))
    return
  }
  const message = `${what} failed: ${failure.message.trim()}`
  countFailure(draft)
  draft.mark('Released', 'False', 'RollbackFailed', message)
  sendEvent(event('error', 'RollbackFailed', withLogs(message, failure.logs), attempt))
}

/** Reports that the latest snapshot's test hooks have succeeded, or that it has none: TestSuccess=True and an Event. */
export const reportTested = (draft: Draft, sendEvent: SendEvent): void => {
  const current = latest(draft)
  const count = Object.keys(current.testHooks ?? {}).length
  const hooks = count === 0 ? 'no test hooks' : `${count} test hook${count > 1 ? 's' : ''} completed successfully`
  const message = `Helm test succeeded for release ${describeRelease(current)} with chart ${describeChart(current)}: ${hooks}`
  draft.mark('TestSuccess', 'True', 'TestSucceeded', message)
  sendEvent(event('info', 'TestSucceeded', message, current))
}

/**
 * Reports a failed test: TestSuccess=False, and an Event with the last lines of Helm's log. It counts as a failure of
 * the action before it, which may be remediated, unless test failures are ignored.
 */
export const reportTestsFailed = (
  draft: Draft,
  { message: why, logs }: { readonly message: string; readonly logs: readonly string[] },
  sendEvent: SendEvent,
): void => {
  const current = latest(draft)
  const message = `Helm test failed for release ${describeRelease(current)} with chart ${describeChart(current)}: ${why.trim()}`
  countFailure(draft)
  draft.mark('TestSuccess', 'False', 'TestFailed', message)
  sendEvent(event('error', 'TestFailed', withLogs(message, logs), current))
  const remediation = activeRemediation(draft.release, draft.status)
  if (isTested(current) && remediation && !remediation.ignoresTestFailures) countAgainst(draft, remediation)
}

/**
 * Reports that a release was pending when its controller died, and has `status` no more: Released=False with
 * PendingRelease, and an Event.
 */
export const reportUnlocked = (draft: Draft, snapshot: ReleaseSnapshot, status: string, sendEvent: SendEvent): void => {
  const message = `Unlocked Helm release ${describeRelease(snapshot)} with chart ${describeChart(snapshot)} in ${status} state`
  draft.mark('Released', 'False', 'PendingRelease', message)
  sendEvent(event('info', 'PendingRelease', message, snapshot))
}

/**
 * Reports the uninstallation of a deleted or renamed HelmRelease's release: Released=False with UninstallSucceeded, an
 * empty inventory and an Event.
 */
export const reportUninstalled = (draft: Draft, sendEvent: SendEvent): void => {
  const current = latest(draft)
  const message = `Helm uninstall succeeded for release ${describeRelease(current)} with chart ${describeChart(current)}`
  draft.set({ inventory: null })
  draft.mark('Released', 'False', 'UninstallSucceeded', message)
  sendEvent(event('info', 'UninstallSucceeded', message, current))
}

/**
 * Reports that a release could not be uninstalled: Released=False, one more failure, and an Event. The inventory stays,
 * as objects may be left.
 */
export const reportNotUninstalled = (
  draft: Draft,
  { message: why, logs }: { readonly message: string; readonly logs: readonly string[] },
  sendEvent: SendEvent,
): void => {
  const current = latest(draft)
  const message = `Helm uninstall failed for release ${describeRelease(current)} with chart ${describeChart(current)}: ${why.trim()}`
  countFailure(draft)
  draft.mark('Released', 'False', 'UninstallFailed', message)
  sendEvent(event('error', 'UninstallFailed', withLogs(message, logs), current))
}

const latest = ({ status }: Draft): ReleaseSnapshot => status.history![0]!

const countFailure = (draft: Draft): void => draft.set({ failures: (draft.status.failures ?? 0) + 1 })

/** One more failure of the action, against its retries. */
export const countAgainst = (draft: Draft, remediation: Remediation): void =>
  draft.set({ [remediation.counter]: failureCount(remediation, draft.status) + 1 })

/** Starts to count again: after success, and for a new spec, chart, values or reset request. */
export const clearFailures = (draft: Draft): void =>
  draft.set({ failures: null, installFailures: null, upgradeFailures: null })
