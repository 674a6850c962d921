/** A bucket of an object store, read only. Everything fails with BucketError. */
export interface BucketStore {
  exists(): Promise<boolean>
  /** The objects whose names begin so, in no particular order. */
  list(prefix: string): AsyncIterable<BucketObject>
  /** Undefined when there is no such object (any more). */
  get(key: string): Promise<{ readonly content: Buffer; readonly etag: string } | undefined>
  close(): Promise<void>
}

export interface BucketObject {
  readonly key: string
  /** What changes with the content; without quotes. */
  readonly etag: string
}

/** The object store can't be reached, refuses, or answers with something odd. The message holds no credentials. */
export class BucketError extends Error {
  readonly code: 'unreachable' | 'unauthorized' | 'refused' | 'protocol' | 'tooLarge'
  constructor(code: BucketError['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'BucketError'
    this.code = code
  }
}

export const bucketLimits = {
  maxObjects: 200_000,
  maxObjectBytes: 256 << 20,
  maxTotalBytes: 1 << 30,
  /** Bytes of one page of a listing. */
  maxPageBytes: 16 << 20,
}
