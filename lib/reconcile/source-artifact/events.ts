import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { NewEvent, Pass } from '../runtime/reconciler.ts'
import type { Source } from './source.ts'

/** An event about a stored artifact. */
export const artifactEvent = (reason: string, message: string, { revision, digest }: Artifact): NewEvent => ({
  severity: 'info',
  reason,
  message,
  metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
})

/** An Event that is recorded, and sent to no Alert: nothing has changed. */
export const quietEvent = (reason: string, message: string): NewEvent => ({
  severity: 'info',
  reason,
  message,
  quiet: true,
})

/** The Event of a pass that was requested and found the revision that is stored already. */
export const upToDate = (revision: string): NewEvent =>
  quietEvent('ArtifactUpToDate', `artifact up-to-date with remote revision: '${revision}'`)

/** Emits an event for a new artifact, and for a first success after failures; for nothing else. */
export const reportStored = (
  source: Source,
  pass: Pass<Source>,
  message: string,
  { artifact, before }: { readonly artifact: Artifact; readonly before: Artifact | undefined },
): void => {
  const isNew = artifact.digest !== before?.digest
  if (isNew || hadFailure(source)) pass.event(artifactEvent(isNew ? 'NewArtifact' : 'Succeeded', message, artifact))
}

const failures = ['FetchFailed', 'IncludeUnavailable', 'BuildFailed', 'StorageOperationFailed']

/** Whether the last pass ended with a failure, which success now removes. */
export const hadFailure = ({ status }: Source): boolean =>
  failures.some(type => isConditionTrue(status?.conditions, type))

/**
 * Whether a user requested this pass or changed the spec. Only then is an event emitted if nothing changed: at every
 * interval it would cost a write.
 */
export const wasRequested = (source: Source): boolean => {
  const { metadata, status } = source
  return metadata.generation !== status?.observedGeneration || isReconcileRequested(source)
}
