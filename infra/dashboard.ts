import { Duration } from 'aws-cdk-lib'
import { type Alarm, AlarmStatusWidget, Dashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import { stages } from '../lib/platform/ports/queue.ts'
import type { Watched } from './alarms.ts'
import { functionNames } from './functions.ts'

/** The dashboard for operators: alarms, then queues, invocations, errors, and capacity. */
export const dashboard = (
  scope: Construct,
  hubName: string,
  { table, queues, functions }: Watched,
  all: Alarm[],
): Dashboard => {
  const graph = (title: string, left: IMetric[]) => new GraphWidget({ title, left, width: 12, height: 6 })
  const ofStages = (metricOf: (stage: (typeof stages)[number]) => IMetric): IMetric[] => stages.map(metricOf)
  const ofFunctions = (metricOf: (name: (typeof functionNames)[number]) => IMetric): IMetric[] =>
    functionNames.map(metricOf)
  return new Dashboard(scope, 'Dashboard', {
    dashboardName: hubName,
    defaultInterval: Duration.hours(3),
    widgets: [
      [new AlarmStatusWidget({ title: 'Alarms', alarms: all, width: 24, height: 5 })],
      [
        graph(
          'Messages waiting',
          ofStages(stage => queues[stage].queue.metricApproximateNumberOfMessagesVisible({ label: stage })),
        ),
        graph(
          'Age of the oldest message (s)',
          ofStages(stage => queues[stage].queue.metricApproximateAgeOfOldestMessage({ label: stage })),
        ),
      ],
      [
        graph(
          'Invocations',
          ofFunctions(name => functions[name].metricInvocations({ label: name })),
        ),
        graph(
          'Duration, 99 of 100 (ms)',
          ofFunctions(name => functions[name].metricDuration({ label: name, statistic: 'p99' })),
        ),
      ],
      [
        graph(
          'Errors',
          ofFunctions(name => functions[name].metricErrors({ label: name })),
        ),
        graph(
          'Dead letters',
          ofStages(stage => queues[stage].deadLetters.metricApproximateNumberOfMessagesVisible({ label: stage })),
        ),
      ],
      [
        graph('Table: units read and written', [
          table.metricConsumedReadCapacityUnits(),
          table.metricConsumedWriteCapacityUnits(),
        ]),
        graph(
          'Concurrent functions',
          ofFunctions(name => functions[name].metric('ConcurrentExecutions', { label: name, statistic: 'max' })),
        ),
      ],
    ],
  })
}
