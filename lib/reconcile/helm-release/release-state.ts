/** The state of a release, from its stored and recorded versions (HR-043 to HR-047). Pure. */
import type { HelmRelease, HelmReleaseStatus, ReleaseSnapshot } from '../../foundations/kinds/helm-release.ts'
import { hasTestIn, isTested } from './history.ts'
import { activeRemediation } from './remediation.ts'

export type ReleaseState =
  | 'Absent'
  | 'Locked'
  | 'Unmanaged'
  | 'Failed'
  | 'OutOfSync'
  | 'Untested'
  | 'Drifted'
  | 'InSync'

/** The last stored version of the release, as far as it determines the state. */
export interface StoredVersion {
  readonly status: string
  readonly chartName: string
  readonly chartVersion: string
  /** Its checksum, computed like the snapshot's. */
  readonly digest: string
}

/** The desired chart and configuration. */
export interface Wanted {
  readonly chartName: string
  readonly chartVersion: string
  readonly configDigest: string
  readonly postRenderersDigest: string
  readonly commonMetadataDigest: string
}

const pending = ['pending-install', 'pending-upgrade', 'pending-rollback']

/** Drift of a release that is in sync is detected elsewhere. Throws Error for a status that means nothing. */
export const releaseState = (
  release: HelmRelease,
  status: HelmReleaseStatus,
  stored: StoredVersion | undefined,
  wanted: Wanted,
): Exclude<ReleaseState, 'Drifted'> => {
  if (!stored) return 'Absent'
  if (pending.includes(stored.status)) return 'Locked'
  const [current] = status.history ?? []
  if (!current) return stored.status === 'uninstalled' ? 'Absent' : 'Unmanaged'
  if (!isAsRecorded(current, stored)) return 'Unmanaged'
  if (stored.status === 'failed') return 'Failed'
  if (stored.status === 'uninstalled') return 'Absent'
  if (stored.status !== 'deployed') {
    throw new Error(`unable to determine state for release with status '${stored.status}'`)
  }
  if (isOutOfSync(release, status, current, stored, wanted)) return 'OutOfSync'
  return testState(release, status, current) ?? 'InSync'
}

/** Snapshots of other formats are from older controllers, and trusted. */
const isAsRecorded = ({ apiVersion, digest }: ReleaseSnapshot, stored: StoredVersion): boolean =>
  apiVersion !== 'v2' || digest === stored.digest

const isOutOfSync = (
  { metadata }: HelmRelease,
  status: HelmReleaseStatus,
  current: ReleaseSnapshot,
  stored: StoredVersion,
  wanted: Wanted,
): boolean => {
  if (stored.chartName !== wanted.chartName || stored.chartVersion !== wanted.chartVersion) return true
  if (current.configDigest !== wanted.configDigest) return true
  if (status.observedGeneration === metadata.generation) return false
  return (
    wanted.postRenderersDigest !== (status.observedPostRenderersDigest ?? '') ||
    wanted.commonMetadataDigest !== (status.observedCommonMetadataDigest ?? '')
  )
}

const testState = (
  release: HelmRelease,
  status: HelmReleaseStatus,
  current: ReleaseSnapshot,
): 'Untested' | 'Failed' | undefined => {
  if (!release.spec.test?.enable) return undefined
  if (!isTested(current)) return 'Untested'
  const remediation = activeRemediation(release, status)
  return remediation && !remediation.ignoresTestFailures && hasTestIn(current, 'Failed') ? 'Failed' : undefined
}
