import { Duration } from 'aws-cdk-lib'
import { Alarm, ComparisonOperator, type IMetric, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch'
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions'
import type { ITable } from 'aws-cdk-lib/aws-dynamodb'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { IKey } from 'aws-cdk-lib/aws-kms'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import { Construct } from 'constructs'
import { stages } from '../lib/platform/ports/queue.ts'
import type { FunctionName, HubFunctions } from './functions.ts'
import { functionNames } from './functions.ts'
import type { StageQueues } from './queues.ts'

export interface Watched {
  readonly table: ITable
  readonly key: IKey
  readonly queues: StageQueues
  readonly functions: HubFunctions
}

interface AlarmPlan {
  readonly id: string
  /** What it means. A link to the runbook is added. */
  readonly description: string
  readonly metric: IMetric
  readonly threshold: number
  readonly periods: number
  /** Alarms below the threshold, and when data is missing. */
  readonly whenMissing?: true
}

const fiveMinutes = { period: Duration.minutes(5) }

/** Alarms for failures that need an operator, with e-mails if `email` is set. docs/operations.md describes each. */
export const alarms = (scope: Construct, hubName: string, watched: Watched, email: string | undefined): Alarm[] => {
  const within = new Construct(scope, 'Alarms')
  const topic = email ? alarmTopic(within, hubName, watched.key, email) : undefined
  return plansOf(hubName, watched).map(({ id, description, metric, threshold, periods, whenMissing }) => {
    const alarm = new Alarm(within, id, {
      alarmName: `${hubName}-${id}`,
      alarmDescription: `${description} See docs/operations.md.`,
      metric,
      threshold,
      evaluationPeriods: periods,
      comparisonOperator: whenMissing
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: whenMissing ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    })
    if (topic) alarm.addAlarmAction(new SnsAction(topic))
    return alarm
  })
}

const plansOf = (hubName: string, { table, queues, functions }: Watched): AlarmPlan[] => [
  ...stages.flatMap((stage): AlarmPlan[] => [
    {
      id: `${stage}-dead-letters`,
      description: `Messages of the stage ${stage} failed for good.`,
      metric: queues[stage].deadLetters.metricApproximateNumberOfMessagesVisible({ ...fiveMinutes, statistic: 'max' }),
      threshold: 1,
      periods: 1,
    },
    {
      id: `${stage}-behind`,
      description: `The oldest message of the stage ${stage} has waited for half an hour.`,
      metric: queues[stage].queue.metricApproximateAgeOfOldestMessage({ ...fiveMinutes, statistic: 'max' }),
      threshold: 1800,
      periods: 2,
    },
  ]),
  ...functionNames.flatMap((name: FunctionName): AlarmPlan[] => [
    {
      id: `${name}-errors`,
      description: `The function ${name} has been failing for a quarter of an hour.`,
      metric: functions[name].metricErrors({ ...fiveMinutes, statistic: 'sum' }),
      threshold: 1,
      periods: 3,
    },
    {
      id: `${name}-throttles`,
      description: `Lambda has been throttling the function ${name} for a quarter of an hour.`,
      metric: functions[name].metricThrottles({ ...fiveMinutes, statistic: 'sum' }),
      threshold: 1,
      periods: 3,
    },
  ]),
  {
    id: 'tick-missing',
    description: 'No tick has enqueued due objects for ten minutes.',
    metric: functions.tick.metricInvocations({ ...fiveMinutes, statistic: 'sum' }),
    threshold: 1,
    periods: 2,
    whenMissing: true,
  },
  {
    id: 'credentials-expiring',
    description: 'A credential of the hub for a cluster expires soon, or is refused.',
    metric: new Metric({
      ...{ namespace: 'Keelson', metricName: 'keelson_cluster_credentials_expiring', statistic: 'sum' },
      ...{ dimensionsMap: { service: hubName }, period: Duration.hours(1) },
    }),
    threshold: 1,
    periods: 1,
  },
  ...(['WriteThrottleEvents', 'ReadThrottleEvents'] as const).map(
    (name): AlarmPlan => ({
      id: name === 'WriteThrottleEvents' ? 'table-write-throttles' : 'table-read-throttles',
      description: 'DynamoDB has been throttling the hub for a quarter of an hour.',
      metric: table.metric(name, { ...fiveMinutes, statistic: 'sum' }),
      threshold: 1,
      periods: 3,
    }),
  ),
]

const alarmTopic = (scope: Construct, hubName: string, key: IKey, email: string): Topic => {
  const topic = new Topic(scope, 'Topic', {
    displayName: `Alarms of the Keelson hub ${hubName}`,
    masterKey: key,
    enforceSSL: true,
  })
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'], // in a key's policy: this key
    }),
  )
  topic.addSubscription(new EmailSubscription(email))
  return topic
}
