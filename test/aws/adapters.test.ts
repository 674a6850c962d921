import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { PutItemCommand, ScanCommand, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { type ObjectRef, refKey } from '../../lib/foundations/kinds/object.ts'
import { type AwsClients, awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { collectionOf } from '../../lib/platform/adapters/aws/item-keys.ts'
import { s3ArtifactStore } from '../../lib/platform/adapters/aws/s3-artifact-store.ts'
import { dynamoTable } from '../../lib/platform/adapters/aws/table.ts'
import { versionsOf } from '../../lib/platform/adapters/aws/versions.ts'
import type { KeyScope } from '../../lib/platform/ports/keys.ts'
import { type Change, type StoredObject, StoreError } from '../../lib/platform/ports/objects.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { makeResources, makeTable } from '../bed/aws/resources.ts'
import { manualClock } from '../contracts/manual-clock.ts'
import { everything, take, widget, widgets } from '../contracts/store-world.ts'

/** What the contracts can't ask for: how the adapters get along with the limits of AWS' services, and with each other. */

const emulator = await startAwsEmulator()
const { endpoint, region, credentials } = emulator
const access = { endpoint, region, credentials }
const shared = awsClients(access)
after(async () => {
  shared.close()
  await emulator[Symbol.asyncDispose]()
})

async function world() {
  const resources = await makeResources(shared)
  const clock = manualClock()
  /** A process of its own, as it were. */
  const open = (clients: AwsClients = shared, onDamaged?: (ref: ObjectRef) => void) =>
    awsPlatform(resources, { clients, clock, onDamaged })
  const table = dynamoTable(shared.dynamo, resources.table)
  const blobs = s3ArtifactStore(await shared.s3(), { bucket: resources.bucket, prefix: 'objects/' })
  return { resources, clock, open, blobs, versions: versionsOf(table, clock, 900_000) }
}

/** A table with the same items, as a restore makes one. */
async function copyOf(table: string): Promise<string> {
  const copy = await makeTable(shared, `${table}-restored`)
  const { Items = [] } = await shared.dynamo.send(new ScanCommand({ TableName: table }))
  for (const Item of Items) await shared.dynamo.send(new PutItemCommand({ TableName: copy, Item }))
  return copy
}

const create = (name: string, body = '{}', refersTo: string[] = []): Change => ({
  ...{ op: 'create', ref: widget(name), body, refersTo },
})
const update = ({ ref, version, refersTo }: StoredObject, body: string): Change => ({
  ...{ op: 'update', ref, expect: version, body, refersTo },
})

/** Text that does not compress, as sealed Secrets are. */
const noise = (bytes: number) => randomBytes(bytes).toString('base64')
const namesIn = ({ items }: { readonly items: readonly StoredObject[] }) => items.map(({ ref }) => ref.name)

describe('objects in DynamoDB', () => {
  test('keeps bodies that no item could hold, and clears away those that were replaced', async () => {
    const { open, clock, blobs } = await world()
    const platform = open()
    const [one, two] = [noise(1_100_000), noise(1_100_000)]
    const first = await platform.objects.commit(create('large', one))
    const second = await platform.objects.commit(update(first, two))
    const other = open().objects
    assert.equal((await other.get(widget('large')))?.body, two)
    assert.deepEqual((await other.list(widgets)).items, [second])
    const stop = new AbortController()
    const [, updated] = await take(
      other.watch({ ...widgets, after: '0', signal: stop.signal })[Symbol.asyncIterator](),
      2,
    )
    stop.abort()
    assert.ok(updated?.before === one && updated.object.body === two)

    const count = async () => (await Array.fromAsync(blobs.list(''))).length
    assert.equal(await count(), 2)
    await clock.advance(2 * 3_600_000)
    await platform.sweep()
    assert.equal(await count(), 1)
    await clock.advance(48 * 3_600_000)
    await platform.sweep()
    assert.equal((await platform.objects.get(widget('large')))?.body, two)
  })

  test('says so when a large body is gone from the bucket', async () => {
    const { open, blobs } = await world()
    const { objects } = open()
    await objects.commit(create('large', noise(200_000)))
    for await (const { name } of blobs.list('')) await blobs.delete(name)
    await assert.rejects(objects.get(widget('large')), /the body of .*large.* is missing from the bucket/)
  })

  test('lists all others of a kind when the body of one is gone, and names it', async () => {
    const { open, blobs } = await world()
    const { objects } = open()
    await objects.commit(create('large', noise(200_000)))
    await objects.commit(create('small'))
    for await (const { name } of blobs.list('')) await blobs.delete(name)
    const damaged: string[] = []
    const list = await open(shared, ref => damaged.push(ref.name)).objects.list(widgets)
    assert.deepEqual(namesIn(list), ['small'])
    assert.deepEqual([list.damaged, damaged], [[widget('large')], ['large']])
  })

  test('finds in a restored table what was replaced, and deleted from the bucket, since', async () => {
    const { open, clock, blobs, resources } = await world()
    const s3 = await shared.s3()
    const VersioningConfiguration = { Status: 'Enabled' as const }
    await s3.send(new PutBucketVersioningCommand({ Bucket: resources.bucket, VersioningConfiguration }))
    const platform = open()
    const [before, after] = [noise(200_000), noise(200_000)]
    const first = await platform.objects.commit(create('large', before))
    await platform.objects.commit(create('small'))
    const backup = await copyOf(resources.table)
    await platform.objects.commit(update(first, after))
    await clock.advance(2 * 3_600_000)
    await platform.sweep()
    assert.equal((await Array.fromAsync(blobs.list(''))).length, 1)

    const restored = awsPlatform({ ...resources, table: backup }, { clients: shared, clock })
    assert.equal((await restored.objects.get(widget('large')))?.body, before)
    assert.deepEqual(namesIn(await restored.objects.list(widgets)), ['large', 'small'])
    await restored.sweep()
    const names = (await Array.fromAsync(blobs.list(''))).map(({ name }) => name)
    assert.equal(names.length, 2, 'what the restored table points to lies in the bucket again')
    await restored.objects.commit(update((await restored.objects.get(widget('large')))!, '{}'))
    await clock.advance(48 * 3_600_000)
    await restored.sweep()
    assert.equal((await Array.fromAsync(blobs.list(''))).length, 1, 'and goes when it is replaced')
  })

  test('shows nothing of a large body in the bucket', async () => {
    const { open, blobs } = await world()
    await open().objects.commit(create('large', `${noise(200_000)} plain text ${noise(10)}`))
    for await (const { name } of blobs.list('')) {
      assert.equal(Buffer.from((await blobs.get(name))!).includes('plain text'), false)
    }
  })

  test('does not wait for a writer that died between taking a version and its commit', async () => {
    const { open, versions } = await world()
    const { objects } = open()
    await objects.commit(create('a'))
    await versions.take(collectionOf(widgets))
    const last = await objects.commit(create('b'))
    const page = await open().objects.list(widgets)
    assert.deepEqual([namesIn(page), page.version], [['a', 'b'], last.version])
  })

  test('lets a writer that was taken for dead take another version, so that no watch misses its change', async () => {
    const { open } = await world()
    const reader = open().objects
    const slow = awsClients(access)
    slow.dynamo.middlewareStack.add(
      (next, { commandName }) =>
        async args => {
          if (commandName !== 'TransactWriteItemsCommand' || isHeldUp++ > 0) return next(args)
          await reader.commit(create('quick'))
          await reader.list(widgets) // passes the slot of the slow one
          return next(args)
        },
      { step: 'initialize' },
    )
    let isHeldUp = 0
    const { version } = await reader.list(widgets)
    const stored = await open(slow).objects.commit(create('slow'))
    const stop = new AbortController()
    const events = await take(
      reader.watch({ ...widgets, after: version, signal: stop.signal })[Symbol.asyncIterator](),
      2,
    )
    stop.abort()
    slow.close()
    assert.deepEqual(
      events.map(({ object }) => object.ref.name),
      ['quick', 'slow'],
    )
    assert.equal(events[1]!.object.version, stored.version)
  })

  test('tells of success when only the answer got lost, and of failure when the change did', async () => {
    const { open } = await world()
    let lose: 'answer' | 'request' = 'answer'
    const unreliable = awsClients(access)
    unreliable.dynamo.middlewareStack.add(
      (next, { commandName }) =>
        async args => {
          if (commandName !== 'TransactWriteItemsCommand') return next(args)
          if (lose === 'answer') await next(args)
          throw new Error('the connection is gone')
        },
      { step: 'initialize' },
    )
    const { objects } = open(unreliable)
    const stored = await objects.commit(create('a'))
    assert.deepEqual(await open().objects.get(widget('a')), stored)
    lose = 'request'
    await assert.rejects(objects.commit(create('b')), /the connection is gone/)
    assert.deepEqual(namesIn(await open().objects.list(widgets)), ['a'])
    unreliable.close()
  })

  test('tries again after a collision with another transaction, and gives up on a refusal', async () => {
    const { open } = await world()
    let collisions = 2
    const colliding = awsClients(access)
    colliding.dynamo.middlewareStack.add(
      (next, { commandName }) =>
        async args => {
          if (commandName !== 'TransactWriteItemsCommand' || collisions-- <= 0) return next(args)
          const reasons = [{ Code: 'TransactionConflict' }, { Code: 'None' }]
          throw new TransactionCanceledException({ message: '', $metadata: {}, CancellationReasons: reasons })
        },
      { step: 'initialize' },
    )
    const { objects } = open(colliding)
    const stored = await objects.commit(create('a'))
    assert.equal(collisions, -1)
    await assert.rejects(objects.commit(create('a')), { code: 'exists' })
    assert.deepEqual(await open().objects.get(widget('a')), stored)
    colliding.close()
  })

  test('shows a watch what another process changes', async () => {
    const { open } = await world()
    const stop = new AbortController()
    const watch = open()
      .objects.watch({ ...widgets, after: '0', signal: stop.signal })
      [Symbol.asyncIterator]()
    const next = take(watch, 1)
    const stored = await open().objects.commit(create('a'))
    assert.equal((await next)[0]!.object.version, stored.version)
    stop.abort()
  })

  test('finds an object by each of 200 targets that it refers to, and by none that it no longer does', async () => {
    const { open } = await world()
    const { objects } = open()
    const targets = Array.from({ length: 200 }, (_, i) => `target-${i}`)
    const stored = await objects.commit(create('a', '{}', targets))
    for (const target of ['target-0', 'target-150', 'target-199'])
      assert.deepEqual((await objects.referrers(target, {})).refs, [widget('a')])
    await objects.commit({ ...update(stored, '{}'), refersTo: ['target-7'] } as Change)
    for (const [target, found] of [
      ['target-7', [widget('a')]],
      ['target-199', []],
    ] as const)
      assert.deepEqual((await objects.referrers(target, {})).refs, found)
  })

  test('loses no change of 8 processes that write to one collection, and gives each a version of its own', async () => {
    const { open } = await world()
    const writers = Array.from({ length: 8 }, () => open().objects)
    const stored = await Promise.all(
      writers.flatMap((objects, w) => Array.from({ length: 25 }, (_, i) => objects.commit(create(`w${w}-${i}`)))),
    )
    assert.equal(new Set(stored.map(({ version }) => version)).size, 200)
    const reader = open().objects
    const { items } = await everything(reader, { ...widgets, limit: 30 })
    assert.equal(items.length, 200)
    const stop = new AbortController()
    const events = await take(
      reader.watch({ ...widgets, after: '0', signal: stop.signal })[Symbol.asyncIterator](),
      200,
    )
    stop.abort()
    assert.deepEqual(
      events.map(({ object }) => Number(object.version)),
      stored.map(({ version }) => Number(version)).sort((a, b) => a - b),
    )
  })

  test('fails a watch, and does not go on, where the log has a hole', async () => {
    const { open, resources } = await world()
    const { objects } = open()
    for (let i = 0; i < 70; i++) await objects.commit(create(`w${i}`)) // settled, on the way
    const table = dynamoTable(shared.dynamo, resources.table)
    await table.remove({ pk: `change#${collectionOf(widgets)}#2`, sk: '2'.padStart(16, '0') })
    const watch = open().objects.watch({ ...widgets, after: '0', signal: new AbortController().signal })
    await assert.rejects(
      watch[Symbol.asyncIterator]().next(),
      error => error instanceof StoreError && error.code === 'expired',
    )
  })
})

describe('the due index', () => {
  test('tells the fairness group that was committed with an object', async () => {
    const { open } = await world()
    const { objects, schedule } = open()
    await objects.commit({ ...create('a'), due: 100, group: 'apps/prod' } as Change)
    assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 100, group: 'apps/prod' }])
    const stored = (await objects.get(widget('a')))!
    await objects.commit(update(stored, '2'))
    await schedule.setDue(widget('a'), 200)
    assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 200, group: 'apps/prod' }])
  })

  test('spreads 100 objects over all of its shards', async () => {
    const { open } = await world()
    const { objects, schedule } = open()
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => objects.commit({ ...create(`w${i}`), due: i + 1 } as Change)),
    )
    const due = await schedule.dueBy(100, 1000)
    assert.deepEqual(
      due.map(({ due }) => due),
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    assert.equal((await schedule.dueBy(100, 25)).length, 25)
  })
})

