import type { RemovalPolicy } from 'aws-cdk-lib'
import type { Role } from 'aws-cdk-lib/aws-iam'
import { Key } from 'aws-cdk-lib/aws-kms'
import type { Construct } from 'constructs'
import { allow } from './allow.ts'

/** The hub's master key: of the envelope around Secrets and builds, of the table and of the bucket. */
export const hubKey = (scope: Construct, hubName: string, removalPolicy: RemovalPolicy): Key =>
  new Key(scope, 'HubKey', {
    alias: `alias/keelson/${hubName}`,
    description: `Seals what the Keelson hub ${hubName} stores`,
    enableKeyRotation: true,
    removalPolicy,
  })

/** What reading and writing sealed data takes, and DynamoDB and S3 ask of those who use an encrypted table or bucket. */
const keyActions = ['Decrypt', 'DescribeKey', 'Encrypt', 'GenerateDataKey', 'ReEncryptFrom', 'ReEncryptTo']

export const allowUseOfKey = (key: Key, role: Role): void =>
  allow(role, { service: 'kms', actions: keyActions, resources: [key.keyArn] })
