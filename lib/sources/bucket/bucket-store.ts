/** A read-only bucket of an object store. Every call fails with BucketError. */
export interface BucketStore {
  exists(): Promise<boolean>
  /** The objects whose names begin with the prefix, in no particular order. */
  list(prefix: string): AsyncIterable<BucketObject>
  /** Undefined if the object does not exist, or has been deleted since. */
  get(key: string): Promise<{ readonly content: Buffer; readonly etag: string } | undefined>
  close(): Promise<void>
}

export interface BucketObject {
  readonly key: string
  /** Changes with the content; without quotes. */
  readonly etag: string
}

/**
 * The object store can't be reached, refuses a request, or sends an unexpected response. The message contains no
 * credentials.
 */
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
