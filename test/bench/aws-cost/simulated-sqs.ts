import type { SendMessageBatchCommandInput } from '@aws-sdk/client-sqs'
import { type Stage, stages } from '../../../lib/platform/ports/queue.ts'

export interface SimulatedSqs {
  send(request: SendMessageBatchCommandInput): { Successful: object[] }
  /** When the next message can be received. */
  nextAt(): number | undefined
  /**
   * What Lambda's pollers would receive by a time: the messages of a stage that become visible in the same second, up to a batch. An event
   * source without a batching window waits for no more of them.
   */
  receive(
    by: number,
    batchSizeOf: (stage: Stage) => number,
  ): { readonly stage: Stage; readonly bodies: string[] } | undefined
}

interface Waiting {
  readonly stage: Stage
  readonly body: string
  readonly visibleAt: number
}

/** The queues in memory, in virtual time. Queue URLs end with the stage. */
export const simulatedSqs = (now: () => number): SimulatedSqs => {
  let waiting: Waiting[] = []
  return {
    send: ({ QueueUrl = '', Entries = [] }) => {
      const stage = stages.find(name => QueueUrl.endsWith(name))!
      for (const { MessageBody = '', DelaySeconds = 0 } of Entries)
        waiting.push({ stage, body: MessageBody, visibleAt: now() + DelaySeconds * 1000 })
      waiting.sort((a, b) => a.visibleAt - b.visibleAt)
      return { Successful: Entries.map(({ Id }) => ({ Id })) }
    },
    nextAt: () => waiting[0]?.visibleAt,
    receive: (by, batchSizeOf) => {
      const first = waiting[0]
      if (!first || first.visibleAt > by) return undefined
      const until = first.visibleAt + 1000
      const together = waiting
        .filter(({ stage, visibleAt }) => stage === first.stage && visibleAt < until && visibleAt <= by)
        .slice(0, batchSizeOf(first.stage))
      waiting = waiting.filter(message => !together.includes(message))
      return { stage: first.stage, bodies: together.map(({ body }) => body) }
    },
  }
}
