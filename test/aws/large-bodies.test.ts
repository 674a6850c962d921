import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { PutBucketVersioningCommand } from '@aws-sdk/client-s3'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { makeTable } from '../bed/aws/resources.ts'
import { take, widget, widgets } from '../contracts/store-world.ts'
import { create, namesIn, shared, update, world } from './adapter-world.ts'

/** Bodies that no item of DynamoDB could hold: they are in the bucket, and leave it with their states. */

/** A table with the same items, as a restore makes one. */
async function copyOf(table: string): Promise<string> {
  const copy = await makeTable(shared, `${table}-restored`)
  const { Items = [] } = await shared.dynamo.send(new ScanCommand({ TableName: table }))
  for (const Item of Items) await shared.dynamo.send(new PutItemCommand({ TableName: copy, Item }))
  return copy
}

/** Text that does not compress, as sealed Secrets are. */
const noise = (bytes: number) => randomBytes(bytes).toString('base64')

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
