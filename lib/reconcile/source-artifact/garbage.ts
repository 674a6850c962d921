import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { NewEvent, Pass, Unfinished } from '../runtime/reconciler.ts'
import { collectGarbage, deleteArtifacts, type StoragePorts, type StorageSettings } from './artifact-storage.ts'
import type { Source } from './source.ts'

/** Garbage is no reason for a pass to fail: what is left of it goes with the next artifact. */
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

/** Deletes what was stored for an object that goes. */
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
