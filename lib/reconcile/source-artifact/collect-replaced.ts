import { artifactOf, checksumIn, sourceFolders, sourceOf } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { contentFolder } from '../../platform/ports/artifacts.ts'
import { type StoragePorts, type StorageSettings, selectGarbage } from './artifact-storage.ts'
import { fetchedFolder } from './shared-fetches.ts'

/** A pass stores its artifact before the status refers to it: younger artifacts may still be in use. Milliseconds. */
const youngMs = 15 * 60_000

/**
 * Content without an artifact is kept for a day, and so is the record of the fetch that returned it: another source may be about to claim
 * it. If that happens exactly when it is deleted, the first reader finds it missing, and it is fetched again.
 */
const unclaimedMs = 24 * 60 * 60_000

/**
 * Deletes replaced artifacts that need not be kept any longer. A pass does this when it stores a new one; this function
 * deletes those that were too young then, and content without an artifact. Costs a listing, and a read for each source
 * with more than its current artifact.
 */
export const collectReplaced = async (
  { hub, artifacts, clock }: StoragePorts & { readonly hub: Pick<Hub, 'get'> },
  retention: StorageSettings['retention'],
): Promise<void> => {
  const claimed = new Set<string>()
  for (const folder of sourceFolders) {
    const blobs = await Array.fromAsync(artifacts.list(`${folder}/`))
    for (const { name } of blobs) claimed.add(`${contentFolder}${checksumIn(name)}`)
    const byObject = Map.groupBy(blobs, ({ name }) => name.slice(0, name.lastIndexOf('/') + 1))
    for (const [path, ofObject] of byObject) {
      if (ofObject.length === 1) continue
      const source = await hub.get<KubernetesObject>(sourceOf({ path }))
      const current = source && artifactOf(source)
      // A source without an artifact is about to fetch one, or is being deleted with all its artifacts.
      if (!current) continue
      const now = clock.now()
      const garbage = selectGarbage(ofObject, [current], retention, now).filter(
        ({ storedAt }) => now - storedAt > youngMs,
      )
      for (const { name } of garbage) await artifacts.delete(name)
    }
  }
  for (const folder of [contentFolder, fetchedFolder])
    for await (const { name, storedAt } of artifacts.list(folder))
      if (clock.now() - storedAt > unclaimedMs && !claimed.has(name)) await artifacts.delete(name)
}
