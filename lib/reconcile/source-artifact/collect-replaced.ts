import { artifactOf, checksumIn, sourceFolders, sourceOf } from '../../foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { rolloutRun } from '../../foundations/kinds/rollout-run.ts'
import type { Hub } from '../../hub/store/hub.ts'
import { contentFolder, type StoredArtifact } from '../../platform/ports/artifacts.ts'
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
 * deletes those that were too young then, those of RolloutRuns that are gone, and content without an artifact. Costs a listing, and a read for
 * each RolloutRun, and each source with more than its current artifact.
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
      const ref = sourceOf({ path })
      const isKept = ref.kind === rolloutRun.kind
      if (ofObject.length === 1 && !isKept) continue
      const owner = await hub.get<KubernetesObject>(ref)
      const now = clock.now()
      const garbage = isKept ? (owner ? [] : ofObject) : replacedIn(ofObject, owner, retention, now)
      for (const { name, storedAt } of garbage) if (now - storedAt > youngMs) await artifacts.delete(name)
    }
  }
  for (const folder of [contentFolder, fetchedFolder])
    for await (const { name, storedAt } of artifacts.list(folder))
      if (clock.now() - storedAt > unclaimedMs && !claimed.has(name)) await artifacts.delete(name)
}

/** A source without an artifact is about to fetch one, or is being deleted with all its artifacts. */
const replacedIn = (
  stored: readonly StoredArtifact[],
  source: KubernetesObject | undefined,
  retention: StorageSettings['retention'],
  now: number,
): readonly StoredArtifact[] => {
  const current = source && artifactOf(source)
  return current ? selectGarbage(stored, [current], retention, now) : []
}
