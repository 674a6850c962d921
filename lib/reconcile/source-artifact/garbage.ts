import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { NewEvent, Pass, Unfinished } from '../runtime/reconciler.ts'
import { collectGarbage, deleteArtifacts, type StoragePorts, type StorageSettings } from './artifact-storage.ts'
import type { Source } from './source.ts'

/** Failed garbage collection does not fail a pass: the next artifact retries it. */
export const tryCollectGarbage = async (
  source: Source,
  current: Artifact,
  pass: Pass<Source>,
  ports: StoragePorts,
  settings: StorageSettings,
): Promise<void> => {
  const collected = await collectGarbage(source, current, ports, settings).catch(() => 0)
  if (collected > 0) pass.event(garbageCollected(`${collected} artifacts`))
}

/** Deletes the artifacts of an object that is being deleted. */
export const finalizeSource = async (
  source: Source,
  pass: Pass<Source>,
  artifacts: ArtifactStore,
): Promise<Unfinished<Source> | undefined> => {
  try {
    const deleted = await deleteArtifacts(source, artifacts)
    if (deleted > 0) pass.event(garbageCollected('artifacts for deleted resource'))
    return undefined
  } catch (cause) {
    const reason = errorMessage(cause)
    const message = `garbage collection for deleted resource failed: ${reason}`
    return { type: 'failed', reason: 'GarbageCollectionFailed', message, cause }
  }
}

const garbageCollected = (what: string): NewEvent => ({
  severity: 'info',
  reason: 'GarbageCollectionSucceeded',
  message: `garbage collected ${what}`,
  quiet: true,
})
