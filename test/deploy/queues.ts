import type { Account } from './account.ts'

/** A deployed hub's queues, by the name of their stage; those of dead letters end in `-dead-letters`. */
export interface Queues {
  urlOf(queue: string): string
  send(queue: string, message: object, delaySeconds?: number): Promise<unknown>
  /** How many messages wait there, or are being worked on. */
  waitingIn(queue: string): Promise<number>
  /** How long a message stays hidden from others once somebody has taken it. */
  hideTaken(queue: string, seconds: number): Promise<unknown>
}

export function queuesOf(account: Account, urlPrefix: string): Queues {
  const urlOf = (queue: string) => `${urlPrefix}${queue}`
  const call = <T>(operation: string, queue: string, more: object) =>
    account.json<T>('sqs', `AmazonSQS.${operation}`, { QueueUrl: urlOf(queue), ...more })
  return {
    urlOf,
    send: (queue, message, delaySeconds = 0) =>
      call('SendMessage', queue, { MessageBody: JSON.stringify(message), DelaySeconds: delaySeconds }),
    waitingIn: async queue => {
      const AttributeNames = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible']
      const { Attributes } = await call<{ Attributes: Record<string, string> }>('GetQueueAttributes', queue, {
        AttributeNames,
      })
      return AttributeNames.reduce((sum, name) => sum + Number(Attributes[name]), 0)
    },
    hideTaken: (queue, seconds) =>
      call('SetQueueAttributes', queue, { Attributes: { VisibilityTimeout: String(seconds) } }),
  }
}
