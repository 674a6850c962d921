import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { NewEvent } from '../runtime/reconciler.ts'

const group = 'kustomize.toolkit.fluxcd.io'

/** A revision of the source; for an OCI artifact also the revision it was built from. */
export interface Revision {
  readonly revision: string
  readonly originRevision?: string
}

/** The revision of an artifact, and the origin's from the annotation that `flux push artifact` sets. */
export const revisionOf = ({ revision, metadata }: Artifact): Revision => {
  const originRevision = metadata?.['org.opencontainers.image.revision']
  return originRevision ? { revision, originRevision } : { revision }
}

/** Metadata of Flux's events about a revision. */
export const eventMetadata = ({ revision, originRevision }: Partial<Revision>): Readonly<Record<string, string>> => ({
  ...(revision && { [`${group}/revision`]: revision }),
  ...(originRevision && { [`${group}/originRevision`]: originRevision }),
})

/** Reports what a pass has done so far. */
export const progressEvent = (message: string, revision: Revision): NewEvent => ({
  severity: 'info',
  reason: 'Progressing',
  message,
  metadata: eventMetadata(revision),
})

/** Reports a successful pass; commit statuses are made from this event. */
export const finishedEvent = (
  kustomization: Kustomization,
  reason: string,
  durationMs: number,
  revision: Partial<Revision>,
): NewEvent => ({
  severity: 'info',
  reason,
  message: `Reconciliation finished in ${formatDuration(durationMs)}, next run in ${formatDuration(intervalOf(kustomization))}`,
  metadata: { ...eventMetadata(revision), [`${group}/commit_status`]: 'update' },
})
