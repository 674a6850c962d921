import type { KubernetesObject } from '../../foundations/kinds/object.ts'

interface Revisions {
  readonly lastAppliedRevision?: string
  readonly lastAttemptedRevision?: string
  readonly artifact?: { readonly revision?: string }
}

/** The revision that a unit or source has, or last tried. Pure. */
export const revisionOf = ({ status }: KubernetesObject): string | undefined => {
  const { lastAppliedRevision, lastAttemptedRevision, artifact } = (status ?? {}) as Revisions
  return lastAppliedRevision ?? lastAttemptedRevision ?? artifact?.revision
}
