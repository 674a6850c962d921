import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb'

/** What calls to AWS are billed by, as far as a hub makes them. */
export interface Usage {
  /** DynamoDB request units, strongly consistent reads and transactions counted as AWS does. */
  readUnits: number
  writeUnits: number
  s3Puts: number
  s3Gets: number
  sqsRequests: number
  kmsRequests: number
}

export const noUsage = (): Usage => ({
  readUnits: 0,
  writeUnits: 0,
  s3Puts: 0,
  s3Gets: 0,
  sqsRequests: 0,
  kmsRequests: 0,
})

type Item = Record<string, AttributeValue>

interface Sent {
  readonly TableName?: string
  readonly IndexName?: string
  readonly ConsistentRead?: boolean
  readonly Item?: Item
  readonly Key?: Item
  readonly TransactItems?: readonly Readonly<Record<string, Sent>>[]
}

interface Answered {
  readonly Item?: Item
  readonly Items?: readonly Item[]
}

/**
 * Meters every call that this process makes through the AWS SDK, while `meter` runs. Units follow from the sizes of items, as
 * DynamoDB's pricing says; a write of an item with a due time counts one more for its index.
 */
export function awsMeter(): {
  meter<T>(work: () => Promise<T>): Promise<{ readonly result: T; readonly usage: Usage }>
} {
  let usage: Usage | undefined
  const base = Object.getPrototypeOf(DynamoDBClient.prototype) as {
    send(command: unknown, ...rest: unknown[]): unknown
  }
  const { send } = base
  base.send = async function (command: unknown, ...rest: unknown[]) {
    const answer = (await send.call(this, command, ...rest)) as Answered
    if (usage) {
      const counted = usage
      const { name } = (command as object).constructor
      const sent = (command as { input: Sent }).input
      const stored = async (key: Item | undefined, TableName: string | undefined) => {
        if (!key) return undefined
        return ((await send.call(this, new GetItemCommand({ TableName, Key: key }))) as Answered).Item
      }
      await count(counted, name, sent, answer, stored)
    }
    return answer
  }
  return {
    meter: async work => {
      usage = noUsage()
      const result = await work()
      const metered = usage
      usage = undefined
      return { result, usage: metered }
    },
  }
}

type Stored = (key: Item | undefined, table: string | undefined) => Promise<Item | undefined>

async function count(usage: Usage, name: string, sent: Sent, answer: Answered, stored: Stored): Promise<void> {
  const written = async (request: Sent) => writeUnits(request.Item ?? (await stored(request.Key, request.TableName)))
  switch (name) {
    case 'GetItemCommand':
      usage.readUnits += readUnits(sent, answer.Item ? [answer.Item] : [])
      return
    case 'QueryCommand':
      usage.readUnits += readUnits(sent, answer.Items ?? [])
      return
    case 'PutItemCommand':
    case 'UpdateItemCommand':
    case 'DeleteItemCommand':
      usage.writeUnits += await written(sent)
      return
    case 'TransactWriteItemsCommand':
      for (const step of sent.TransactItems ?? [])
        for (const request of Object.values(step)) usage.writeUnits += 2 * (await written(request))
      return
    case 'PutObjectCommand':
    case 'CopyObjectCommand':
    case 'ListObjectsV2Command':
      usage.s3Puts += 1
      return
    case 'GetObjectCommand':
    case 'HeadObjectCommand':
      usage.s3Gets += 1
      return
    case 'SendMessageBatchCommand':
      usage.sqsRequests += 1
      return
    case 'DecryptCommand':
    case 'GenerateDataKeyCommand':
      usage.kmsRequests += 1
  }
}

const readUnits = ({ ConsistentRead, IndexName }: Sent, items: readonly Item[]): number => {
  const bytes = items.reduce((sum, item) => sum + sizeOf(item), 0)
  const units = Math.max(1, Math.ceil(bytes / 4096))
  return ConsistentRead && !IndexName ? units : units / 2
}

const writeUnits = (item: Item | undefined): number =>
  Math.max(1, Math.ceil(sizeOf(item ?? {}) / 1024)) + (item && 'duePk' in item ? 1 : 0)

/** Names and values, as DynamoDB counts an item's size. */
const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + name.length + valueSize(value), 0)

const valueSize = (value: AttributeValue): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.B !== undefined) return value.B.byteLength
  if (value.N !== undefined) return Math.ceil(value.N.length / 2) + 1
  if (value.L) return value.L.reduce((sum, each) => sum + valueSize(each) + 1, 3)
  if (value.M) return sizeOf(value.M) + 3
  if (value.SS) return value.SS.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
  return 1
}
