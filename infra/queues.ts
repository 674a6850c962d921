import { Duration } from 'aws-cdk-lib'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import { type Stage, stages } from '../lib/platform/ports/queue.ts'
import { stageLimits } from './stage-limits.ts'

export interface StageQueue {
  readonly queue: Queue
  /** Messages that failed too often. An alarm reports them; `keelson redrive` returns them to the queue. */
  readonly deadLetters: Queue
}

export type StageQueues = Readonly<Record<Stage, StageQueue>>

/** A standard queue for each stage, and one for its dead letters. Messages only name objects, and hold no data of users. */
export const stageQueues = (scope: Construct, hubName: string): StageQueues => {
  const within = new Construct(scope, 'Queues')
  return Object.fromEntries(stages.map(stage => [stage, stageQueue(within, hubName, stage)])) as unknown as StageQueues
}

const stageQueue = (scope: Construct, hubName: string, stage: Stage): StageQueue => {
  const { timeout, attempts } = stageLimits[stage]
  const name = `${hubName}-${stage}`
  const common = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
  const deadLetters = new Queue(scope, `${stage}-dead-letters`, {
    ...common,
    queueName: `${name}-dead-letters`,
    retentionPeriod: Duration.days(14),
  })
  const queue = new Queue(scope, stage, {
    ...common,
    queueName: name,
    retentionPeriod: Duration.days(4),
    // AWS recommends six times the timeout. But a message delivered twice costs only a check of a held lease, while one that stays
    // invisible for an hour and a half after a crash delays the user by that time.
    visibilityTimeout: timeout.plus(Duration.seconds(30)),
    deadLetterQueue: { queue: deadLetters, maxReceiveCount: attempts },
  })
  return { queue, deadLetters }
}
