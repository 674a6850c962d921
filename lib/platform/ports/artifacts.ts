/**
 * Write-once blobs by name: source artifacts under their content's digest, sealed builds under the key of their inputs.
 * Names are relative slash paths whose segments match `[A-Za-z0-9_-][A-Za-z0-9._-]*` (255 characters at most), e.g. `build/cd34...`; source artifacts are
 * `gitrepository/<namespace>/<name>/<sha256>.tar.gz` (`blobNameOf` in kinds/artifact.ts), a folder to each object.
 */
export interface ArtifactStore {
  /**
   * Stores a blob, durably, unless the name exists already: concurrent writers of one name agree. What existed keeps its
   * content and counts as stored just now, so that garbage collection by age never takes what somebody has just put.
   */
  put(name: string, content: Uint8Array | ByteChunks): Promise<void>
  get(name: string): Promise<Uint8Array | undefined>
  has(name: string): Promise<boolean>
  /**
   * Whether a blob is what its digest (`<algorithm>:<hex>`) says. A platform that checks what it stores by itself may look only whether
   * it is there.
   */
  check(name: string, digest: string): Promise<'sound' | 'damaged' | 'missing'>
  delete(name: string): Promise<void>
  /** What is stored below a prefix (`build/`, or '' for all), in no particular order, for garbage collection. */
  list(prefix: string): AsyncIterable<StoredArtifact>
}

/** A content that is too large to have it in memory at once. */
export interface ByteChunks {
  readonly length: number
  /** From the beginning, each time. */
  pieces(): Iterable<Uint8Array>
}

export interface StoredArtifact {
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly storedAt: number
}
