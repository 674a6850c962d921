import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { refKey } from '../../../foundations/kinds/object.ts'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import { type Delayed, type Message, maxDelayMs, type Queue, type Stage } from '../../ports/queue.ts'

export type QueueUrls = Readonly<Record<Stage, string>>

/** SQS takes ten messages at a time. */
const perBatch = 10
const batchesAtOnce = 8
const attempts = 4

/** Takes messages out of a stage's queue that have been handled, before the function that got them ends; `receipts` are their handles, ten at most. */
export type Acknowledge = (stage: Stage, receipts: readonly string[]) => Promise<void>

export const sqsAcknowledge =
  (sqs: SQSClient, urls: QueueUrls): Acknowledge =>
  async (stage, receipts) => {
    if (receipts.length === 0) return
    const Entries = receipts.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }))
    const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: urls[stage], Entries }))
    if (Failed.length > 0)
      throw new Error(`${Failed.length} messages of ${stage} stay in the queue: ${Failed[0]!.Code}`)
  }

/** A standard queue per stage. The fairness group is the message group of SQS' fair queues: it orders nothing. */
export const sqsQueue = (sqs: SQSClient, urls: QueueUrls): Queue => {
  const sendBatch = async (url: string, messages: readonly Delayed<Message>[]): Promise<void> => {
    let entries = messages.map(entryOf)
    for (let attempt = 1; ; attempt++) {
      const { Failed = [] } = await sqs.send(new SendMessageBatchCommand({ QueueUrl: url, Entries: entries }))
      if (Failed.length === 0) return
      const failed = new Set(Failed.map(({ Id }) => Id))
      entries = entries.filter(({ Id }) => failed.has(Id))
      if (attempt === attempts || Failed.every(({ SenderFault }) => SenderFault)) {
        const { Code, Message } = Failed[0]!
        throw new Error(`${entries.length} messages were not taken by ${url}: ${Code}: ${Message}`)
      }
      await sleep(50 * 2 ** attempt)
    }
  }

  return {
    isDurable: true,
    send: async messages => {
      for (const { delayMs = 0 } of messages)
        if (delayMs > maxDelayMs) throw new RangeError(`a message waits ${maxDelayMs} ms at most, not ${delayMs}`)
      const batches = [...Map.groupBy(messages, ({ stage }) => stage)].flatMap(([stage, ofStage]) =>
        chunks(ofStage, perBatch).map(batch => ({ url: urls[stage], batch })),
      )
      for (const together of chunks(batches, batchesAtOnce))
        await Promise.all(together.map(({ url, batch }) => sendBatch(url, batch)))
    },
  }
}

const entryOf = ({ delayMs = 0, ...message }: Delayed<Message>, index: number): SendMessageBatchRequestEntry => ({
  Id: String(index),
  MessageBody: JSON.stringify(message),
  ...(delayMs > 0 && { DelaySeconds: Math.ceil(delayMs / 1000) }),
  // Without a group SQS would take each message for a tenant of its own, and none for a noisy one.
  MessageGroupId: groupId(groupOf(message)),
})

/** What may end its process has a group of its own: the time that it takes is not its cluster's. */
const groupOf = ({ group, ref, alone }: Message): string => (alone ? `alone/${refKey(ref)}` : (group ?? ref.namespace))

/** SQS takes 128 letters, digits and signs. */
const groupId = (group: string): string => (/^[A-Za-z0-9!-/:-@[-`{-~]{1,128}$/.test(group) ? group : sha256Hex(group))

const chunks = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size))
