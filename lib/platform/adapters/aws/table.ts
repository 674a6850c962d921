import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type ConsumedCapacity,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  TransactionConflictException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'

export type Item = Record<string, AttributeValue>

export interface Key {
  readonly pk: string
  readonly sk: string
}

export interface Expression {
  /** Attributes are written `#name`, values `:name`. */
  readonly condition?: string
  readonly values?: Item
}

export interface Update extends Expression {
  readonly key: Key
  readonly update: string
}

/** A step of a transaction; `name` identifies it in a FailedStep. */
export type Step = { readonly name: string } & (
  | ({ readonly put: Item } & Expression)
  | ({ readonly remove: Key } & Expression)
  | ({ readonly check: Key } & Expression)
)

/** Why a transaction was canceled: the first step whose condition failed, and its item at that time. */
export interface FailedStep {
  readonly step: string
  readonly item?: Item
}

/** The operations that the adapters need on the DynamoDB table. Reads are strongly consistent, except those of an index. */
export interface Table {
  get(key: Key): Promise<Item | undefined>
  /** Resolves to false if the condition failed. */
  put(item: Item, expression?: Expression): Promise<boolean>
  /** Resolves to the updated item, or undefined if the condition failed. */
  update(update: Update): Promise<Item | undefined>
  /** Like `update`, but resolves to the item before the update. */
  updateFrom(update: Update): Promise<Item | undefined>
  remove(key: Key): Promise<void>
  /** The items of a partition, in the order of their sort keys. */
  query(query: TableQuery): AsyncGenerator<Item, void, undefined>
  /** All steps or none. */
  transact(steps: readonly Step[]): Promise<FailedStep | undefined>
}

export interface TableQuery {
  readonly pk: string
  /** Condition on the sort key, e.g. `#sk BETWEEN :from AND :to`; absent = the whole partition. */
  readonly where?: string
  readonly values?: Item
  /** A condition on items; those that fail it are read, and paid for, but not returned. Its values are in `values`. */
  readonly filter?: string
  readonly index?: { readonly name: string; readonly partitionKey: string }
  /** Number of items per request: as many as are needed, if that is known. */
  readonly pageSize?: number
  /** In the reverse order of their sort keys. */
  readonly newestFirst?: boolean
}

/** An attribute of DynamoDB's type string. */
export const text = (value: string): AttributeValue => ({ S: value })
/** An attribute of DynamoDB's type number, which travels as text. */
export const number = (value: number): AttributeValue => ({ N: String(value) })
/** An attribute of DynamoDB's type binary. */
export const bytes = (value: Uint8Array): AttributeValue => ({ B: value })
/** A string attribute of an item; empty if it is absent or of another type. */
export const textOf = (item: Item, name: string): string => item[name]?.S ?? ''
/** A number attribute of an item; undefined if it is absent or of another type. */
export const numberOf = (item: Item, name: string): number | undefined =>
  item[name]?.N === undefined ? undefined : Number(item[name].N)

/** Request units, as DynamoDB reports them with each response. */
export interface Consumed {
  readUnits: number
  writeUnits: number
}