describe('queues in SQS', () => {
  test('takes out what has been handled, before the function that got it ends; what runs alone has a group of its own', async () => {
    const { resources, open } = await world()
    const { queue, acknowledge } = open()
    const sqs = await shared.sqs()
    const QueueUrl = resources.queues.apply
    const receive = async () => {
      const asked = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0, WaitTimeSeconds: 1 }
      const names = { MessageSystemAttributeNames: ['MessageGroupId' as const] }
      return (await sqs.send(new ReceiveMessageCommand({ ...asked, ...names }))).Messages ?? []
    }
    await queue.send([
      { stage: 'apply', ref: widget('a'), group: 'cluster' },
      { stage: 'apply', ref: widget('b'), group: 'cluster', alone: true },
    ])
    const [first, second] = (await receive()).toSorted((a, b) => a.Body!.localeCompare(b.Body!))
    const groups = [first, second].map(message => message?.Attributes?.MessageGroupId)
    assert.deepEqual(groups, ['cluster', `alone/${refKey(widget('b'))}`])
    await acknowledge('apply', [first!.ReceiptHandle!])
    assert.deepEqual(
      (await receive()).map(({ Body }) => Body),
      [second!.Body],
    )
    await acknowledge('apply', [])
  })

  test('sends again what SQS did not take of a batch, and fails when it never does', async () => {
    const { open, resources } = await world()
    let refusals = 1
    let taken = 3
    const clients = awsClients(access)
    const sent: string[] = []
    ;(await clients.sqs()).middlewareStack.add(
      next => async args => {
        const { Entries } = args.input as { Entries: { Id: string; MessageBody: string }[] }
        const refused = refusals-- > 0 ? Entries.slice(taken) : []
        sent.push(...Entries.filter(entry => !refused.includes(entry)).map(({ MessageBody }) => MessageBody))
        const result = await next(args)
        const Failed = refused.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false }))
        return { ...result, output: { ...(result.output as object), Failed } } as typeof result
      },
      { step: 'initialize' },
    )
    const { queue } = open(clients)
    const messages = Array.from({ length: 8 }, (_, i) => ({ stage: 'apply' as const, ref: widget(`w${i}`) }))
    await queue.send(messages)
    assert.deepEqual(
      sent.map(body => JSON.parse(body)),
      messages,
    )
    refusals = Number.POSITIVE_INFINITY
    taken = 0
    await assert.rejects(queue.send(messages), new RegExp(`8 messages were not taken by ${resources.queues.apply}`))
    clients.close()
  })

  test('takes groups of any name, as SQS does not', async () => {
    const { open } = await world()
    const groups = ['apps/prod', 'a'.repeat(300), 'mit Leerzeichen', 'ünïcode']
    await open().queue.send(groups.map(group => ({ stage: 'apply', ref: widget('a'), group })))
  })
})

