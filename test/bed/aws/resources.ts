import { randomUUID } from 'node:crypto'
import { CreateTableCommand, type KeySchemaElement } from '@aws-sdk/client-dynamodb'
import { CreateKeyCommand } from '@aws-sdk/client-kms'
import { CreateBucketCommand } from '@aws-sdk/client-s3'
import { CreateQueueCommand, GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import type { AwsClients } from '../../../lib/platform/adapters/aws/aws-clients.ts'
import type { AwsResources } from '../../../lib/platform/adapters/aws/aws-platform.ts'
import type { QueueUrls } from '../../../lib/platform/adapters/aws/sqs-queue.ts'
import { tableShape } from '../../../lib/platform/adapters/aws/table-shape.ts'
import { type Stage, stages } from '../../../lib/platform/ports/queue.ts'

/** What a hub needs, made by plain calls in place of a stack: for suites of the adapters. */
export async function makeResources(clients: AwsClients): Promise<AwsResources> {
  const hubName = `hub-${randomUUID().slice(0, 8)}`
  const [table, bucket, kmsKey, queues] = await Promise.all([
    makeTable(clients, hubName),
    makeBucket(clients, hubName),
    makeKey(clients),
    makeQueues(clients, hubName),
  ])
  return { hubName, table, bucket, kmsKey, queues }
}

export async function makeTable({ dynamo }: AwsClients, name: string): Promise<string> {
  const { partitionKey, sortKey, indexes } = tableShape
  const keySchema = (hash: string, range: string): KeySchemaElement[] => [
    { AttributeName: hash, KeyType: 'HASH' },
    { AttributeName: range, KeyType: 'RANGE' },
  ]
  const attributes = [partitionKey, sortKey, ...indexes.flatMap(index => [index.partitionKey, index.sortKey])]
  await dynamo.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: attributes.map(AttributeName => ({ AttributeName, AttributeType: 'S' })),
      KeySchema: keySchema(partitionKey, sortKey),
      GlobalSecondaryIndexes: indexes.map(index => ({
        IndexName: index.name,
        KeySchema: keySchema(index.partitionKey, index.sortKey),
        Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...index.projected] },
      })),
    }),
  )
  return name
}

export async function makeBucket(clients: AwsClients, name: string): Promise<string> {
  await (await clients.s3()).send(new CreateBucketCommand({ Bucket: name }))
  return name
}

export async function makeKey(clients: AwsClients): Promise<string> {
  return (await (await clients.kms()).send(new CreateKeyCommand({}))).KeyMetadata!.KeyId!
}

export interface QueueLimits {
  readonly visibilitySeconds?: number
  readonly maxReceives?: number
}

/** A queue per stage, each with one for its dead letters: the same name and `-dead`. */
export async function makeQueues(clients: AwsClients, name: string, limits: QueueLimits = {}): Promise<QueueUrls> {
  const { visibilitySeconds = 30, maxReceives = 5 } = limits
  const sqs = await clients.sqs()
  const make = async (stage: Stage) => {
    const { QueueUrl: dead } = await sqs.send(new CreateQueueCommand({ QueueName: `${name}-${stage}-dead` }))
    const { Attributes } = await sqs.send(
      new GetQueueAttributesCommand({ QueueUrl: dead, AttributeNames: ['QueueArn'] }),
    )
    const redrive = { deadLetterTargetArn: Attributes!.QueueArn, maxReceiveCount: maxReceives }
    const { QueueUrl } = await sqs.send(
      new CreateQueueCommand({
        QueueName: `${name}-${stage}`,
        Attributes: { VisibilityTimeout: String(visibilitySeconds), RedrivePolicy: JSON.stringify(redrive) },
      }),
    )
    return [stage, QueueUrl!] as const
  }
  return Object.fromEntries(await Promise.all(stages.map(make))) as Record<Stage, string>
}
