import { isDeepStrictEqual } from 'node:util'
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  DeleteItemCommand,
  type DeleteItemCommandInput,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactWriteItemsCommand,
  type TransactWriteItemsCommandInput,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb'
import { tableShape } from '../../../lib/platform/adapters/aws/table-shape.ts'
import { type Item, keyRange, satisfies, updated } from './expressions.ts'
import { sortedPartitions } from './sorted-partitions.ts'

/** Request units as DynamoDB bills them on demand, by what they were for. */
export interface Units {
  read: number
  write: number
}

/** `write` counts what the index's partition takes of it, too. */
export type RequestUnits = Units & {
  readonly partition: string
  readonly inIndex?: { readonly partition: string; readonly write: number }
}

export interface SimulatedDynamo {
  /** What `dynamoTable` takes for a client. All names of tables mean the one that there is. */
  readonly client: DynamoDBClient
  /** Units since the start, or since the last call. */
  takeUnits(): Units
  /** Hears of each request's units, and of the partition key that they were for. */
  onUnits: ((units: RequestUnits) => void) | undefined
  /** All items, in no particular order. */
  items(): Item[]
  /** Bytes of all items, and of the index's, without DynamoDB's 100 bytes for each. */
  size(): number
}

export interface SimulatedDynamoOptions {
  /** How long an index takes to show a write, in milliseconds by `now`. */
  readonly indexLagMs?: () => number
  /** Milliseconds; of the index's lag. */
  readonly now?: () => number
  /** Waits as long as a request takes. */
  readonly latency?: () => Promise<void>
}

/**
 * The hub's table in memory, with what the emulator leaves out: units counted as the pricing page and the developer guide say,
 * an index that lags behind, and the limit of a page. Each request happens at one moment, so that counting never races with writing.
 *
 * A write costs a unit for each KB of the larger of the item before and after, twice that in a transaction, and as much when its
 * condition does not hold. An index costs one write for an entry that comes, goes or changes, two for one whose key moves, none for one that
 * stays as it is. AWS does not say whether a transaction doubles those of an index; here it does.
 */