describe('keys of KMS', () => {
  const scope: KeyScope = { purpose: 'secrets', namespace: 'apps' }

  test('opens under the scope that it was sealed for only: it is in the encryption context of the data key', async () => {
    const { open } = await world()
    const sealed = await open().keys.seal(Buffer.from('secret'), 'c', scope)
    for (const other of [{ ...scope, namespace: 'others' }, { purpose: 'secrets' }, { ...scope, purpose: 'builds' }])
      await assert.rejects(open().keys.open(sealed, 'c', other as KeyScope), { name: 'SealBroken' })
    assert.equal(Buffer.from(await open().keys.open(sealed, 'c', scope)).toString(), 'secret')
  })

  test('tells a service that does not answer from a seal that is broken', async () => {
    const { open } = await world()
    const sealed = await open().keys.seal(Buffer.from('secret'), 'c', scope)
    const clients = awsClients(access)
    ;(await clients.kms()).middlewareStack.add(
      () => async () => {
        throw new Error('the connection is gone')
      },
      { step: 'initialize' },
    )
    await assert.rejects(open(clients).keys.open(sealed, 'c', scope), { name: 'KeysUnavailable' })
    await assert.rejects(open().keys.open(sealed, 'other', scope), { name: 'SealBroken' })
    clients.close()
  })

  test('opens with the name of its hub only, though the master key be shared', async () => {
    const { resources, open, clock } = await world()
    const sealed = await open().keys.seal(Buffer.from('secret'), 'c', scope)
    const neighbour = awsPlatform({ ...resources, hubName: 'neighbour' }, { clients: shared, clock })
    await assert.rejects(neighbour.keys.open(sealed, 'c', scope))
  })
})

