/**
 * Write-once blobs by name: source artifacts under the digest of their content, sealed builds under the key of their inputs. Names are relative
 * slash paths of at most 255 characters whose segments match `[A-Za-z0-9_-][A-Za-z0-9._-]*`, e.g. `build/cd34...`; source artifacts are
 * `gitrepository/<namespace>/<name>/<sha256>.tar.gz` (`blobNameOf` in kinds/artifact.ts), one folder per object.
 */
export interface BlobStore {
  /**
   * Stores a blob durably unless the name exists: concurrent writers of one name agree. An existing blob keeps its content and counts as stored
   * now, so that garbage collection by age never deletes what a writer has just put.
   */
  put(name: string, content: Uint8Array | ByteChunks): Promise<void>
  get(name: string): Promise<Uint8Array | undefined>
  has(name: string): Promise<boolean>
  /**
   * Compares a blob with its digest (`<algorithm>:<hex>`). A platform whose storage verifies content itself may only check that the blob exists.
   */
  check(name: string, digest: string): Promise<'sound' | 'damaged' | 'missing'>
  delete(name: string): Promise<void>
  /** Blobs below a prefix (`build/`, or '' for all), in no particular order; for garbage collection. */
  list(prefix: string): AsyncIterable<StoredArtifact>
}

/**
 * A store in which artifacts of one digest share their content, whatever their folders: each name is a claim on the content, which can only be
 * read under a claimed name.
 */
export interface ArtifactStore extends BlobStore {
  /** Stores an artifact under another name if its content is stored already; otherwise false: then `put` it. */
  claim(name: string): Promise<boolean>
}

/** Content that is too large to hold in memory at once. */
export interface ByteChunks {
  readonly length: number
  /** Starts from the beginning on every call. */
  pieces(): Iterable<Uint8Array>
}

export interface StoredArtifact {
  readonly name: string
  /** Bytes that are stored for this name alone. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly storedAt: number
}

/** The folder of shared contents, each under its checksum. */
export const contentFolder = 'content/'
