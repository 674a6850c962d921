import { DeleteMessageCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { parseQueueMessage } from '../../../events/queue-message.ts'
import type { QueueUrls } from '../../../lib/platform/adapters/aws/sqs-queue.ts'
import type { ConsumeOptions, Message, QueueConsumer } from '../../../lib/platform/ports/queue.ts'

/**
 * What Lambda's event source mappings do, in this process: receives, calls the handler, deletes what it dealt with, and
 * leaves what it failed on to the queue's visibility timeout and redrive policy.
 */
export const queueConsumer = (sqs: SQSClient, urls: QueueUrls): QueueConsumer => ({
  consume: (stage, { concurrency, perGroup = concurrency }: ConsumeOptions, handle) => {
    const url = urls[stage]
    const running = new Set<Promise<void>>()
    const ofGroup = new Map<string, number>()
    const held: { message: Message; receipt: string }[] = []
    const stopping = new AbortController()

    const work = async (message: Message, receipt: string): Promise<void> => {
      try {
        await handle(message)
        await sqs.send(new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: receipt }))
      } catch {
        // It comes again when its visibility timeout is over.
      }
    }
    const startWhatMay = () => {
      for (const entry of [...held]) {
        const { message, receipt } = entry
        const group = message.group ?? ''
        if (running.size >= concurrency || (ofGroup.get(group) ?? 0) >= perGroup) continue
        held.splice(held.indexOf(entry), 1)
        ofGroup.set(group, (ofGroup.get(group) ?? 0) + 1)
        const job = work(message, receipt).finally(() => {
          running.delete(job)
          ofGroup.set(group, ofGroup.get(group)! - 1)
        })
        running.add(job)
      }
    }
    const receive = async () => {
      while (!stopping.signal.aborted) {
        if (held.length < 10) {
          const command = new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 })
          const { Messages = [] } = await sqs.send(command)
          for (const { Body, ReceiptHandle } of Messages)
            held.push({ message: parseQueueMessage(Body!), receipt: ReceiptHandle! })
        }
        if (stopping.signal.aborted) return
        startWhatMay()
        await new Promise(resolve => setTimeout(resolve, held.length > 0 ? 2 : 20))
      }
    }
    const receiving = receive()
    return {
      close: async () => {
        stopping.abort()
        await receiving
        await Promise.all(running)
      },
    }
  },
})
