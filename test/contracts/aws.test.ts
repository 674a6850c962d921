import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { parseQueueMessage } from '../../events/queue-message.ts'
import { awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { type AwsResources, awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import type { Message, Subscription } from '../../lib/platform/ports/queue.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { queueConsumer } from '../bed/aws/queue-consumer.ts'
import { makeBucket, makeKey, makeQueues, makeTable } from '../bed/aws/resources.ts'
import { type ArtifactWorld, describeArtifactStore } from './artifacts.ts'
import { describeAudit } from './audit.ts'
import { describeDeliveries } from './deliveries.ts'
import { describeKeys, type KeysWorld } from './keys.ts'
import { describeLastingLeases, describeLeases } from './leases.ts'
import { manualClock } from './manual-clock.ts'
import { describeObjectStore } from './objects.ts'
import { describeQueue, type QueueWorld } from './queue.ts'
import { describeRuns } from './runs.ts'
import { describeSchedule } from './schedule.ts'
import { describeSlots } from './slots.ts'
import { forgetChanges, type StoreWorld } from './store-world.ts'
import { describeUsage } from './usage.ts'
import { describeVisits } from './visits.ts'

const emulator = await startAwsEmulator()
const { endpoint, region, credentials } = emulator
const access = { endpoint, region, credentials }
const clients = awsClients(access)
after(async () => {
  clients.close()
  await emulator[Symbol.asyncDispose]()
})

const bucket = await makeBucket(clients, 'blobs')
const kmsKey = await makeKey(clients)
const queues = await makeQueues(clients, 'hub')

async function storeWorld(resources?: AwsResources, clock = manualClock()): Promise<StoreWorld> {
  const at = resources ?? {
    ...{ hubName: 'hub', bucket, kmsKey, queues },
    table: await makeTable(clients, `table-${randomUUID()}`),
  }
  const { objects, schedule, leases, visits, runs, deliveries, usage, auditRecords } = awsPlatform(at, {
    clients,
    clock,
  })
  return {
    ...{ objects, schedule, leases, visits, runs, deliveries, usage, auditRecords, clock },
    rounds: all => Math.ceil(all / 4), // each costs the emulator half a second of work
    reopen: () => storeWorld(at, clock),
    forgetChanges: () => forgetChanges({ objects, clock }),
    close: async () => {},
  }
}

const known = new Set<string>()

/** S3 sets the time of an object itself. Here what was stored before `age` is told to be older than it is. */
async function agingClients() {
  const aging = awsClients(access)
  const steps: { readonly before: number; readonly ms: number }[] = []
  const olderBy = (time: number) => steps.reduce((sum, { before, ms }) => (time < before ? sum + ms : sum), 0)
  const s3 = await aging.s3()
  s3.middlewareStack.add(
    next => async args => {
      const result = await next(args)
      for (const entry of (result.output as { Contents?: { LastModified?: Date }[] }).Contents ?? [])
        entry.LastModified = new Date(+entry.LastModified! - olderBy(+entry.LastModified!))
      return result
    },
    { step: 'initialize', name: 'aging' },
  )
  const age = async (ms: number) => {
    steps.push({ before: Date.now() + 1000, ms })
    await new Promise(resolve => setTimeout(resolve, 1100)) // S3's times are whole seconds
  }
  return { clients: aging, age }
}

async function artifactWorld(name = `artifacts-${randomUUID()}`): Promise<ArtifactWorld> {
  const aging = await agingClients()
  const at = { hubName: 'hub', table: 'none', bucket: name, kmsKey, queues }
  if (!known.has(name)) await makeBucket(clients, name)
  known.add(name)
  const { artifacts } = awsPlatform(at, { clients: aging.clients })
  return { artifacts, reopen: () => artifactWorld(name), age: aging.age, close: async () => aging.clients.close() }
}

const keysWorld = async (key = kmsKey): Promise<KeysWorld> => ({
  keys: awsPlatform({ hubName: 'hub', table: 'none', bucket, kmsKey: key, queues }, { clients }).keys,
  reopen: () => keysWorld(key),
  stranger: async () => (await keysWorld(await makeKey(clients))).keys,
  close: async () => {},
})

async function queueWorld(): Promise<QueueWorld> {
  const urls = await makeQueues(clients, `q-${randomUUID().slice(0, 8)}`, { visibilitySeconds: 1, maxReceives: 3 })
  const sqs = await clients.sqs()
  const { queue } = awsPlatform({ hubName: 'hub', table: 'none', bucket, kmsKey, queues: urls }, { clients })
  const consumer = queueConsumer(sqs, urls)
  const subscriptions: Subscription[] = []
  return {
    queue: {
      ...queue,
      consume: (...args) => {
        const subscription = consumer.consume(...args)
        subscriptions.push(subscription)
        return subscription
      },
    },
    deadLetters: () => deadLetters(sqs, `${urls.apply}-dead`),
    close: async () => {
      await Promise.all(subscriptions.map(subscription => subscription.close()))
    },
  }
}

/** What lies in a queue, left as it is. */
async function deadLetters(sqs: SQSClient, url: string): Promise<Message[]> {
  const { Messages = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10, VisibilityTimeout: 0 }),
  )
  return Messages.map(({ Body }) => parseQueueMessage(Body!))
}

describeObjectStore('aws', storeWorld)
describeSchedule('aws', storeWorld)
describeLeases('aws', storeWorld)
describeSlots('aws', storeWorld)
describeLastingLeases('aws', storeWorld)
describeVisits('aws', storeWorld)
describeRuns('aws', storeWorld)
describeDeliveries('aws', storeWorld)
describeUsage('aws', storeWorld)
describeAudit('aws', storeWorld)
describeArtifactStore('aws', artifactWorld)
describeKeys('aws', keysWorld)
// The emulator has no fair queues: the group is passed on, and what AWS does with it is AWS'.
describeQueue('aws', queueWorld, { patienceMs: 15_000, delayMs: 1000, fair: false })
