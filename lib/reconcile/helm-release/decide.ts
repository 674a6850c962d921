/** Decides on the action for a release in a state, like helm-controller (HR-048 to HR-050, HR-070, HR-071). Pure. */
import type { HelmRelease, HelmReleaseStatus, ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import { previousGood, truncated, truncatedToFive } from './history.ts'
import type { ReleaseState } from './release-state.ts'
import {
  activeRemediation,
  activeRetry,
  areRetriesExhausted,
  failureCount,
  installRemediation,
  type Remediation,
  upgradeRemediation,
} from './remediation.ts'

/** `undo` is a rollback by a user, `rollback` the remediation of a failure. */
export type ActionName =
  | 'install'
  | 'upgrade'
  | 'undo'
  | 'unlock'
  | 'test'
  | 'rollback'
  | 'uninstall'
  | 'correct cluster drift'

/** Whether the version to roll back to is stored as it was recorded. */
export type TargetCheck = 'intact' | 'altered' | 'none'

export type Decision =
  | { readonly type: 'act'; readonly action: ActionName; readonly history?: History }
  | { readonly type: 'stop'; readonly history?: History }
  /** Only a change of the spec, the chart or the values helps, or an annotation. */
  | { readonly type: 'retries exceeded' }
  | { readonly type: 'missing rollback target'; readonly history?: History }

type History = readonly ReleaseSnapshot[]

export interface Circumstances {
  readonly state: ReleaseState
  /** An annotation requests an installation or upgrade in any case. */
  readonly isForced: boolean
  /** Retry failures unless the spec says otherwise (feature gate DefaultToRetryOnFailure). */
  readonly retriesByDefault: boolean
  /** The version to roll back to. */
  readonly target: TargetCheck
}

/**
 * The next action for a release in its current state, or why there is none. `history` is what the status keeps from now
 * on; absent, it stays.
 */
export const decide = (release: HelmRelease, status: HelmReleaseStatus, at: Circumstances): Decision => {
  switch (at.state) {
    case 'Absent':
      return orExceeded('install', installRemediation(release.spec), status, at)
    case 'Locked':
      return { type: 'act', action: 'unlock' }
    case 'Unmanaged':
      return { type: 'act', action: 'upgrade', history: [] } // the recorded history is no longer relevant
    case 'OutOfSync':
      return orExceeded('upgrade', upgradeRemediation(release.spec), status, at)
    case 'Untested':
      return { type: 'act', action: 'test' }
    case 'Drifted':
      return release.spec.driftDetection?.mode === 'enabled'
        ? { type: 'act', action: 'correct cluster drift' }
        : { type: 'stop' }
    case 'InSync': {
      const history = inSyncHistory(release, status, at)
      return at.isForced ? { type: 'act', action: 'upgrade', history } : { type: 'stop', history }
    }
    case 'Failed':
      return afterFailure(release, status, at)
  }
}

const orExceeded = (
  action: 'install' | 'upgrade',
  remediation: Remediation,
  status: HelmReleaseStatus,
  { isForced }: Circumstances,
): Decision =>
  areRetriesExhausted(remediation, status) && !isForced ? { type: 'retries exceeded' } : { type: 'act', action }

const inSyncHistory = (release: HelmRelease, status: HelmReleaseStatus, at: Circumstances): History => {
  const history = status.history ?? []
  if (activeRetry(release, status, at.retriesByDefault) !== undefined) return truncatedToFive(history)
  const remediation = activeRemediation(release, status)
  return truncated(history, remediation?.ignoresTestFailures ?? release.spec.test?.ignoreFailures ?? false)
}

const afterFailure = (release: HelmRelease, status: HelmReleaseStatus, at: Circumstances): Decision => {
  const history = status.history ?? []
  const upgrade = { type: 'act', action: 'upgrade' } as const
  if (activeRetry(release, status, at.retriesByDefault) !== undefined)
    return { ...upgrade, history: truncatedToFive(history) }
  const remediation = activeRemediation(release, status)
  // Without counted failures something has changed since: another upgrade may succeed.
  if (!remediation || failureCount(remediation, status) <= 0 || at.isForced) return upgrade
  if (areRetriesExhausted(remediation, status) && !remediation.remediatesLastFailure)
    return { type: 'retries exceeded' }
  const kept = truncated(history, remediation.ignoresTestFailures)
  if (remediation.strategy === 'uninstall') return { type: 'act', action: 'uninstall', history: kept }
  if (at.target === 'none' || !previousGood(history, remediation.ignoresTestFailures))
    return { type: 'missing rollback target', history: kept }
  return at.target === 'altered' ? { ...upgrade, history: kept } : { type: 'act', action: 'rollback', history: kept }
}
