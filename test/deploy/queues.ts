import type { Account } from './account.ts'

/** A deployed hub's queues, by the name of their stage; those of dead letters end in `-dead-letters`. */
export interface Queues {
  urlOf(queue: string): string
  send(queue: string, message: object, delaySeconds?: number): Promise<unknown>
  /** How many messages wait there, or are being worked on. */
  waitingIn(queue: string): Promise<number>
  /** While the story lasts, a message stays hidden from others for so long once somebody has taken it; then for as long as before. */
  whileTakenHideFor(queue: string, seconds: number, story: () => Promise<void>): Promise<void>
}

export function queuesOf(account: Account, urlPrefix: string): Queues {
  const urlOf = (queue: string) => `${urlPrefix}${queue}`
  const call = <T>(operation: string, queue: string, more: object) =>
    account.json<T>('sqs', `AmazonSQS.${operation}`, { QueueUrl: urlOf(queue), ...more })
  const attributesOf = async <N extends string>(queue: string, ...AttributeNames: readonly N[]) =>
    (await call<{ Attributes: Record<N, string> }>('GetQueueAttributes', queue, { AttributeNames })).Attributes
  const hideFor = (queue: string, VisibilityTimeout: string) =>
    call('SetQueueAttributes', queue, { Attributes: { VisibilityTimeout } })
  return {
    urlOf,
    send: (queue, message, delaySeconds = 0) =>
      call('SendMessage', queue, { MessageBody: JSON.stringify(message), DelaySeconds: delaySeconds }),
    waitingIn: async queue => {
      const counts = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const
      return Object.values(await attributesOf(queue, ...counts)).reduce((sum, count) => sum + Number(count), 0)
    },
    whileTakenHideFor: async (queue, seconds, story) => {
      const { VisibilityTimeout } = await attributesOf(queue, 'VisibilityTimeout')
      await hideFor(queue, String(seconds))
      try {
        await story()
      } finally {
        await hideFor(queue, VisibilityTimeout)
      }
    },
  }
}
