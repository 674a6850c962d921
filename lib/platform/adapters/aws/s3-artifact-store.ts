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
import type { ArtifactStore, ByteChunks } from '../../ports/artifacts.ts'

export interface S3ArtifactStoreOptions {
  readonly bucket: string
  /** What lies before the names, with its slash. */
  readonly prefix: string
  /** Encrypts with this KMS key; without it as the bucket says. */
  readonly kmsKey?: string
}

/** Blobs as objects of a bucket, written once: S3 refuses a second content of a name. */
export const s3ArtifactStore = (s3: S3Client, { bucket, prefix, kmsKey }: S3ArtifactStoreOptions): ArtifactStore => {
  const at = (name: string) => ({ Bucket: bucket, Key: prefix + checked(name) })
  const encryption = kmsKey
    ? { ServerSideEncryption: 'aws:kms' as const, SSEKMSKeyId: kmsKey, BucketKeyEnabled: true }
    : {}

  const create = async (name: string, content: Uint8Array | ByteChunks): Promise<boolean> => {
    const body =
      'pieces' in content ? { Body: Readable.from(content.pieces()), ContentLength: content.length } : { Body: content }
    const put = new PutObjectCommand({ ...at(name), ...encryption, ...body, IfNoneMatch: '*' })
    return (await unless([preconditionFailed, conflict], s3.send(put))) !== undefined
  }

  /** Copied onto itself, it counts as stored just now. False when it is gone. */
  const touch = async (name: string): Promise<boolean> => {
    const source = `${bucket}/${prefix}${name}`.split('/').map(encodeURIComponent).join('/')
    const copy = new CopyObjectCommand({ ...at(name), ...encryption, CopySource: source, MetadataDirective: 'REPLACE' })
    return (await unless([notFound], s3.send(copy))) !== undefined
  }

  return {
    put: async (name, content) => {
      // What comes in pieces is large: it is not sent only to hear that it is there.
      if ('pieces' in content && (await touch(name))) return
      for (let attempt = 1; attempt <= attempts; attempt++)
        if ((await create(name, content)) || (await touch(name))) return
      throw new Error(`${name} is put and deleted too often at the same time`)
    },
    get: async name => {
      const found = await unless([notFound], s3.send(new GetObjectCommand(at(name))))
      return found && Buffer.from(await found.Body!.transformToByteArray())
    },
    has: async name => (await unless([notFound], s3.send(new HeadObjectCommand(at(name))))) !== undefined,
    // S3 keeps checksums of what it stores.
    check: async name => ((await unless([notFound], s3.send(new HeadObjectCommand(at(name))))) ? 'sound' : 'missing'),
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
/** Two writers of a name at the same moment: one of them has it now. */
const conflict = 409
const preconditionFailed = 412

const unless = async <T>(statuses: readonly number[], answer: Promise<T>): Promise<T | undefined> => {
  try {
    return await answer
  } catch (error) {
    if (error instanceof S3ServiceException && statuses.includes(error.$metadata.httpStatusCode ?? 0)) return undefined
    throw error
  }
}

/** Fails on any name that could mean a place outside of the prefix, or nothing in particular. */
const checked = (name: string): string => {
  if (!name.split('/').every(segment => /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,254}$/.test(segment)))
    throw new Error(`${JSON.stringify(name)} is not a name for an artifact`)
  return name
}