/** Adds what each request consumes to `consumed`. */
export const dynamoTable = (
  client: DynamoDBClient,
  name: string,
  consumed: Consumed = { readUnits: 0, writeUnits: 0 },
): Table => {
  const measured = { ReturnConsumedCapacity: 'TOTAL' } as const
  const counting =
    (field: keyof Consumed) =>
    <T extends Metered>(response: T): T => {
      consumed[field] += response.ConsumedCapacity?.CapacityUnits ?? 0
      return response
    }
  const [read, written] = [counting('readUnits'), counting('writeUnits')]
  const updating = async (returns: 'ALL_NEW' | 'ALL_OLD', { key, update, ...expression }: Update) => {
    const command = new UpdateItemCommand({
      TableName: name,
      Key: keyOf(key),
      UpdateExpression: update,
      ReturnValues: returns,
      ...measured,
      ...expressed(expression, update),
    })
    const response = await unlessConditionFailed(withRetries(async () => written(await client.send(command))))
    return response && (response.Attributes ?? {})
  }

  return {
    get: async key => {
      const command = new GetItemCommand({ TableName: name, Key: keyOf(key), ConsistentRead: true, ...measured })
      return read(await client.send(command)).Item
    },

    put: async (item, expression = {}) => {
      const command = new PutItemCommand({ TableName: name, Item: item, ...measured, ...expressed(expression) })
      const put = withRetries(async () => written(await client.send(command)))
      return (await unlessConditionFailed(put)) !== undefined
    },

    update: update => updating('ALL_NEW', update),
    updateFrom: update => updating('ALL_OLD', update),

    remove: async key => {
      const command = new DeleteItemCommand({ TableName: name, Key: keyOf(key), ...measured })
      await withRetries(async () => written(await client.send(command)))
    },

    async *query({ pk, where, values = {}, filter, index, pageSize, newestFirst }) {
      const input: QueryCommandInput = {
        TableName: name,
        ...measured,
        ...(index ? { IndexName: index.name } : { ConsistentRead: true }),
        KeyConditionExpression: where ? `#pk = :pk AND ${where}` : '#pk = :pk',
        ...(filter && { FilterExpression: filter }),
        ExpressionAttributeNames: { ...namesIn(`${where ?? ''} ${filter ?? ''}`), '#pk': index?.partitionKey ?? 'pk' },
        ExpressionAttributeValues: { ':pk': text(pk), ...values },
        ...(pageSize && { Limit: pageSize }),
        ...(newestFirst && { ScanIndexForward: false }),
      }
      let start: Item | undefined
      do {
        const page = read(await client.send(new QueryCommand({ ...input, ExclusiveStartKey: start })))
        yield* page.Items ?? []
        start = page.LastEvaluatedKey
      } while (start)
    },

    transact: async steps => {
      const command = new TransactWriteItemsCommand({
        TransactItems: steps.map(step => transactItem(name, step)),
        ...measured,
      })
      try {
        const { ConsumedCapacity = [] } = await withRetries(() => client.send(command))
        for (const one of ConsumedCapacity) written({ ConsumedCapacity: one })
        return undefined
      } catch (error) {
        const refusal = refusalIn(error, steps)
        if (!refusal) throw error
        return refusal
      }
    },
  }
}

interface Metered {
  readonly ConsumedCapacity?: ConsumedCapacity | undefined
}

const keyOf = ({ pk, sk }: Key): Item => ({ pk: text(pk), sk: text(sk) })

const transactItem = (table: string, step: Step): TransactWriteItem => {
  const common = { TableName: table, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const, ...expressed(step) }
  if ('put' in step) return { Put: { ...common, Item: step.put } }
  if ('remove' in step) return { Delete: { ...common, Key: keyOf(step.remove) } }
  return { ConditionCheck: { ...common, Key: keyOf(step.check), ConditionExpression: step.condition! } }
}

/** All attributes are written with `#`, since many names are reserved words of DynamoDB. */
const namesIn = (expression: string): Record<string, string> =>
  Object.fromEntries([...new Set(expression.match(/#\w+/g) ?? [])].map(name => [name, name.slice(1)]))

const expressed = ({ condition, values }: Expression, update = '') => {
  const names = namesIn(`${condition ?? ''} ${update}`)
  return {
    ...(condition && { ConditionExpression: condition }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(values && Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}

const unlessConditionFailed = async <T>(response: Promise<T>): Promise<T | undefined> => {
  try {
    return await response
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined
    throw error
  }
}

const refusalIn = (error: unknown, steps: readonly Step[]): FailedStep | undefined => {
  if (!(error instanceof TransactionCanceledException)) return undefined
  const reasons = error.CancellationReasons ?? []
  const index = reasons.findIndex(({ Code }) => Code === 'ConditionalCheckFailed')
  if (index < 0) return undefined
  const { Item } = reasons[index]!
  return { step: steps[index]!.name, ...(Item && { item: Item }) }
}

const passing = new Set(['TransactionConflict', 'ThrottlingError', 'ProvisionedThroughputExceeded'])

/** A concurrent transaction on the same item, or a throttled partition: a retry may succeed. */
const isTransient = (error: unknown): boolean => {
  if (error instanceof TransactionConflictException) return true
  if (!(error instanceof TransactionCanceledException)) return false
  const codes = (error.CancellationReasons ?? []).map(({ Code = 'None' }) => Code).filter(code => code !== 'None')
  return codes.length > 0 && codes.every(code => passing.has(code))
}

const attempts = 10
const firstPauseMs = 5
const maxPauseMs = 500

/**
 * Retries what the SDK does not: collisions on an item. The pauses grow and are random, so that contenders do not
 * collide again.
 */
const withRetries = async <T>(call: () => Promise<T>): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (error) {
      if (attempt === attempts || !isTransient(error)) throw error
      await sleep(Math.random() * Math.min(maxPauseMs, firstPauseMs * 2 ** attempt))
    }
  }
}
