import { Stack } from 'aws-cdk-lib'
import { Rule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction as LambdaTarget } from 'aws-cdk-lib/aws-events-targets'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { Construct } from 'constructs'

/**
 * Invokes the tick when a deployment of the stack ends, so that a new hub reconciles its root source at once. If the event of CloudFormation
 * gets lost, the schedule invokes the tick within a minute.
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
