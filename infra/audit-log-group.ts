import { type RemovalPolicy, Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { LogGroup } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'

export interface AuditLogPlan {
  readonly hubName: string
  readonly key: IKey
  /** How long records are kept. */
  readonly days: number
  readonly removalPolicy: RemovalPolicy
}

/**
 * The log group with requests to the hub's API, encrypted with its key. An existing key (`masterKey`) must itself allow CloudWatch Logs to use
 * it: CDK can't change the policy of a key that is not in the stack.
 */
export const auditLogGroup = (scope: Construct, { hubName, key, days, removalPolicy }: AuditLogPlan): LogGroup => {
  const { partition, region, account } = Stack.of(scope)
  // CloudFormation's names begin with those of stack and construct. The ARN itself would make key and log group need each other.
  const groups = `arn:${partition}:logs:${region}:${account}:log-group:${hubName}-${constructId}*`
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      actions: ['Encrypt', 'Decrypt', 'ReEncrypt*', 'GenerateDataKey*', 'Describe*'].map(action => `kms:${action}`),
      resources: ['*'],
      conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': groups } },
    }),
  )
  return new LogGroup(scope, constructId, { retention: days, encryptionKey: key, removalPolicy })
}

const constructId = 'AuditLog'
