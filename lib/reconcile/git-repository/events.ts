import type { Artifact } from '../../kinds/artifact.ts'
import type { NewEvent } from '../runtime/reconciler.ts'

/** An artifact was stored, or is there again after a failure; `commit` says of what in a few words. */
export const artifactStored = (
  reason: 'NewArtifact' | 'Succeeded',
  commit: string,
  { revision, digest }: Artifact,
): NewEvent => ({
  severity: 'info',
  reason,
  message: `stored artifact for commit '${commit}'`,
  metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
})

const quiet = (reason: string, message: string): NewEvent => ({ severity: 'info', reason, message, quiet: true })

export const verified = (message: string): NewEvent => quiet('Succeeded', message)

/** Nothing to do. Flux compares before it clones where it can; the two cases have events of their own. */
export const nothingNew = (revision: string, comparedBy: 'reference' | 'clone'): NewEvent =>
  comparedBy === 'reference'
    ? quiet('GitOperationSucceeded', `no changes since last reconciliation: observed revision '${revision}'`)
    : quiet('ArtifactUpToDate', `artifact up-to-date with remote revision: '${revision}'`)
