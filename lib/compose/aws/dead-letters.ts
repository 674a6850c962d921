import type { SQSClient, Message as SqsMessage } from '@aws-sdk/client-sqs'
import type { AwsCredentials } from '../../platform/cloud/aws/credentials.ts'
import type { Stage } from '../../platform/ports/queue.ts'

export interface DeadLetter {
  readonly stage: Stage
  /** As the hub sent it: which object to look at. */
  readonly body: string
}

export interface DeadLettersOptions {
  readonly hubName: string
  readonly region: string
  credentials(): Promise<AwsCredentials>
}

export interface DeadLetters {
  /** Puts the dead letters of a stage back into its queue, one after the other as they are found; each is told once it is safe there. */
  redrive(stage: Stage): AsyncGenerator<DeadLetter, void, undefined>
  close(): void
}

/**
 * The messages that a hub on AWS has given up on. Each is put back before it is taken out, so that none is lost; should this
 * end in between, one is there twice, which is harmless.
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

/** What can be had at the moment; what somebody else is looking at is not. */
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
