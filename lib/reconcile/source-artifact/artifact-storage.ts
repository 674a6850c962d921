import { createHash } from 'node:crypto'
import { type Artifact, artifactOf, blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { ArtifactStore, ByteChunks, StoredArtifact } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { NewEvent, Pass } from '../runtime/reconciler.ts'
import type { Source } from './source.ts'

/** What digests may be made by: those of source-controller but BLAKE3, which Node does not know. */
export const digestAlgorithms = ['sha256', 'sha384', 'sha512'] as const

export interface StorageSettings {
  /** Absent = SHA-256. */
  readonly digestAlgorithm?: (typeof digestAlgorithms)[number]
  /** Where the hub serves artifacts, without a slash at the end: `http://127.0.0.1:9790`. */
  readonly artifactAddress: string
  readonly retention: {
    /** How many artifacts of an object may stay, the one that its status shows among them. */
    readonly records: number
    /** How long others may stay, in milliseconds. */
    readonly ttlMs: number
  }
}

export interface StoragePorts {
  readonly artifacts: ArtifactStore
  readonly clock: Clock
}

interface NewArtifact {
  /** Name of the file in the object's folder. */
  readonly file: string
  readonly revision: string
  readonly content: Uint8Array | ByteChunks
  /** `sha256:<hex>` of the content. */
  readonly digest: string
  /** Facts from upstream. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** Stores the content of an artifact. Fails when the store does. */
export const storeArtifact = async (
  source: Source,
  { file, revision, content, digest: sha256, metadata = {} }: NewArtifact,
  { artifacts, clock }: StoragePorts,
  settings: StorageSettings,
): Promise<Artifact> => {
  const path = `${folderOf(source)}${file}`
  const digest = digestOf(content, sha256, settings)
  await artifacts.put(blobNameOf({ path, digest }), content)
  return {
    digest,
    lastUpdateTime: timestamp(clock.now()),
    ...(Object.keys(metadata).length > 0 && { metadata }),
    path,
    revision,
    size: content.length,
    url: urlOf(path, settings),
  }
}

const digestOf = (
  content: Uint8Array | ByteChunks,
  sha256: string,
  { digestAlgorithm = 'sha256' }: StorageSettings,
): string => {
  if (digestAlgorithm === 'sha256') return sha256
  const hash = createHash(digestAlgorithm)
  for (const piece of 'pieces' in content ? content.pieces() : [content]) hash.update(piece)
  return `${digestAlgorithm}:${hash.digest('hex')}`
}

const urlOf = (path: string, { artifactAddress }: StorageSettings): string => `${artifactAddress}/${path}`

/** The artifact under the address that the hub has now. */
export const withCurrentUrl = (artifact: Artifact, settings: StorageSettings): Artifact => ({
  ...artifact,
  url: urlOf(artifact.path, settings),
})

/** Where the current artifact of an object is served, whichever it is: `latest.tar.gz` beside it. */
export const latestUrlOf = (source: Source, file: string, settings: StorageSettings): string =>
  urlOf(`${folderOf(source)}${file}`, settings)

/**
 * The artifact of the last pass, unless it has vanished from the store or is damaged: then status and an Event say so, and it is fetched
 * anew. As in source-controller, every pass looks.
 */
export const findStored = async (
  source: Source,
  pass: Pass<Source>,
  artifacts: ArtifactStore,
): Promise<Artifact | undefined> => {
  const artifact = artifactOf(source)
  const state = artifact && (await artifacts.check(blobNameOf(artifact), artifact.digest))
  if (state === 'sound') return artifact
  // The pass that follows says what was found, and deletes what is damaged.
  if (state && pass.dryRun) throw new WouldWrite(`the artifact is ${state}`)
  if (state) pass.event(lost(state, artifact!))
  // Blobs are written once: what is damaged would stay as long as its name is taken.
  if (state === 'damaged') await artifacts.delete(blobNameOf(artifact!))
  await pass.progress(source.status?.artifact ? 'building artifact: disappeared from storage' : 'building artifact', {
    fleeting: true,
    status: { artifact: null, url: null },
    conditions: { ArtifactInStorage: null, StorageOperationFailed: null },
  })
  return undefined
}

const lost = (state: 'damaged' | 'missing', { digest, revision }: Artifact): NewEvent => ({
  severity: 'error',
  reason: 'ArtifactVerificationFailed',
  message:
    state === 'damaged'
      ? `failed to verify integrity of artifact: computed digest doesn't match '${digest}'`
      : `artifact of revision '${revision}' disappeared from storage`,
})

/**
 * Deletes the artifacts of an object that are too old or too many, by source-controller's rule; returns how many. Neither the new
 * one goes, nor the one that its status shows until it is written: somebody may be about to read that.
 */
export const collectGarbage = async (
  source: Source,
  current: Artifact,
  { artifacts, clock }: StoragePorts,
  { retention }: StorageSettings,
): Promise<number> => {
  const inUse = [current, artifactOf(source) ?? current]
  const garbage = garbageAmong(await Array.fromAsync(artifacts.list(folderOf(source))), inUse, retention, clock.now())
  for (const { name } of garbage) await artifacts.delete(name)
  return garbage.length
}

/** Of an object's blobs, those that are too old or too many beside the ones in use. */
export const garbageAmong = (
  blobs: readonly StoredArtifact[],
  inUse: readonly Artifact[],
  { records, ttlMs }: StorageSettings['retention'],
  now: number,
): readonly StoredArtifact[] => {
  const used = inUse.map(blobNameOf)
  return blobs
    .filter(({ name }) => !used.includes(name))
    .sort((a, b) => b.storedAt - a.storedAt)
    .filter(({ storedAt }, index) => index >= records - 1 || now - storedAt > ttlMs)
}

/** Deletes all artifacts of an object; returns how many. */
export const deleteArtifacts = async (source: Source, artifacts: ArtifactStore): Promise<number> => {
  let deleted = 0
  for await (const { name } of artifacts.list(folderOf(source))) {
    await artifacts.delete(name)
    deleted++
  }
  return deleted
}
