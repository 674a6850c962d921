/** What follows a failed action, according to the spec: a remediation, or a retry (HR-057 to HR-064). Pure. */
import { durationMs } from '../../foundations/kinds/duration.ts'
import type { HelmRelease, HelmReleaseSpec, HelmReleaseStatus } from '../../foundations/kinds/helm-release.ts'

export interface Remediation {
  readonly counter: 'installFailures' | 'upgradeFailures'
  /** Negative = unlimited. */
  readonly retries: number
  readonly ignoresTestFailures: boolean
  readonly remediatesLastFailure: boolean
  readonly strategy: 'rollback' | 'uninstall'
  /** A failed upgrade is uninstalled and then installed again at once. */
  readonly isUninstallAfterUpgrade: boolean
}

/**
 * What follows a failed install: up to `retries` more attempts, each after an uninstall. The last failure stays as it
 * is unless the spec says otherwise.
 */
export const installRemediation = ({ install, test }: HelmReleaseSpec): Remediation => {
  const { retries = 0, ignoreTestFailures, remediateLastFailure = false } = install?.remediation ?? {}
  return {
    counter: 'installFailures',
    retries,
    ignoresTestFailures: ignoreTestFailures ?? test?.ignoreFailures ?? false,
    remediatesLastFailure: remediateLastFailure,
    strategy: 'uninstall',
    isUninstallAfterUpgrade: false,
  }
}

/**
 * What follows a failed upgrade: a rollback, or an uninstall if `strategy` says so. The last failure is remediated too
 * if there are any retries (HR-064).
 */
export const upgradeRemediation = ({ upgrade, test }: HelmReleaseSpec): Remediation => {
  const { retries = 0, ignoreTestFailures, remediateLastFailure, strategy = 'rollback' } = upgrade?.remediation ?? {}
  return {
    counter: 'upgradeFailures',
    retries,
    ignoresTestFailures: ignoreTestFailures ?? test?.ignoreFailures ?? false,
    remediatesLastFailure: remediateLastFailure ?? retries > 0,
    strategy,
    isUninstallAfterUpgrade: strategy === 'uninstall',
  }
}

type Attempted = Pick<HelmReleaseStatus, 'lastAttemptedReleaseAction'>

/** The remediation of the last attempted action; undefined if there was none. */
export const activeRemediation = (
  { spec }: Pick<HelmRelease, 'spec'>,
  { lastAttemptedReleaseAction }: Attempted,
): Remediation | undefined => {
  if (lastAttemptedReleaseAction === 'install') return installRemediation(spec)
  return lastAttemptedReleaseAction === 'upgrade' ? upgradeRemediation(spec) : undefined
}

/** How often the action has failed for the current spec, chart and values. */
export const failureCount = ({ counter }: Remediation, status: HelmReleaseStatus): number => status[counter] ?? 0

/** Whether an action has failed more often than its spec retries it; negative `retries` never end. */
export const areRetriesExhausted = (remediation: Remediation, status: HelmReleaseStatus): boolean =>
  remediation.retries >= 0 && failureCount(remediation, status) > remediation.retries

const defaultRetryMs = 5 * 60_000

/** Milliseconds until an action is retried, if failures are retried instead of remediated; otherwise undefined. */
export const retryAfter = (
  { spec }: Pick<HelmRelease, 'spec'>,
  action: 'install' | 'upgrade',
  retriesByDefault: boolean,
): number | undefined => {
  const strategy = spec[action]?.strategy
  if (!strategy) return retriesByDefault ? defaultRetryMs : undefined
  if (strategy.name !== 'RetryOnFailure') return undefined
  return strategy.retryInterval === undefined ? defaultRetryMs : durationMs(strategy.retryInterval)
}

/** `retryAfter` for the last attempted action. */
export const activeRetry = (
  release: Pick<HelmRelease, 'spec'>,
  { lastAttemptedReleaseAction: action }: Attempted,
  retriesByDefault: boolean,
): number | undefined => action && retryAfter(release, action, retriesByDefault)
