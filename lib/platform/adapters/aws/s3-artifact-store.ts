import { Readable } from 'node:stream'
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3'
import type { BlobStore, ByteChunks } from '../../ports/artifacts.ts'
import { segmentsOf } from '../artifact-name.ts'

export interface S3ArtifactStoreOptions {
  readonly bucket: string
  /** Prefix of all keys, with its slash. */
  readonly prefix: string
  /** KMS key for encryption; absent = the bucket's default. */
  readonly kmsKey?: string
}

/** Blobs as objects of a bucket, written once: conditional puts never replace existing content. */
export const s3ArtifactStore = (s3: S3Client, { bucket, prefix, kmsKey }: S3ArtifactStoreOptions): BlobStore => {
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + segmentsOf(name).join('/') })
  const encryption = kmsKey
    ? { ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId: kmsKey, BucketKeyEnabled: true }
    : {}

  const create = async (name: string, content: Uint8Array | ByteChunks): Promise<boolean> => {
    const body =
      'pieces' in content ? { Body: Readable.from(content.pieces()), ContentLength: content.length } : { Body: content }
    const put = new PutObjectCommand({ ...at(name), ...encryption, ...body, IfNoneMatch: '*' })
    return (await unlessStatus([preconditionFailed, conflict], s3.send(put))) !== undefined
  }

  /** Copies the blob onto itself, so that it counts as stored now. Resolves to false if it does not exist. */
  const touch = async (name: string): Promise<boolean> => {
    const source = `${bucket}/${prefix}${name}`.split('/').map(encodeURIComponent).join('/')
    const copy = new CopyObjectCommand({ ...at(name), ...encryption, CopySource: source, MetadataDirective: 'REPLACE' })
    return (await unlessStatus([notFound], s3.send(copy))) !== undefined
  }

  return {
    put: async (name, content) => {
      // Content in pieces is large, so it is not sent if it exists.
      if ('pieces' in content && (await touch(name))) return
      for (let attempt = 1; attempt <= attempts; attempt++)
        if ((await create(name, content)) || (await touch(name))) return
      throw new Error(`${name} is written and deleted concurrently: gave up after ${attempts} attempts`)
    },
    get: async name => {
      const found = await unlessStatus([notFound], s3.send(new GetObjectCommand(at(name))))
      return found && Buffer.from(await found.Body!.transformToByteArray())
    },
    has: async name => (await unlessStatus([notFound], s3.send(new HeadObjectCommand(at(name))))) !== undefined,
    // S3 itself verifies checksums of what it stores.
    check: async name =>
      (await unlessStatus([notFound], s3.send(new HeadObjectCommand(at(name))))) ? 'sound' : 'missing',
    delete: async name => {
      await s3.send(new DeleteObjectCommand(at(name)))
    },
    list: async function* (below) {
      let token: string | undefined
      do {
        const command = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + below, ContinuationToken: token })
        const page = await s3.send(command)
        for (const { Key = '', Size = 0, LastModified } of page.Contents ?? [])
          yield { name: Key.slice(prefix.length), size: Size, storedAt: LastModified?.getTime() ?? 0 }
        token = page.NextContinuationToken
      } while (token)
    },
  }
}

const attempts = 5
const notFound = 404
/** Two concurrent writers of a name: one of them has succeeded. */
const conflict = 409
const preconditionFailed = 412

const unlessStatus = async <T>(statuses: readonly number[], response: Promise<T>): Promise<T | undefined> => {
  try {
    return await response
  } catch (error) {
    if (error instanceof S3ServiceException && statuses.includes(error.$metadata.httpStatusCode ?? 0)) return undefined
    throw error
  }
}
