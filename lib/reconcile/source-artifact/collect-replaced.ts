import { artifactOf, sourceFolders, sourceOf } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { garbageAmong, type StoragePorts, type StorageSettings } from './artifact-storage.ts'

/** A pass stores its artifact before the status names it: whose an artifact is that is younger, nobody can know. Milliseconds. */
const youngMs = 15 * 60_000

/**
 * Deletes the artifacts that sources have replaced and need not keep any longer. A pass does so when it stores a new one; what was too
 * young then goes here. Costs a listing, and a read for each source that has more than its current artifact.
 */
export const collectReplaced = async (
  { hub, artifacts, clock }: StoragePorts & { readonly hub: Pick<Hub, 'get'> },
  retention: StorageSettings['retention'],
): Promise<void> => {
  for (const folder of sourceFolders) {
    const blobs = await Array.fromAsync(artifacts.list(`${folder}/`))
    const byObject = Map.groupBy(blobs, ({ name }) => name.slice(0, name.lastIndexOf('/') + 1))
    for (const [path, ofObject] of byObject) {
      if (ofObject.length === 1) continue
      const source = await hub.get<KubernetesObject>(sourceOf({ path }))
      const current = source && artifactOf(source)
      // One without an artifact is about to make it anew, or goes and takes all of them along.
      if (!current) continue
      const now = clock.now()
      const garbage = garbageAmong(ofObject, [current], retention, now).filter(
        ({ storedAt }) => now - storedAt > youngMs,
      )
      for (const { name } of garbage) await artifacts.delete(name)
    }
  }
}
