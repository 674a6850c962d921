import { type Artifact, blobNameOf } from '../../kinds/artifact.ts'
import type { GitRepository } from '../../kinds/git-repository.ts'
import type { ArtifactStore, StoredArtifact } from '../../ports/artifacts.ts'

/** How long artifacts are kept that a newer one has replaced: somebody may still be reading them. */
export interface ArtifactRetention {
  /** The newest of this many stay, the current one among them. */
  readonly records: number
  /** None is taken that was stored less than this long ago, in milliseconds. */
  readonly ttlMs: number
}

/** Where the artifacts of one repository lie, and where its clients see them. */
export const folderOf = ({ metadata }: GitRepository): string => `gitrepository/${metadata.namespace}/${metadata.name}/`

/** Deletes what no longer needs to be kept; returns how much that was. */
export const collectGarbage = async (
  store: ArtifactStore,
  current: Artifact,
  { records, ttlMs }: ArtifactRetention,
  now: number,
): Promise<number> => {
  const name = blobNameOf(current)
  const others: StoredArtifact[] = []
  for await (const blob of store.list(name.slice(0, name.lastIndexOf('/') + 1))) {
    if (blob.name !== name) others.push(blob)
  }
  const garbage = others
    .sort((a, b) => b.storedAt - a.storedAt)
    .slice(records - 1)
    .filter(({ storedAt }) => now - storedAt > ttlMs)
  for (const blob of garbage) await store.delete(blob.name)
  return garbage.length
}

/** Deletes everything of a repository; returns how much that was. */
export const deleteAll = async (store: ArtifactStore, repository: GitRepository): Promise<number> => {
  let deleted = 0
  for await (const { name } of store.list(folderOf(repository))) {
    await store.delete(name)
    deleted++
  }
  return deleted
}
