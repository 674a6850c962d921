import { GetObjectCommand, ListObjectVersionsCommand, type S3Client } from '@aws-sdk/client-s3'

/** The content of a deleted blob, as long as a versioned bucket keeps it. */
export type DeletedBlobs = (name: string) => Promise<Uint8Array | undefined>

/** Blobs are written once, so any version that S3 still has is the content. */
export const s3DeletedBlobs =
  (s3: S3Client, { bucket, prefix }: { readonly bucket: string; readonly prefix: string }): DeletedBlobs =>
  async name => {
    const Key = prefix + name
    const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: bucket, Prefix: Key, MaxKeys: 5 }))
    const version = Versions.find(found => found.Key === Key)
    if (!version) return undefined
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key, VersionId: version.VersionId }))
    return Buffer.from(await Body!.transformToByteArray())
  }