export const simulatedDynamo = (options: SimulatedDynamoOptions = {}): SimulatedDynamo => {
  const { indexLagMs = () => 0, now = () => performance.now(), latency = async () => {} } = options
  const table = sortedPartitions()
  const index = sortedPartitions()
  const pending: { readonly at: number; show(): void }[] = []
  const [{ partitionKey: indexPk, sortKey: indexSk, projected }] = tableShape.indexes
  let units: Units = { read: 0, write: 0 }
  let billed = 0
  const simulated = { onUnits: undefined } as { onUnits: SimulatedDynamo['onUnits'] }

  const bill = (read: number, write: number, partition: string, inIndex?: RequestUnits['inIndex']): void => {
    units = { read: units.read + read, write: units.write + write }
    billed += read + write
    simulated.onUnits?.({ read, write, partition, ...(inIndex && inIndex.write > 0 && { inIndex }) })
  }

  const entryOf = (item: Item | undefined): Item | undefined => {
    if (item?.[indexPk] === undefined || item[indexSk] === undefined) return undefined
    const names = ['pk', 'sk', indexPk, indexSk, ...projected]
    return Object.fromEntries(names.flatMap(name => (item[name] ? [[name, item[name]!]] : [])))
  }

  const keyInIndex = (entry: Item): readonly [string, string] => [
    entry[indexPk]!.S!,
    `${entry[indexSk]!.S}\0${entry.pk!.S}\0${entry.sk!.S}`,
  ]

  /** Changes an item, in the index as well, and returns what that costs beside the table. */
  const store = (before: Item | undefined, given: Item | undefined): NonNullable<RequestUnits['inIndex']> => {
    const after = given && withOwnBytes(given)
    const { pk, sk } = (after ?? before)!
    table.set(pk!.S!, sk!.S!, after)
    const [gone, come] = [entryOf(before), entryOf(after)]
    const partition = (come ?? gone)?.[indexPk]?.S ?? ''
    if (isDeepStrictEqual(gone, come)) return { partition, write: 0 }
    const show = () => {
      if (gone) index.set(...keyInIndex(gone), undefined)
      if (come) index.set(...keyInIndex(come), come)
    }
    const lag = indexLagMs()
    if (lag > 0) pending.push({ at: now() + lag, show })
    else show()
    const moves = gone && come && !isDeepStrictEqual(keyInIndex(gone), keyInIndex(come))
    return { partition, write: moves ? kilobytes(gone) + kilobytes(come) : kilobytes(come ?? gone!) }
  }

  const found = ({ pk, sk }: Item): Item | undefined => table.get(pk!.S!, sk!.S!)

  type Write = PutItemCommandInput | UpdateItemCommandInput | DeleteItemCommandInput
  const keyOf = (write: Write): Item => ('Item' in write ? write.Item! : (write as DeleteItemCommandInput).Key!)
  const resultOf = (write: Write, before: Item | undefined): Item | undefined => {
    if ('Item' in write) return write.Item
    if (!('UpdateExpression' in write)) return undefined
    return updated(write.UpdateExpression!, before ?? { ...write.Key! }, write)
  }

  const write = (request: Write) => {
    const key = keyOf(request)
    const before = found(key)
    const partition = key.pk!.S!
    if (!satisfies(request.ConditionExpression, before, request)) {
      bill(0, kilobytes(before ?? {}), partition)
      throw new ConditionalCheckFailedException({ message: 'The conditional request failed', $metadata: {} })
    }
    const after = resultOf(request, before)
    const inIndex = before || after ? store(before, after) : undefined
    const inTable = Math.max(kilobytes(before ?? {}), kilobytes(after ?? {}))
    bill(0, inTable + (inIndex?.write ?? 0), partition, inIndex)
    const { ReturnValues } = request
    if (ReturnValues === 'ALL_NEW') return { Attributes: after }
    return { Attributes: ReturnValues === 'ALL_OLD' ? before : undefined }
  }

  const transact = ({ TransactItems = [] }: TransactWriteItemsCommandInput) => {
    const steps = TransactItems.map(step => {
      const request = (step.Put ?? step.Delete ?? step.Update ?? step.ConditionCheck) as Write
      const before = found(keyOf(request))
      return { step, request, before, holds: satisfies(request.ConditionExpression, before, request) }
    })
    const failed = steps.some(({ holds }) => !holds)
    for (const { step, request, before } of steps) {
      const after = failed || step.ConditionCheck ? before : resultOf(request, before)
      const stored = !failed && !step.ConditionCheck && (before || after) ? store(before, after) : undefined
      const inIndex = stored && { ...stored, write: 2 * stored.write }
      const inTable = 2 * Math.max(kilobytes(before ?? {}), kilobytes(after ?? {}))
      bill(0, inTable + (inIndex?.write ?? 0), keyOf(request).pk!.S!, inIndex)
    }
    if (!failed) return {}
    throw new TransactionCanceledException({
      message: 'Transaction cancelled',
      $metadata: {},
      CancellationReasons: steps.map(({ holds, before }) =>
        holds ? { Code: 'None' } : { Code: 'ConditionalCheckFailed', ...(before && { Item: before }) },
      ),
    })
  }

  const query = (request: QueryCommandInput) => {
    while (pending.length > 0 && pending[0]!.at <= now()) pending.shift()!.show()
    const { IndexName, ExpressionAttributeValues: values = {}, Limit = Number.POSITIVE_INFINITY } = request
    const partition = values[':pk']!.S!
    const { ExclusiveStartKey: start } = request
    const after = start && (IndexName ? keyInIndex(start)[1] : start.sk!.S!)
    const items: Item[] = []
    let bytes = 0
    let last: Item | undefined
    const isBackward = request.ScanIndexForward === false
    const wanted = keyRange(request)
    const range = after === undefined ? wanted : { ...wanted, [isBackward ? 'to' : 'from']: after }
    for (const [key, item] of (IndexName ? index : table).within(partition, range, isBackward)) {
      if (after !== undefined && !isPast(key, after, isBackward)) continue
      if (!satisfies(request.KeyConditionExpression, item, request)) continue
      if (items.length >= Limit || bytes >= pageBytes) {
        const names = IndexName ? ['pk', 'sk', indexPk, indexSk] : ['pk', 'sk']
        last = Object.fromEntries(names.map(name => [name, items.at(-1)![name]!]))
        break
      }
      items.push(item)
      bytes += sizeOf(item)
    }
    bill(Math.max(1, Math.ceil(bytes / 4096)) * (request.ConsistentRead ? 1 : 0.5), 0, partition)
    const Items = items.filter(item => satisfies(request.FilterExpression, item, request))
    return { Items, ...(last && { LastEvaluatedKey: last }) }
  }

  const answer = (command: unknown): Response & { readonly LastEvaluatedKey?: Item } => {
    if (command instanceof GetItemCommand) {
      const { Key, ConsistentRead } = command.input
      const Item = found(Key!)
      bill(Math.max(1, Math.ceil(sizeOf(Item ?? {}) / 4096)) * (ConsistentRead ? 1 : 0.5), 0, Key!.pk!.S!)
      return { Item }
    }
    if (command instanceof QueryCommand) return query(command.input)
    if (command instanceof TransactWriteItemsCommand) return transact(command.input)
    const isWrite = [PutItemCommand, UpdateItemCommand, DeleteItemCommand].some(type => command instanceof type)
    if (isWrite) return write((command as PutItemCommand).input)
    throw new Error(`not simulated: ${(command as object).constructor.name}`)
  }

  const send = async (command: unknown): Promise<unknown> => {
    await latency()
    const before = billed
    const response = withCopies(answer(command))
    const ConsumedCapacity = { CapacityUnits: billed - before }
    const isTransaction = command instanceof TransactWriteItemsCommand
    return { ...response, ConsumedCapacity: isTransaction ? [ConsumedCapacity] : ConsumedCapacity }
  }

  return Object.assign(simulated, {
    client: { send, destroy() {} } as unknown as DynamoDBClient,
    takeUnits: () => {
      const taken = units
      units = { read: 0, write: 0 }
      return taken
    },
    items: () => structuredClone(table.all()),
    size: () => [...table.all(), ...index.all()].reduce((sum, item) => sum + sizeOf(item), 0),
  })
}

