import type { Artifact } from '../../kinds/artifact.ts'
import type { Done } from '../runtime/reconciler.ts'

/** The outcome of a pass that has its artifact in storage: the failures of earlier passes are withdrawn. */
export const succeeded = ({ revision }: Artifact, stored = 'stored artifact:'): Done<never> => {
  const [reason, message] = ['Succeeded', `${stored} revision '${revision}'`]
  return {
    type: 'done',
    reason,
    message,
    conditions: {
      ArtifactInStorage: { status: 'True', reason, message },
      ArtifactOutdated: null,
      FetchFailed: null,
      StorageOperationFailed: null,
    },
  }
}
