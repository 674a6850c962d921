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
  /** Whether it can have replicas in other regions. KMS can't change this for an existing key. */
  readonly isMultiRegion: boolean
  /** An existing key to use instead of a new one, as a replica. */
  readonly arn: string | undefined
}

/** The hub's master key: it encrypts data keys (of Secrets and builds), the table and the bucket. */
export const hubKey = (scope: Construct, { hubName, removalPolicy, isMultiRegion, arn }: KeyPlan): IKey =>
  arn === undefined
    ? new Key(scope, 'HubKey', {
        alias: `alias/keelson/${hubName}`,
        description: `Encrypts the data of the Keelson hub ${hubName}`,
        enableKeyRotation: true,
        ...(isMultiRegion && { multiRegion: true }),
        removalPolicy,
      })
    : Key.fromKeyArn(scope, 'HubKey', arn)

/** The permissions that DynamoDB and S3 require to use an encrypted table or bucket. */
const storageActions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo']

export interface KeyUse {
  readonly hubName: string
  /** The purposes of data keys that the role may generate and decrypt. */
  readonly purposes: readonly KeyPurpose[]
  /** Whether it may also decrypt data keys of earlier releases, which have no purpose. */
  readonly withoutPurpose: boolean
}

/** Allows a role to use the key through DynamoDB and S3, and for data keys of some purposes. */
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