const pageBytes = 1_000_000

/** Whether a query that goes on after a key has not returned this one yet. */
const isPast = (key: string, after: string, isBackward: boolean): boolean => {
  const order = Buffer.compare(Buffer.from(key), Buffer.from(after))
  return isBackward ? order < 0 : order > 0
}

/** The item with no more memory than it needs: the bytes of a compressed state are the beginning of a far larger buffer. */
const withOwnBytes = (item: Item): Item =>
  Object.fromEntries(
    Object.entries(item).map(([name, value]) => {
      const isPart = value.B !== undefined && value.B.byteLength < value.B.buffer.byteLength
      return [name, isPart ? { B: new Uint8Array(value.B!) } : value]
    }),
  )

interface Response {
  readonly Item?: Item | undefined
  readonly Attributes?: Item | undefined
  readonly Items?: readonly Item[]
}

/** Items that the caller may change. Their values are never changed, only replaced, and are most of the bytes. */
const withCopies = <T extends Response>({ Item, Attributes, Items, ...rest }: T) => ({
  ...rest,
  ...(Item && { Item: { ...Item } }),
  ...(Attributes && { Attributes: { ...Attributes } }),
  ...(Items && { Items: Items.map(item => ({ ...item })) }),
})

const kilobytes = (item: Item): number => Math.max(1, Math.ceil(sizeOf(item) / 1024))

/** Names and values, as the developer guide counts the size of an item. */
const sizeOf = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0)

const valueSize = (value: AttributeValue): number => {
  if (value.S !== undefined) return Buffer.byteLength(value.S)
  if (value.B !== undefined) return value.B.byteLength
  if (value.N !== undefined) return Math.ceil(value.N.replace(/\D/g, '').length / 2) + 1
  if (value.SS) return value.SS.reduce((sum, each) => sum + Buffer.byteLength(each), 0)
  return 1
}
