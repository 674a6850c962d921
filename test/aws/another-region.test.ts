/** What is left of a hub whose region is gone: a copy of its table and its bucket, in another region, under another key or a replica of it. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb'
import { CreateKeyCommand, ReplicateKeyCommand } from '@aws-sdk/client-kms'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { ensureRootSource, parseRootSource } from '../../lib/compose/root-source.ts'
import { builtInKinds, kindRegistry } from '../../lib/foundations/kinds/all.ts'
import type { ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { createHub } from '../../lib/hub/store/create-hub.ts'
import { type AwsClients, awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { type AwsResources, awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { makeResources } from '../bed/aws/resources.ts'

const kinds = kindRegistry(builtInKinds)
const author = { fieldManager: 'test' }
const namespace = 'apps'
const ref = (group: string, kind: string, name: string): ObjectRef => ({ group, kind, namespace, name })
const unitRef = ref('kustomize.toolkit.fluxcd.io', 'Kustomization', 'web')
const secretRef = ref('', 'Secret', 'target')
const largeRef = ref('', 'ConfigMap', 'large')
const secretData = { value: Buffer.from('kubeconfig').toString('base64') }
const inventory = { entries: [{ id: 'default_web_apps_Deployment', v: 'v1' }] }
const large = randomBytes(300_000).toString('base64')

interface Unit {
  readonly metadata: { readonly resourceVersion: string }
  readonly status: { readonly inventory: object }
}

const hubIn = (clients: AwsClients, resources: AwsResources) => {
  const platform = awsPlatform(resources, { clients })
  const hub = createHub({ ...platform, kinds: () => kinds, isReconciled: ({ group }) => group.endsWith('.fluxcd.io') })
  return { hub, platform }
}

/** As cross-region copies of AWS Backup and replication of S3 do. */
const copy = async (from: [AwsClients, AwsResources], to: [AwsClients, AwsResources]): Promise<void> => {
  const { Items = [] } = await from[0].dynamo.send(new ScanCommand({ TableName: from[1].table }))
  for (const Item of Items) await to[0].dynamo.send(new PutItemCommand({ TableName: to[1].table, Item }))
  const [source, target] = [await from[0].s3(), await to[0].s3()]
  const { Contents = [] } = await source.send(new ListObjectsV2Command({ Bucket: from[1].bucket }))
  assert.ok(Contents.length > 0, 'nothing lies in the bucket')
  for (const { Key } of Contents) {
    const { Body, Metadata } = await source.send(new GetObjectCommand({ Bucket: from[1].bucket, Key }))
    const content = await Body!.transformToByteArray()
    await target.send(new PutObjectCommand({ Bucket: to[1].bucket, Key, Body: content, Metadata }))
  }
}

const regions = async () => {
  const { endpoint, credentials } = await awsEmulator()
  const clientsOf = (region: string) => {
    const clients = awsClients({ endpoint, region, credentials })
    after(() => clients.close())
    return clients
  }
  const [lost, other] = [clientsOf('us-east-1'), clientsOf('eu-west-1')]
  const [before, made] = [await makeResources(lost), await makeResources(other)]
  return { lost, other, before, made: { ...made, hubName: before.hubName } }
}

/** The same places, sealed under a key of both regions. */
const withReplica = async ({ lost, other, before, made }: Awaited<ReturnType<typeof regions>>) => {
  const kms = await lost.kms()
  const { KeyMetadata: primary } = await kms.send(new CreateKeyCommand({ MultiRegion: true }))
  const replicate = new ReplicateKeyCommand({ KeyId: primary!.KeyId, ReplicaRegion: 'eu-west-1' })
  const { ReplicaKeyMetadata: replica } = await kms.send(replicate)
  assert.match(replica!.Arn!, /:kms:eu-west-1:/)
  return { lost, other, before: { ...before, kmsKey: primary!.Arn! }, made: { ...made, kmsKey: replica!.Arn! } }
}

const fill = async (clients: AwsClients, resources: AwsResources) => {
  const { hub, platform } = hubIn(clients, resources)
  await hub.prepare()
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, author)
  await hub.create(
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'target', namespace }, data: secretData } as never,
    author,
  )
  const { apiVersion, kind } = { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' }
  const spec = { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'apps' } }
  await hub.create({ apiVersion, kind, metadata: { name: 'web', namespace }, spec } as never, author)
  await hub.patch(unitRef, { type: 'merge', patch: { status: { inventory } } }, { ...author, subresource: 'status' })
  const text = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'large', namespace }, data: { large } }
  await hub.create(text as never, author)
  await hub.settled()
  return { hub, platform }
}

test('copies of its table and bucket, and a replica of its key, bring a hub up in another region', async () => {
  const { lost, other, before, made } = await withReplica(await regions())
  await fill(lost, before)
  await copy([lost, before], [other, made])

  const { hub, platform } = hubIn(other, made)
  await hub.prepare()
  const unit = (await hub.get(unitRef)) as unknown as Unit
  assert.deepEqual(unit.status.inventory, inventory)
  const due = await platform.schedule.dueBy(Date.now() + 3_600_000, 10)
  assert.deepEqual(
    due.map(({ ref }) => ref.name),
    ['web'],
  )
  const found = (await hub.get(largeRef)) as unknown as { data: { large: string } }
  assert.equal(found.data.large, large)
  assert.deepEqual(((await hub.get(secretRef)) as unknown as { data: object }).data, secretData)
  // Written on, above what was given out before.
  const labelled = { metadata: { labels: { moved: 'yes' } } }
  const { metadata } = await hub.patch(unitRef, { type: 'merge', patch: labelled }, author)
  assert.ok(BigInt(metadata.resourceVersion!) > BigInt(unit.metadata.resourceVersion))
})

test('what another hub has exported of its Secrets is whole, whatever key it was sealed with', async () => {
  const { lost, other, before, made } = await regions()
  const { hub: old } = await fill(lost, before)
  const { hub } = hubIn(other, made)
  await hub.prepare()
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, author)
  const { items } = await old.list({ group: '', kind: 'Secret' })
  for (const { apiVersion, kind, metadata, ...content } of items) {
    const { name, namespace: within } = metadata
    await hub.create({ apiVersion, kind, metadata: { name, namespace: within }, ...content } as never, author)
  }
  assert.deepEqual(((await hub.get(secretRef)) as unknown as { data: object }).data, secretData)
})

test("without the old key, Secrets and large bodies of a copy can't be decrypted: readers get an error with their names and the reason", async () => {
  const { lost, other, before, made } = await regions()
  await fill(lost, before)
  await copy([lost, before], [other, made])
  const { hub } = hubIn(other, made)
  assert.deepEqual(((await hub.get(unitRef)) as unknown as Unit).status.inventory, inventory)
  await assert.rejects(hub.get(secretRef), /Secret\|apps\|target does not open: .*sealed with another key/)
  await assert.rejects(hub.get(largeRef), /does not open: .*sealed with another key/)
})

test('a hub in another region starts over from its root source, without data of the old one', async () => {
  const { other, made } = await regions()
  const { hub, platform } = hubIn(other, made)
  await hub.prepare()
  const root = parseRootSource('https://git.example.com/fleet//clusters?ref=main')
  assert.ok(root, 'an address as operators give it')
  await ensureRootSource(hub, root)
  const due = await platform.schedule.dueBy(Date.now(), 10)
  assert.deepEqual(due.map(({ ref }) => `${ref.kind} ${ref.namespace}/${ref.name}`).sort(), [
    'GitRepository keelson-system/root',
    'Kustomization keelson-system/root',
  ])
})
