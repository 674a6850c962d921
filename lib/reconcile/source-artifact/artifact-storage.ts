import { createHash } from 'node:crypto'
import { type Artifact, artifactOf, blobNameOf, folderOf } from '../../foundations/kinds/artifact.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import type { ArtifactStore, ByteChunks, StoredArtifact } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import { WouldWrite } from '../runtime/dry-run.ts'
import type { NewEvent, Pass } from '../runtime/reconciler.ts'
import type { Source } from './source.ts'

/** source-controller's digest algorithms except BLAKE3, which Node lacks. */
export const digestAlgorithms = ['sha256', 'sha384', 'sha512'] as const

export interface StorageSettings {
  /** SHA-256 if absent. */
  readonly digestAlgorithm?: (typeof digestAlgorithms)[number]
  /** Base URL of the hub's artifacts, without a trailing slash: `http://127.0.0.1:9790`. */
  readonly artifactAddress: string
  readonly retention: {
    /** Maximum number of artifacts per object, including the current one. */
    readonly records: number
    /** Maximum age of the others, in milliseconds. */
    readonly ttlMs: number
  }
  /**
   * How often a dry run checks that the artifact is stored, in milliseconds; each one does if absent. Passes always check, and readers have a lost
   * artifact fetched again at once.
   */
  readonly checkEveryMs?: number
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
  /** Annotations from upstream. */
  readonly metadata?: Readonly<Record<string, string>>
}

/** Stores the content of an artifact. Fails if the store does. */
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

/** The URL under which the hub serves an artifact; `path` is `kind/namespace/name/file`, as in Flux. */
export const urlOf = (path: string, { artifactAddress }: StorageSettings): string => `${artifactAddress}/${path}`

/** The artifact with the hub's current URL. */
export const withCurrentUrl = (artifact: Artifact, settings: StorageSettings): Artifact => ({
  ...artifact,
  url: urlOf(artifact.path, settings),
})

/** The URL that always serves the current artifact of an object: `latest.tar.gz` in its folder. */
export const latestUrl = (source: Source, file: string, settings: StorageSettings): string =>
  urlOf(`${folderOf(source)}${file}`, settings)

/**
 * The artifact of the last pass, unless it is missing from the store or damaged: then status and an Event report that,
 * and it is fetched again. Checked in every pass, as in source-controller; in dry runs if `isCheckDue`.
 */
export const findStored = async (
  source: Source,
  pass: Pass<Source>,
  artifacts: ArtifactStore,
  isCheckDue: boolean,
): Promise<Artifact | undefined> => {
  const artifact = artifactOf(source)
  if (artifact && pass.dryRun && !isCheckDue) return artifact
  const state = artifact && (await artifacts.check(blobNameOf(artifact), artifact.digest))
  if (state === 'sound') return artifact
  // The pass that follows reports the problem, and deletes a damaged artifact.
  if (state && pass.dryRun) throw new WouldWrite(`the artifact is ${state}`)
  if (state) pass.event(lost(state, artifact!))
  // Blobs are written once: a damaged one must be deleted before it can be stored again.
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
 * Deletes the artifacts of an object that are too old or too many, by source-controller's rules; returns their number.
 * Keeps the new one, and the one in the current status, which may be about to be read.
 */
export const collectGarbage = async (
  source: Source,
  current: Artifact,
  { artifacts, clock }: StoragePorts,
  { retention }: StorageSettings,
): Promise<number> => {
  const inUse = [current, artifactOf(source) ?? current]
  const garbage = selectGarbage(await Array.fromAsync(artifacts.list(folderOf(source))), inUse, retention, clock.now())
  for (const { name } of garbage) await artifacts.delete(name)
  return garbage.length
}

/** The blobs of an object to delete: those too old or too many, except the ones in use. */
export const selectGarbage = (
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

/** Deletes all artifacts of an object; returns their number. */
export const deleteArtifacts = async (source: Source, artifacts: ArtifactStore): Promise<number> => {
  let deleted = 0
  for await (const { name } of artifacts.list(folderOf(source))) {
    await artifacts.delete(name)
    deleted++
  }
  return deleted
}
