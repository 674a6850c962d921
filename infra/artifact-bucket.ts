import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { allow } from './allow.ts'

/** Source artifacts and sealed builds, and the bodies of objects that are too large for an item of the table. */
const folders = { artifacts: 'artifacts/', objects: 'objects/' }

/**
 * How long what the hub has deleted can still be had, as a noncurrent version. Anybody can rebuild artifacts from git; the
 * bodies of objects are kept as long as the table can be restored to a point in time.
 */
const restorableDays: Readonly<Record<keyof typeof folders, number>> = { artifacts: 1, objects: 35 }

/** What the hub stores besides its table: write-once blobs. */
export const artifactBucket = (scope: Construct, key: IKey, removalPolicy: RemovalPolicy): Bucket => {
  const bucket = new Bucket(scope, 'Artifacts', {
    encryption: BucketEncryption.KMS,
    encryptionKey: key,
    bucketKeyEnabled: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: true,
    lifecycleRules: Object.entries(folders).map(([name, prefix]) => ({
      id: `superseded-${name}`,
      prefix,
      noncurrentVersionExpiration: Duration.days(restorableDays[name as keyof typeof folders]),
      expiredObjectDeleteMarker: true,
      abortIncompleteMultipartUploadAfter: Duration.days(1),
    })),
    removalPolicy,
    autoDeleteObjects: removalPolicy === RemovalPolicy.DESTROY,
  })
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason:
      'Only functions of this stack reach the bucket, whose content anybody could rebuild from git; an access log would cost more than the artifacts. CloudTrail data events tell who read what, where that is wanted.',
  })
  return bucket
}

const blobActions = { read: 'GetObject', write: 'PutObject', delete: 'DeleteObject' }

/** Blobs of a folder. Listing goes with it: without, S3 does not tell a missing name from a forbidden one. */
export const allowBlobs = (
  bucket: Bucket,
  role: Role,
  folder: keyof typeof folders,
  what: readonly (keyof typeof blobActions)[],
): void => {
  allow(role, {
    service: 's3',
    // A restored table points to bodies that were deleted since.
    actions: [...what.map(kind => blobActions[kind]), ...(folder === 'objects' ? ['GetObjectVersion'] : [])],
    resources: [bucket.arnForObjects(`${folders[folder]}*`)],
    wildcard: 'Blobs are named after their content, or by chance: only their folder is known beforehand.',
  })
  allow(role, {
    service: 's3',
    actions: folder === 'objects' ? ['ListBucket', 'ListBucketVersions'] : ['ListBucket'],
    resources: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': `${folders[folder]}*` } },
  })
}
