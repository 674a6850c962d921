import { BatchWriteItemCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { chunks } from '../../lib/foundations/rules/chunks.ts'
import type { Item } from '../bed/aws/expressions.ts'

/** Items of one request. */
const batchSize = 25
const requestsAtOnce = 4

/** Puts into the emulator's table what was written in memory: the emulator takes a quarter of an hour for 100,000 items in transactions. */
export const copyItems = async (items: readonly Item[], dynamo: DynamoDBClient, table: string): Promise<void> => {
  const left = chunks(items, batchSize)[Symbol.iterator]()
  const copy = async (): Promise<void> => {
    for (const batch of left) {
      const RequestItems = { [table]: batch.map(Item => ({ PutRequest: { Item } })) }
      const { UnprocessedItems = {} } = await dynamo.send(new BatchWriteItemCommand({ RequestItems }))
      if (Object.keys(UnprocessedItems).length > 0) throw new Error('the emulator has left items out')
    }
  }
  await Promise.all(Array.from({ length: requestsAtOnce }, copy))
}
