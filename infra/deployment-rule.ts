import { Stack } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'

/**
 * Ticks when a deployment of the stack has ended, so that a new hub is filled at once: CloudFormation tells EventBridge of the end. Should
 * the event get lost, the schedule's tick comes within a minute.
 */
export const deploymentRule = (scope: Construct, hubName: string, tick: IFunction): Rule =>
  new Rule(scope, 'DeploymentRule', {
    ruleName: `${hubName}-deployed`,
    description: `A tick of the Keelson hub ${hubName} at the end of its deployment`,
    eventPattern: {
      source: ['aws.cloudformation'],
      detailType: ['CloudFormation Stack Status Change'],
      detail: {
        'stack-id': [Stack.of(scope).stackId],
        'status-details': { status: ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'] },
      },
    },
    targets: [new LambdaTarget(tick, { retryAttempts: 2 })],
  })
