import { type Artifact, blobNameOf } from '../../kinds/artifact.ts'
import type { GitRepository } from '../../kinds/git-repository.ts'
import type { ArtifactStore, StoredArtifact } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import { timestamp } from '../../rules/conditions.ts'
import { archive, ignoresOf } from '../../source/artifact/archive.ts'
import type { SourceTree } from '../../source/artifact/source-tree.ts'
import { revisionOf, type Target } from '../../source/git/reference.ts'
import { storageFailed } from './halts.ts'

export interface StorageSettings {
  /** Where the hub serves artifacts, without a slash at the end: `http://127.0.0.1:9790`. */
  readonly artifactAddress: string
  readonly retention: {
    /** The newest of this many artifacts stay, the current one among them: somebody may still be reading the last. */
    readonly records: number
    /** None is deleted that was stored less than this long ago, in milliseconds. */
    readonly ttlMs: number
  }
}

interface StoragePorts {
  readonly artifacts: ArtifactStore
  readonly clock: Clock
}

/** What is left of a tree after spec.ignore and its ignore files, in the store. Halts when it can't be stored. */
export const storeArtifact = async (
  tree: SourceTree,
  target: Target,
  repository: GitRepository,
  { artifacts, clock }: StoragePorts,
  { artifactAddress }: StorageSettings,
): Promise<Artifact> => {
  const { content, digest } = await archive(tree, ignoresOf(tree, repository.spec.ignore))
  const path = `${folderOf(repository)}${target.commit}.tar.gz`
  await artifacts.put(blobNameOf({ path, digest }), content).catch(error => {
    const reason = error instanceof Error ? error.message : String(error)
    throw storageFailed('ArchiveOperationFailed', `unable to archive artifact to storage: ${reason}`, error)
  })
  return {
    digest,
    lastUpdateTime: timestamp(clock.now()),
    path,
    revision: revisionOf(target),
    size: content.length,
    url: urlOf(path, artifactAddress),
  }
}

const folderOf = ({ metadata }: GitRepository): string => `gitrepository/${metadata.namespace}/${metadata.name}/`

const urlOf = (path: string, artifactAddress: string): string => `${artifactAddress}/${path}`

/** The artifact under the address that the hub has now. */
export const withCurrentUrl = (artifact: Artifact, { artifactAddress }: StorageSettings): Artifact => ({
  ...artifact,
  url: urlOf(artifact.path, artifactAddress),
})

/** Deletes the artifacts that the current one has replaced long enough ago; returns how many. */
export const collectGarbage = async (
  repository: GitRepository,
  current: Artifact,
  { artifacts, clock }: StoragePorts,
  { retention }: StorageSettings,
): Promise<number> => {
  const replaced: StoredArtifact[] = []
  for await (const blob of artifacts.list(folderOf(repository))) {
    if (blob.name !== blobNameOf(current)) replaced.push(blob)
  }
  const garbage = replaced
    .sort((a, b) => b.storedAt - a.storedAt)
    .slice(retention.records - 1)
    .filter(({ storedAt }) => clock.now() - storedAt > retention.ttlMs)
  for (const { name } of garbage) await artifacts.delete(name)
  return garbage.length
}

/** Deletes all artifacts of a repository; returns how many. */
export const deleteArtifacts = async (repository: GitRepository, artifacts: ArtifactStore): Promise<number> => {
  let deleted = 0
  for await (const { name } of artifacts.list(folderOf(repository))) {
    await artifacts.delete(name)
    deleted++
  }
  return deleted
}
