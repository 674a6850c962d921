import { type RemovalPolicy, Stack } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { type IKey, Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { encryptionContextKeys } from '../lib/platform/adapters/aws/encryption-context.ts'
import type { KeyPurpose } from '../lib/platform/ports/keys.ts'
import { allow } from './allow.ts'

export interface KeyPlan {
  readonly hubName: string
  readonly removalPolicy: RemovalPolicy
  /** Other regions may get replicas of it. KMS changes that of no key that is there. */
  readonly isMultiRegion: boolean
  /** A key that is there already, a replica for one: none is made. */
  readonly arn: string | undefined
}

/** The hub's master key: of the envelope around Secrets and builds, of the table and of the bucket. */
export const hubKey = (scope: Construct, { hubName, removalPolicy, isMultiRegion, arn }: KeyPlan): IKey =>
  arn === undefined
    ? new Key(scope, 'HubKey', {
        alias: `alias/keelson/${hubName}`,
        description: `Seals what the Keelson hub ${hubName} stores`,
        enableKeyRotation: true,
        ...(isMultiRegion && { multiRegion: true }),
        removalPolicy,
      })
    : Key.fromKeyArn(scope, 'HubKey', arn)

/** What DynamoDB and S3 ask of those who use an encrypted table or bucket. */
const storageActions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo']

export interface KeyUse {
  readonly hubName: string
  /** What the role seals and opens by itself. */
  readonly purposes: readonly KeyPurpose[]
  /** Opens as well what was sealed before data keys had a purpose. */
  readonly withoutPurpose: boolean
}

/** The table and the bucket, through their services, and data keys of some purposes. */
export const allowUseOfKey = (key: IKey, role: Role, { hubName, purposes, withoutPurpose }: KeyUse): void => {
  const through = ['dynamodb', 's3'].map(service => `${service}.${Stack.of(role).region}.amazonaws.com`)
  allow(role, {
    service: 'kms',
    actions: storageActions,
    resources: [key.keyArn],
    conditions: { StringEquals: { 'kms:ViaService': through } },
  })
  const ofPurpose = { [inContext('purpose')]: purposes }
  allow(role, {
    service: 'kms',
    actions: ['Decrypt', 'GenerateDataKey'],
    resources: [key.keyArn],
    conditions: {
      StringEquals: { [inContext('hub')]: hubName, ...(!withoutPurpose && ofPurpose) },
      ...(withoutPurpose && { StringEqualsIfExists: ofPurpose }),
    },
  })
}

const inContext = (name: keyof typeof encryptionContextKeys): string =>
  `kms:EncryptionContext:${encryptionContextKeys[name]}`
