import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { isConditionTrue } from '../../foundations/rules/conditions.ts'
import type { NewEvent, Pass } from '../runtime/reconciler.ts'
import type { Source } from './source.ts'

/** Something about an artifact that is in storage. */
export const artifactEvent = (reason: string, message: string, { revision, digest }: Artifact): NewEvent => ({
  severity: 'info',
  reason,
  message,
  metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
})

export const quietEvent = (reason: string, message: string): NewEvent => ({
  severity: 'info',
  reason,
  message,
  quiet: true,
})

export const upToDate = (revision: string): NewEvent =>
  quietEvent('ArtifactUpToDate', `artifact up-to-date with remote revision: '${revision}'`)

/** A new artifact was stored, or there is one again after failures: people hear of both, and of nothing else. */
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

/** Whether the last pass ended with a failure that this one withdraws. */
export const hadFailure = ({ status }: Source): boolean =>
  failures.some(type => isConditionTrue(status?.conditions, type))

/**
 * Whether somebody asked for this pass, or changed the spec. Then people are told that there was nothing to do; at every
 * interval that would cost a write.
 */
export const wasRequested = (source: Source): boolean => {
  const { metadata, status } = source
  return metadata.generation !== status?.observedGeneration || isReconcileRequested(source)
}
