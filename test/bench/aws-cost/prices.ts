import { functionNames } from '../../../infra/functions.ts'
import { awsPrices as price } from '../../../lib/foundations/fleet/aws-prices.ts'
import { stages } from '../../../lib/platform/ports/queue.ts'
import type { Usage } from './usage.ts'

export const hoursAMonth = 730
export const minutesAMonth = hoursAMonth * 60

export const columns = ['Lambda', 'DynamoDB', 'S3', 'SQS', 'KMS', 'Logs'] as const

/** Dollars for a usage, by column. */
export const costOf = (usage: Usage): readonly number[] => [
  usage.invocations * price.lambdaRequest + usage.gbSeconds * price.lambdaGbSecondArm,
  usage.readUnits * price.readUnit + usage.writeUnits * price.writeUnit,
  (usage.s3Puts + usage.s3Lists) * price.s3Put + usage.s3Gets * price.s3Get,
  usage.sqsRequests * price.sqsRequest,
  usage.kmsRequests * price.kmsRequest,
  (usage.logBytes / 1e9) * price.logGb,
]

export const total = (costs: readonly number[]): number => costs.reduce((sum, cost) => sum + cost, 0)

/** Lambda asks each queue with five pollers at least, each of which waits for twenty seconds at a time. */
export const longPollsAMonth = stages.length * 5 * 3 * minutesAMonth

/** Of the tick each minute, and of what stores the fleet every ten: see infra/schedules.ts. */
const scheduledCalls = minutesAMonth * 1.1

/** Two for each queue and each function, and four of the table, the tick and credentials: see infra/alarms.ts, and the test of the template. */
const alarms = 2 * stages.length + 2 * functionNames.length + 4

/** What any hub costs, however little it does. `metrics` are the combinations of name and dimensions that it has published. */
export const fixedCosts = (metrics: number): ReadonlyMap<string, number> =>
  new Map([
    ['the key', price.kmsKey],
    [`${alarms} alarms`, alarms * price.alarm],
    [`${metrics} metrics of CloudWatch`, metrics * price.customMetric],
    [
      `${Math.round(longPollsAMonth / 1000)}k long polls of ${stages.length} queues`,
      longPollsAMonth * price.sqsRequest,
    ],
    [`${scheduledCalls} calls of the schedules`, scheduledCalls * price.scheduledCall],
  ])
