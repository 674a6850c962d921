import type { ArtifactStore } from '../../../platform/ports/artifacts.ts'

/** Deletes stored builds that were neither made nor used since a time (ms since the epoch). */
export const collectBuilds = async (artifacts: ArtifactStore, olderThan: number): Promise<void> => {
  for await (const { name, storedAt } of artifacts.list('build/')) {
    if (storedAt < olderThan) await artifacts.delete(name)
  }
}
