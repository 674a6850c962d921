import type { ObjectRef } from '../../../foundations/kinds/object.ts'
import { once } from '../../../foundations/rules/once.ts'
import type { BlobStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Keys } from '../../ports/keys.ts'
import type { PlatformPorts } from '../../ports/platform.ts'
import type { Queue } from '../../ports/queue.ts'
import type { Random } from '../../ports/random.ts'
import type { SecretSource } from '../../ports/secret-source.ts'
import type { Consumption, UsageStore } from '../../ports/usage.ts'
import { systemClock } from '../embedded/system-clock.ts'
import { systemRandom } from '../embedded/system-random.ts'
import { sharedContents } from '../shared-contents.ts'
import type { AwsClients } from './aws-clients.ts'
import { dynamoAudit } from './dynamo-audit.ts'
import { dynamoDeliveries } from './dynamo-deliveries.ts'
import { dynamoLeases } from './dynamo-leases.ts'
import { dynamoObjectStore } from './dynamo-object-store.ts'
import { dynamoRuns } from './dynamo-runs.ts'
import { dynamoSchedule } from './dynamo-schedule.ts'
import { dynamoVisits } from './dynamo-visits.ts'
import type { DeletedBlobs } from './s3-deleted.ts'
import type { Acknowledge, QueueUrls } from './sqs-queue.ts'
import { statesIn } from './states.ts'
import { dynamoTable } from './table.ts'
import { ofFormat } from './table-format.ts'
import { checksPerRecord } from './table-shape.ts'

/** The resources that `cdk deploy` created for a hub. */
export interface AwsResources {
  readonly hubName: string
  readonly table: string
  readonly bucket: string
  /** ID or ARN. */
  readonly kmsKey: string
  readonly queues: QueueUrls
}

export interface AwsPlatformOptions {
  readonly clients: AwsClients
  readonly clock?: Clock
  readonly random?: Random
  /** How long changes can be watched and listings continued, in milliseconds; 15 minutes by default. */
  readonly keepChangesMs?: number
  /** Called with each object that a list omits because its body can't be read. */
  readonly onDamaged?: (ref: ObjectRef) => void
}

/** All ports, over one table, one bucket, one key, and a queue per stage. */
export interface AwsPlatform extends PlatformPorts {
  readonly secretSource: SecretSource
  readonly acknowledge: Acknowledge
  /** Request units of the table, since the process began. */
  consumed(): Consumption
  /** Deletes the bodies of replaced states from the bucket; called every few minutes. */
  sweep(): Promise<void>
}

/** Makes no request to AWS, and loads no client, before its port is used. */
export const awsPlatform = (resources: AwsResources, options: AwsPlatformOptions): AwsPlatform => {
  const { clients, clock = systemClock, random = systemRandom, keepChangesMs = 15 * 60_000 } = options
  const { hubName, bucket, kmsKey, queues } = resources
  const consumed = { readUnits: 0, writeUnits: 0 }
  const table = ofFormat(dynamoTable(clients.dynamo, resources.table, consumed))

  const keys = lazyKeys(async () => {
    const { kmsKeys } = await import('./kms-keys.ts')
    return kmsKeys(await clients.kms(), { clock, random, keyId: kmsKey, hubName })
  })
  const blobsBelow = (prefix: string) =>
    lazyBlobs(async () => {
      const { s3ArtifactStore } = await import('./s3-artifact-store.ts')
      return s3ArtifactStore(await clients.s3(), { bucket, prefix, kmsKey })
    })
  const deleted: DeletedBlobs = async name => {
    const { s3DeletedBlobs } = await import('./s3-deleted.ts')
    return s3DeletedBlobs(await clients.s3(), { bucket, prefix: 'objects/' })(name)
  }
  const states = statesIn({ table, blobs: blobsBelow('objects/'), deleted, keys, clock })

  return {
    objects: dynamoObjectStore({ table, states, clock, keepMs: keepChangesMs, onDamaged: options.onDamaged }),
    schedule: dynamoSchedule(table),
    leases: dynamoLeases(table, clock),
    visits: dynamoVisits(table),
    artifacts: sharedContents(blobsBelow('artifacts/')),
    runs: dynamoRuns(table, clock),
    deliveries: dynamoDeliveries(table, clock),
    auditRecords: dynamoAudit(table, clock),
    usage: lazyUsage(async () => (await import('./dynamo-usage.ts')).dynamoUsage(table)),
    consumed: () => consumed,
    queue: lazyQueue(async () => {
      const { sqsQueue } = await import('./sqs-queue.ts')
      return sqsQueue(await clients.sqs(), queues)
    }),
    acknowledge: async (stage, receipts) => {
      const { sqsAcknowledge } = await import('./sqs-queue.ts')
      await sqsAcknowledge(await clients.sqs(), queues)(stage, receipts)
    },
    keys,
    secretSource: lazySecretSource(async () => {
      const { secretsManagerSource } = await import('./secrets-manager-source.ts')
      return secretsManagerSource(await clients.secretsManager(), { hubName, clock })
    }),
    clock,
    random,
    sweep: states.collect,
  }
}

// Ports whose implementations are loaded at the first call.

const lazyKeys = (open: () => Promise<Keys>): Keys => {
  const opened = once(open)
  return {
    seal: async (plain, context, scope) => (await opened()).seal(plain, context, scope),
    open: async (sealed, context, scope) => (await opened()).open(sealed, context, scope),
  }
}

const lazyQueue = (open: () => Promise<Queue>): Queue => {
  const opened = once(open)
  return { isDurable: true, send: async messages => (await opened()).send(messages) }
}

const lazyUsage = (open: () => Promise<UsageStore>): UsageStore => {
  const opened = once(open)
  return {
    checksPerRecord,
    add: async (day, usage) => (await opened()).add(day, usage),
    read: async (namespace, since) => (await opened()).read(namespace, since),
  }
}

const lazySecretSource = (open: () => Promise<SecretSource>): SecretSource => {
  const opened = once(open)
  return { read: async (namespace, name) => (await opened()).read(namespace, name) }
}

const lazyBlobs = (open: () => Promise<BlobStore>): BlobStore => {
  const opened = once(open)
  return {
    put: async (name, content) => (await opened()).put(name, content),
    get: async name => (await opened()).get(name),
    has: async name => (await opened()).has(name),
    check: async (name, digest) => (await opened()).check(name, digest),
    delete: async name => (await opened()).delete(name),
    list: async function* (prefix) {
      yield* (await opened()).list(prefix)
    },
  }
}
