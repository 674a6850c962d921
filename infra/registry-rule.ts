import { Duration } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'

/** Tells the hub of images and artifacts pushed to the account's registry. Events may get lost: sources still poll. */
export const registryRule = (scope: Construct, hubName: string, registryEvent: IFunction): Rule =>
  new Rule(scope, 'RegistryRule', {
    ruleName: `${hubName}-registry-push`,
    description: 'Pushes to Amazon ECR, for the OCIRepositories that follow them',
    eventPattern: {
      source: ['aws.ecr'],
      detailType: ['ECR Image Action'],
      detail: { 'action-type': ['PUSH'], result: ['SUCCESS'] },
    },
    targets: [new LambdaTarget(registryEvent, { retryAttempts: 3, maxEventAge: Duration.minutes(15) })],
  })
