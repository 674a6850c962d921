import type { FileSystem } from '../../engines/kustomize/file-system.ts'
import type { Kustomization } from '../../foundations/kinds/kustomization.ts'
import type { Change, Pass } from '../runtime/reconciler.ts'
import { ignoredFieldsIn } from './build/kustomization-file.ts'
import { eventMetadata, type Revision } from './events.ts'

/** Ours: a condition, and the reason of an event. */
export const fieldsIgnored = 'FieldsIgnored'

/**
 * Fields of a kustomization file that kustomize doesn't know are left out, as Flux does it; here it is told. Once for each revision
 * and spec there is a Warning event, and a condition stays. Gives the condition that is to be set or removed: nothing when this
 * revision was looked at before.
 */
export const reportIgnoredFields = (
  { metadata, status }: Kustomization,
  { files, folder, revision }: { readonly files: FileSystem; readonly folder: string; readonly revision: Revision },
  pass: Pick<Pass<Kustomization>, 'event'>,
): NonNullable<Change<Kustomization>['conditions']> => {
  if (status?.lastAttemptedRevision === revision.revision && status.observedGeneration === metadata.generation)
    return {}
  const fields = ignoredFieldsIn(files, folder)
  if (fields.length === 0) return { [fieldsIgnored]: null }
  const message = `kustomize does not know these fields, they are ignored: ${fields.join(', ')}`
  // Nothing has failed: no alert is sent, and no commit status.
  pass.event({ severity: 'error', reason: fieldsIgnored, message, metadata: eventMetadata(revision), quiet: true })
  return { [fieldsIgnored]: { status: 'True', reason: 'UnknownFields', message } }
}
