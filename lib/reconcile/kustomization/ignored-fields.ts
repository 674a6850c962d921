import type { FileSystem } from '../../engines/kustomize/file-system.ts'
import { fieldsIgnored } from '../../foundations/kinds/applied.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { Pass, StatusUpdate } from '../runtime/reconciler.ts'
import { ignoredFieldsIn } from './build/kustomization-file.ts'
import { eventMetadata, type Revision } from './events.ts'

/**
 * Reports fields of a kustomization file that kustomize does not know, and that are dropped, as in Flux. There is one Warning event
 * per revision and spec, and a condition that stays. Returns the condition to set or remove: none if this
 * revision was checked before.
 */
export const reportIgnoredFields = (
  { metadata, status }: Kustomization,
  { files, folder, revision }: { readonly files: FileSystem; readonly folder: string; readonly revision: Revision },
  pass: Pick<Pass<Kustomization>, 'event'>,
): NonNullable<StatusUpdate<Kustomization>['conditions']> => {
  if (status?.lastAttemptedRevision === revision.revision && status.observedGeneration === metadata.generation)
    return {}
  const fields = ignoredFieldsIn(files, folder)
  if (fields.length === 0) return { [fieldsIgnored]: null }
  const message = `kustomize does not know these fields, they are ignored: ${fields.join(', ')}`
  // Nothing has failed: no alert is sent, and no commit status.
  pass.event({ severity: 'error', reason: fieldsIgnored, message, metadata: eventMetadata(revision), quiet: true })
  return { [fieldsIgnored]: { status: 'True', reason: 'UnknownFields', message } }
}
