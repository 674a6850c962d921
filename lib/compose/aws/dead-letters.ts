import type { SQSClient, Message as SqsMessage } from '@aws-sdk/client-sqs'
import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import type { Stage } from '../../platform/ports/queue.ts'

export interface DeadLetter {
  readonly stage: Stage
  /** The original message: which object to reconcile. */
  readonly body: string
}

export interface DeadLettersOptions {
  readonly hubName: string
  readonly region: string
  credentials(): Promise<AwsCredentials>
}

export interface DeadLetters {
  /** Returns the dead letters of a stage to its queue, one after the other; yields each once it is in the queue. */
  redrive(stage: Stage): AsyncGenerator<DeadLetter, void, undefined>
  close(): void
}

/**
 * The messages that a hub on AWS has given up on. Each is sent before it is deleted, so that none is lost; an interruption in between
 * leaves a duplicate, which is harmless.
 */
export const deadLetters = async ({ hubName, ...config }: DeadLettersOptions): Promise<DeadLetters> => {
  const sdk = await import('@aws-sdk/client-sqs')
  const sqs = new sdk.SQSClient(config)
  const urlOf = async (name: string): Promise<string> =>
    (await sqs.send(new sdk.GetQueueUrlCommand({ QueueName: name }))).QueueUrl!

  return {
    redrive: async function* (stage) {
      const queue = await urlOf(`${hubName}-${stage}`)
      const dead = await urlOf(`${hubName}-${stage}-dead-letters`)
      for (let found = await take(sdk, sqs, dead); found.length > 0; found = await take(sdk, sqs, dead)) {
        for (const { Body = '', Attributes, ReceiptHandle } of found) {
          const group = Attributes?.MessageGroupId
          await sqs.send(
            new sdk.SendMessageCommand({ QueueUrl: queue, MessageBody: Body, ...(group && { MessageGroupId: group }) }),
          )
          await sqs.send(new sdk.DeleteMessageCommand({ QueueUrl: dead, ReceiptHandle }))
          yield { stage, body: Body }
        }
      }
    },
    close: () => sqs.destroy(),
  }
}

/** The messages that are visible now; excludes those that someone else has received. */
const take = async (sdk: typeof import('@aws-sdk/client-sqs'), sqs: SQSClient, url: string): Promise<SqsMessage[]> => {
  const command = new sdk.ReceiveMessageCommand({
    QueueUrl: url,
    MaxNumberOfMessages: 10,
    WaitTimeSeconds: 1,
    VisibilityTimeout: 60,
    MessageSystemAttributeNames: ['MessageGroupId'],
  })
  return (await sqs.send(command)).Messages ?? []
}