describe('AWS Secrets Manager', () => {
  test('gives a namespace the values of its own secrets, and tells what is wrong with others', async () => {
    const { open, resources, clock } = await world()
    const { secretSource } = open()
    const client = await shared.secretsManager()
    const make = (name: string, value: string) =>
      client.send(new CreateSecretCommand({ Name: `keelson/${resources.hubName}/${name}`, SecretString: value }))
    await make('apps/prod', JSON.stringify({ username: 'me', password: 'p' }))
    await make('apps/kubeconfig', 'apiVersion: v1')
    const read = async (namespace: string, name: string) =>
      [...(await secretSource.read(namespace, name))].map(([key, value]) => [key, Buffer.from(value).toString()])
    assert.deepEqual(await read('apps', 'prod'), [
      ['username', 'me'],
      ['password', 'p'],
    ])
    assert.deepEqual(await read('apps', 'kubeconfig'), [['value', 'apiVersion: v1']])
    const missing = `the secret keelson/${resources.hubName}/other/prod of AWS Secrets Manager can't be read: it does not exist`
    await assert.rejects(read('other', 'prod'), error => (error as Error).message.startsWith(missing))
    for (const name of ['../apps/prod', 'a//b', '', '*', '/x'])
      await assert.rejects(read('other', name), /is not a name/)
    await make('other/prod', 'now it does')
    await clock.advance(5 * 60_000)
    assert.deepEqual(await read('other', 'prod'), [['value', 'now it does']])
  })
})
