import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { dynamoTable } from '../../lib/platform/adapters/aws/table.ts'
import { collectionOf } from '../../lib/platform/adapters/collection-name.ts'
import { type ObjectChange, StoreError } from '../../lib/platform/ports/objects.ts'
import { everything, take, widget, widgets } from '../contracts/store-world.ts'
import { access, create, namesIn, shared, update, world } from './adapter-world.ts'

/** Objects in DynamoDB, where writers, readers and watches meet its limits and each other. */

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

test('reports success when only the response got lost, and failure when the change did', async () => {
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
  await objects.commit({ ...update(stored, '{}'), refersTo: ['target-7'] } as ObjectChange)
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
  const events = await take(reader.watch({ ...widgets, after: '0', signal: stop.signal })[Symbol.asyncIterator](), 200)
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
