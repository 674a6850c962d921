import type { Artifact } from '../../kinds/artifact.ts'
import type { NewEvent } from '../runtime/reconciler.ts'

const origin = 'org.opencontainers.image'

/** An artifact was stored, or is there again after a failure; with where it came from, when its maker says so. */
export const artifactStored = (
  reason: 'NewArtifact' | 'Succeeded',
  url: string,
  { revision, digest, metadata = {} }: Artifact,
): NewEvent => {
  const [source, from] = [metadata[`${origin}.source`], metadata[`${origin}.revision`]]
  const madeFrom = source && from ? `, origin source '${source}', origin revision '${from}'` : ''
  return {
    severity: 'info',
    reason,
    message: `stored artifact with revision '${revision}' from '${url}'${madeFrom}`,
    metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
  }
}

export const upToDate = (revision: string): NewEvent => ({
  severity: 'info',
  reason: 'ArtifactUpToDate',
  message: `artifact up-to-date with remote revision: '${revision}'`,
  quiet: true,
})
