import { Duration, Stack } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Schedule, ScheduleExpression, TimeWindow } from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import type { Construct } from 'constructs'

/** Invokes the tick every minute. A missed tick is not repeated: the next one finds all that is due. */
export const tickSchedule = (scope: Construct, hubName: string, tick: IFunction): Schedule => {
  const role = new Role(scope, 'TickScheduleRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
    description: `What the schedule of the Keelson hub ${hubName} may do`,
  })
  role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [tick.functionArn] }))
  return new Schedule(scope, 'TickSchedule', {
    scheduleName: `${hubName}-tick`,
    description: `Enqueues what is due in the Keelson hub ${hubName}`,
    schedule: ScheduleExpression.rate(Duration.minutes(1)),
    timeWindow: TimeWindow.off(),
    // The target's own policy would allow all versions of the function.
    target: new LambdaInvoke(tick, {
      role: role.withoutPolicyUpdates(),
      retryAttempts: 0,
      maxEventAge: Duration.minutes(1),
    }),
  })
}
