import { createHash } from 'node:crypto'
import { ignoreFile, ignoring, readPatterns } from '../../engines/ignore/source-ignore.ts'
import { compareBytes } from '../../foundations/go/compare-text.ts'
import { clampPath } from '../artifact/clamp-path.ts'
import type { SourceFile, SourceTree } from '../artifact/source-tree.ts'
import { BucketError, type BucketStore, bucketLimits } from './bucket-store.ts'

/** Entity tags by object name. */
export type ObjectIndex = ReadonlyMap<string, string>

export interface IndexedBucket {
  readonly index: ObjectIndex
  /** The bucket's own ignore file, which is part of the artifact. */
  readonly ignoreFile?: Buffer
}

/**
 * Lists a bucket, without the objects excluded by its `.sourceignore` and the given patterns; there are no default
 * exclusions. Fails with BucketError.
 */
export const indexBucket = async (store: BucketStore, prefix: string, specIgnore = ''): Promise<IndexedBucket> => {
  const own = await store.get(ignoreFile)
  const patterns = [...readPatterns(own?.content.toString('utf8') ?? ''), ...readPatterns(specIgnore)]
  const ignores = ignoring(patterns)
  const index = new Map<string, string>()
  for await (const { key, etag } of store.list(prefix)) {
    if (key.endsWith('/') || key === ignoreFile || ignores(key.split('/'), false)) continue
    index.set(key, etag)
    if (index.size > bucketLimits.maxObjects) {
      throw new BucketError('tooLarge', `the bucket has more than ${bucketLimits.maxObjects} objects`)
    }
  }
  return { index, ...(own && { ignoreFile: own.content }) }
}

/** A digest of names and entity tags: the revision of a bucket. */
export const indexDigest = (index: ObjectIndex): string => {
  const hash = createHash('sha256')
  for (const key of [...index.keys()].sort(compareBytes)) hash.update(`${key} ${index.get(key)}\n`)
  return `sha256:${hash.digest('hex')}`
}

const CONCURRENCY = 16

/**
 * Downloads the objects of an index, and returns the index as of the downloads: without objects deleted since, and
 * with the new tags of changed ones. Fails with BucketError.
 */
export const fetchObjects = async (
  store: BucketStore,
  { index, ignoreFile: own }: IndexedBucket,
): Promise<{ readonly tree: SourceTree; readonly index: ObjectIndex }> => {
  const tree = new Map<string, SourceFile>(own ? [[ignoreFile, { content: own, executable: false }]] : [])
  const fetched = new Map<string, string>()
  const waiting = index.keys()
  let bytes = 0
  const work = async (): Promise<void> => {
    for (const key of waiting) {
      const object = await store.get(key).catch(error => {
        if (!(error instanceof BucketError)) throw error
        throw new BucketError(error.code, `failed to get '${key}' object: ${error.message}`, error)
      })
      if (!object) continue
      bytes += object.content.length
      if (bytes > bucketLimits.maxTotalBytes) {
        throw new BucketError('tooLarge', `the objects are larger than ${bucketLimits.maxTotalBytes} bytes in total`)
      }
      const path = clampPath(key)
      if (path !== '') tree.set(path, { content: object.content, executable: false })
      fetched.set(key, object.etag || index.get(key)!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENCY, index.size) }, work))
  return { tree, index: fetched }
}
