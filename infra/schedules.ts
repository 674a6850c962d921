import { Duration, Stack } from 'aws-cdk-lib'
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Schedule, ScheduleExpression, ScheduleTargetInput, TimeWindow } from 'aws-cdk-lib/aws-scheduler'
import { LambdaInvoke } from 'aws-cdk-lib/aws-scheduler-targets'
import type { Construct } from 'constructs'
import type { HubFunctions } from './functions.ts'

/** As in events/store-fleet.ts: a test compares them. */
const storeFleet = { task: 'storeFleet' }

/**
 * Invokes the tick every minute, and has the API server store every ten what reports on the fleet need. A missed call is not repeated: the next one
 * does what is due.
 */
export const schedules = (
  scope: Construct,
  hubName: string,
  { tick, apiserver }: Pick<HubFunctions, 'tick' | 'apiserver'>,
): void => {
  const role = new Role(scope, 'TickScheduleRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
    description: `What the schedules of the Keelson hub ${hubName} may do`,
  })
  const every = (
    minutes: number,
    { id, name, description }: { readonly id: string; readonly name: string; readonly description: string },
    target: IFunction,
    input?: object,
  ): void => {
    role.addToPolicy(new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [target.functionArn] }))
    new Schedule(scope, id, {
      scheduleName: `${hubName}-${name}`,
      description: `${description} in the Keelson hub ${hubName}`,
      schedule: ScheduleExpression.rate(Duration.minutes(minutes)),
      timeWindow: TimeWindow.off(),
      // The target's own policy would allow all versions of the function.
      target: new LambdaInvoke(target, {
        role: role.withoutPolicyUpdates(),
        retryAttempts: 0,
        maxEventAge: Duration.minutes(minutes),
        ...(input && { input: ScheduleTargetInput.fromObject(input) }),
      }),
    })
  }
  every(1, { id: 'TickSchedule', name: 'tick', description: 'Enqueues what is due' }, tick)
  const fleet = { id: 'FleetSchedule', name: 'fleet', description: 'Stores what reports on the fleet need' }
  every(10, fleet, apiserver, storeFleet)
}
