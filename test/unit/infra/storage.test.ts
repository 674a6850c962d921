import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Match, type Template } from 'aws-cdk-lib/assertions'
import { permissionsIn } from './permissions-in.ts'
import { functionIn, plain, resourcesOf, templateOf } from './templates.ts'

test('keeps the data when the stack is deleted, unless removeData is set', () => {
  const stores = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::KMS::Key']
  const policies = (template: Template) =>
    stores.flatMap(type => resourcesOf(template, type).map(row => [row.DeletionPolicy, row.UpdateReplacePolicy]))
  assert.deepEqual(
    policies(plain),
    stores.map(() => ['Retain', 'Retain']),
  )
  const removed = templateOf({ removeData: 'true' })
  assert.deepEqual(
    policies(removed),
    stores.map(() => ['Delete', 'Delete']),
  )
  plain.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: true })
  removed.hasResourceProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: false })
})

test('uses a restored table, and has no access to the old one', () => {
  const restored = templateOf({ restoredTable: 'keelson-restored' })
  assert.deepEqual(resourcesOf(restored, 'AWS::DynamoDB::Table'), [])
  assert.equal(functionIn(restored, 'apply').Environment.Variables.KEELSON_TABLE, 'keelson-restored')
  const arn = 'arn:aws:dynamodb:eu-west-1:111122223333:table/keelson-restored'
  assert.match(permissionsIn(restored), new RegExp(`Allow ${arn}: dynamodb:BatchGetItem`))
  assert.match(permissionsIn(restored), new RegExp(`Allow ${arn}/index/due: dynamodb:Query`))
})

test('creates a key that can have replicas in other regions, or uses an existing one', () => {
  plain.hasResourceProperties('AWS::KMS::Key', { MultiRegion: Match.absent() })
  templateOf({ multiRegionKey: 'true' }).hasResourceProperties('AWS::KMS::Key', { MultiRegion: true })
  const replica = 'arn:aws:kms:eu-west-1:111122223333:key/mrk-1234abcd12ab34cd56ef1234567890ab'
  const other = templateOf({ masterKey: replica })
  assert.deepEqual([...resourcesOf(other, 'AWS::KMS::Key'), ...resourcesOf(other, 'AWS::KMS::Alias')], [])
  assert.equal(functionIn(other, 'apply').Environment.Variables.KEELSON_KMS_KEY, replica)
  assert.match(permissionsIn(other), new RegExp(`Allow ${replica}: kms:Decrypt kms:GenerateDataKey if`))
  other.hasResourceProperties('AWS::DynamoDB::Table', { SSESpecification: { KMSMasterKeyId: replica } })
})

// The emulator ignores most of these settings, so no other test covers them.
test('encrypts what it stores, can restore it, and requires TLS', () => {
  plain.hasResourceProperties('AWS::KMS::Key', { EnableKeyRotation: true })
  plain.hasResourceProperties('AWS::DynamoDB::Table', {
    BillingMode: 'PAY_PER_REQUEST',
    SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: Match.anyValue() },
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    KeySchema: [
      { AttributeName: 'pk', KeyType: 'HASH' },
      { AttributeName: 'sk', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: 'due',
        KeySchema: [
          { AttributeName: 'duePk', KeyType: 'HASH' },
          { AttributeName: 'dueSk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['grp'] },
      },
    ],
  })
  plain.hasResourceProperties('AWS::S3::Bucket', {
    BucketEncryption: {
      ServerSideEncryptionConfiguration: [
        {
          BucketKeyEnabled: true,
          ServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms', KMSMasterKeyID: Match.anyValue() },
        },
      ],
    },
    PublicAccessBlockConfiguration: {
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    },
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
    VersioningConfiguration: { Status: 'Enabled' },
    LifecycleConfiguration: {
      Rules: [superseded('artifacts', 1), superseded('objects', 35)],
    },
  })
  const tlsOnly = { Effect: 'Deny', Principal: { AWS: '*' }, Condition: { Bool: { 'aws:SecureTransport': 'false' } } }
  for (const type of ['AWS::S3::BucketPolicy', 'AWS::SQS::QueuePolicy'])
    plain.allResourcesProperties(type, {
      PolicyDocument: { Statement: Match.arrayWith([Match.objectLike(tlsOnly)]) },
    })
})

const superseded = (folder: string, days: number) => ({
  Id: `superseded-${folder}`,
  Prefix: `${folder}/`,
  Status: 'Enabled',
  NoncurrentVersionExpiration: { NoncurrentDays: days },
  ExpiredObjectDeleteMarker: true,
  AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
})
