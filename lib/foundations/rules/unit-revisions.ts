/** Which revision a unit has, in the ways in which its kind writes them. Pure. */
import type { KubernetesObject } from '../kinds/object.ts'

interface Status {
  readonly lastAppliedRevision?: string
  readonly lastAttemptedRevision?: string
  readonly lastAttemptedRevisionDigest?: string
}

/** The revisions that a unit has tried last. */
export const revisionsAttemptedBy = ({ kind, status }: KubernetesObject): readonly (string | undefined)[] => {
  const { lastAttemptedRevision: version = '', lastAttemptedRevisionDigest: digest } = (status ?? {}) as Status
  return kind === 'HelmRelease' ? [version, digest, `${version.replace(/\+.*$/, '')}@${digest}`] : [version]
}

/** The revisions that a unit which is Ready has applied: the version of a release is known by its last attempt. */
export const revisionsAppliedBy = (unit: KubernetesObject): readonly (string | undefined)[] =>
  unit.kind === 'HelmRelease' ? revisionsAttemptedBy(unit) : [((unit.status ?? {}) as Status).lastAppliedRevision]
