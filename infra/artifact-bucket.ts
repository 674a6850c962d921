import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { allow } from './allow.ts'

/** Prefixes: of source artifacts and encrypted builds, and of the bodies of objects that exceed an item of the table. */
const folders = { artifacts: 'artifacts/', objects: 'objects/' }

/**
 * How long deleted blobs are kept as noncurrent versions. Artifacts can be rebuilt from their sources; bodies of objects
 * are kept as long as the table can be restored to a point in time.
 */
const restorableDays: Readonly<Record<keyof typeof folders, number>> = { artifacts: 1, objects: 35 }

/** The bucket for write-once blobs, which the hub stores beside its table. */
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
      'Only functions of this stack may access the bucket, whose content can be rebuilt from its sources; an access log would cost more than the artifacts. Enable CloudTrail data events to record reads.',
  })
  return bucket
}

const blobActions = { read: 'GetObject', write: 'PutObject', delete: 'DeleteObject' }

/** Allows access to the blobs of a folder, and listing them: without it S3 responds 403 for a missing blob. */
export const allowBlobs = (
  bucket: Bucket,
  role: Role,
  folder: keyof typeof folders,
  what: readonly (keyof typeof blobActions)[],
): void => {
  allow(role, {
    service: 's3',
    // A restored table refers to bodies that have been deleted since.
    actions: [...what.map(kind => blobActions[kind]), ...(folder === 'objects' ? ['GetObjectVersion'] : [])],
    resources: [bucket.arnForObjects(`${folders[folder]}*`)],
    wildcard: 'Names of blobs are hashes or random: only their prefix is known at deployment.',
  })
  allow(role, {
    service: 's3',
    actions: folder === 'objects' ? ['ListBucket', 'ListBucketVersions'] : ['ListBucket'],
    resources: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': `${folders[folder]}*` } },
  })
}
