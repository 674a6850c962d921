import { setTimeout as sleep } from 'node:timers/promises'
import {
  DeleteMessageBatchCommand,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs'
import { refKey } from '../../../foundations/kinds/object.ts'
import { chunks } from '../../../foundations/rules/chunks.ts'
import { sha256Hex } from '../../../foundations/rules/sha256.ts'
import { type Delayed, type Message, maxDelayMs, type Queue, type Stage } from '../../ports/queue.ts'

export type QueueUrls = Readonly<Record<Stage, string>>

/** SQS accepts ten messages per call. */
const perBatch = 10
const batchesAtOnce = 8
const attempts = 4

/** Deletes handled messages from a stage's queue before the function that received them ends; `receipts` are their handles, at most ten. */
export type Acknowledge = (stage: Stage, receipts: readonly string[]) => Promise<void>

/**
 * Deletes in one request. Throws an Error if messages stay: they come again after the visibility timeout, which passes
 * tolerate.
 */
export const sqsAcknowledge =
  (sqs: SQSClient, urls: QueueUrls): Acknowledge =>
  async (stage, receipts) => {
    if (receipts.length === 0) return
    const Entries = receipts.map((ReceiptHandle, index) => ({ Id: String(index), ReceiptHandle }))
    const { Failed = [] } = await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: urls[stage], Entries }))
    if (Failed.length > 0)
      throw new Error(`${Failed.length} messages of ${stage} stay in the queue: ${Failed[0]!.Code}`)
  }

/** A standard queue per stage. The fairness group is the message group of SQS' fair queues, which does not order messages. */
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
        throw new Error(`${entries.length} messages were rejected by ${url}: ${Code}: ${Message}`)
      }
      await sleep(50 * 2 ** attempt)
    }
  }

  return {
    isDurable: true,
    send: async messages => {
      for (const { delayMs = 0 } of messages)
        if (delayMs > maxDelayMs)
          throw new RangeError(`a message can be delayed by at most ${maxDelayMs} ms, not ${delayMs}`)
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
  // Without a group, SQS would treat each message as a tenant of its own, and none as a noisy one.
  MessageGroupId: groupId(groupOf(message)),
})

/** A message that may end its process has a group of its own: its time must not count as its cluster's. */
const groupOf = ({ group, ref, alone }: Message): string => (alone ? `alone/${refKey(ref)}` : (group ?? ref.namespace))

/** SQS allows 128 letters, digits and punctuation characters. */
const groupId = (group: string): string => (/^[A-Za-z0-9!-/:-@[-`{-~]{1,128}$/.test(group) ? group : sha256Hex(group))
