import { requestedAtOf } from '../../foundations/kinds/flux.ts'
import type { HelmRelease, HelmReleaseStatus } from '../../foundations/kinds/helm-release.ts'
import type { Draft } from './draft.ts'
import { type Attempt, clearFailures } from './report.ts'

/** What an action is begun for. It is kept with the action, as the process may die before the status says it. */
export interface Asked {
  readonly generation: number
  readonly request?: string
  readonly chartVersion: string
  readonly ociDigest?: string
  readonly configDigest: string
}

export const askedOf = (release: HelmRelease, { chartVersion, ociDigest, configDigest }: Attempt): Asked => {
  const request = requestedAtOf(release)
  return {
    generation: release.metadata.generation!,
    ...(request !== undefined && { request }),
    ...{ chartVersion, configDigest },
    ...(ociDigest && { ociDigest }),
  }
}

/** Undefined for what an older version has kept. */
export const readAsked = (text: string | undefined): Asked | undefined =>
  text === undefined ? undefined : (JSON.parse(text) as Asked)

/** Notes in the status what is tried now: failures of something else don't count any more (HR-053). */
export const noteAttempt = (draft: Draft, asked: Asked): void => {
  if (isAnotherAttempt(draft.status, asked)) clearFailures(draft)
  draft.set(attemptedFields(asked))
}

/** The fields of the status that say what was tried last. */
const attemptedFields = ({ generation, chartVersion, ociDigest, configDigest }: Asked) => ({
  lastAttemptedGeneration: generation,
  lastAttemptedRevision: chartVersion,
  lastAttemptedRevisionDigest: ociDigest ?? null,
  lastAttemptedConfigDigest: configDigest,
  lastAttemptedValuesChecksum: null,
  lastReleaseRevision: null,
})

/** Whether the last attempt was for something else: then its failures do not count (HR-053). */
export const isAnotherAttempt = (
  status: HelmReleaseStatus,
  { generation, chartVersion, configDigest }: Asked,
): boolean =>
  status.lastAttemptedGeneration !== generation ||
  status.lastAttemptedRevision !== chartVersion ||
  (status.lastAttemptedConfigDigest !== undefined && status.lastAttemptedConfigDigest !== configDigest)
