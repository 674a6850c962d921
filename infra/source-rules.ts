import { Duration } from 'aws-cdk-lib'
import { type EventPattern, Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'
import type { HubContext } from './context.ts'

/**
 * Sends events of pushes to ECR and CodeCommit, and of changes in the buckets of sources, to the function `source-event`. Only of the hub's own
 * region: EventBridge does not forward events to others. Events may get lost: sources still poll.
 */
export const sourceRules = (
  scope: Construct,
  { hubName, sourceBuckets }: Pick<HubContext, 'hubName' | 'sourceBuckets'>,
  sourceEvent: IFunction,
): void => {
  const rule = (id: string, name: string, description: string, eventPattern: EventPattern) =>
    new Rule(scope, id, {
      ruleName: `${hubName}-${name}`,
      description,
      eventPattern,
      targets: [new LambdaTarget(sourceEvent, { retryAttempts: 3, maxEventAge: Duration.minutes(15) })],
    })
  rule('RegistryRule', 'registry-push', 'Pushes to Amazon ECR, for the OCIRepositories that follow them', {
    source: ['aws.ecr'],
    detailType: ['ECR Image Action'],
    detail: { 'action-type': ['PUSH'], result: ['SUCCESS'] },
  })
  rule('RepositoryRule', 'repository-push', 'Pushes to AWS CodeCommit, for the GitRepositories that follow them', {
    source: ['aws.codecommit'],
    detailType: ['CodeCommit Repository State Change'],
    detail: { event: ['referenceCreated', 'referenceUpdated'] },
  })
  if (sourceBuckets.length > 0)
    rule('BucketRule', 'bucket-change', 'Objects of Amazon S3, for the Buckets that read them', {
      source: ['aws.s3'],
      detailType: ['Object Created', 'Object Deleted'],
      detail: { bucket: { name: [...sourceBuckets] } },
    })
}
