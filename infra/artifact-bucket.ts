import { Duration, type RemovalPolicy, Validations } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import type { Key } from 'aws-cdk-lib/aws-kms'
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3'
import type { Construct } from 'constructs'
import { allow } from './allow.ts'

/**
 * Source artifacts and sealed builds, named after their content. The hub deletes what it has superseded; for a week it can
 * still be had, as a noncurrent version.
 */
export const artifactBucket = (scope: Construct, key: Key, removalPolicy: RemovalPolicy): Bucket => {
  const bucket = new Bucket(scope, 'Artifacts', {
    encryption: BucketEncryption.KMS,
    encryptionKey: key,
    bucketKeyEnabled: true,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    enforceSSL: true,
    minimumTLSVersion: 1.2,
    versioned: true,
    lifecycleRules: [
      {
        id: 'superseded',
        noncurrentVersionExpiration: Duration.days(7),
        expiredObjectDeleteMarker: true,
        abortIncompleteMultipartUploadAfter: Duration.days(1),
      },
    ],
    removalPolicy,
  })
  Validations.of(bucket).acknowledge({
    id: 'AwsSolutions-S1',
    reason:
      'Only functions of this stack reach the bucket, whose content anybody could rebuild from git; an access log would cost more than the artifacts. CloudTrail data events tell who read what, where that is wanted.',
  })
  return bucket
}

const objectActions = { read: ['GetObject'], write: ['PutObject', 'DeleteObject'] }

/** Below a prefix: reading (with listing, which is also how a missing name is told from a forbidden one) and writing. */
export const allowArtifacts = (
  bucket: Bucket,
  role: Role,
  prefix: string,
  what: readonly (keyof typeof objectActions)[],
): void => {
  allow(role, {
    service: 's3',
    actions: what.flatMap(kind => objectActions[kind]),
    resources: [bucket.arnForObjects(`${prefix}*`)],
    wildcard: 'Artifacts are named after their content: only their folder is known beforehand.',
  })
  allow(role, {
    service: 's3',
    actions: ['ListBucket'],
    resources: [bucket.bucketArn],
    conditions: { StringLike: { 's3:prefix': `${prefix}*` } },
  })
}
