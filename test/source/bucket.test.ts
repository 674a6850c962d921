import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { CreateBucketCommand, DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { blobNameOf } from '../../lib/foundations/kinds/artifact.ts'
import type { Bucket } from '../../lib/foundations/kinds/bucket.ts'
import type { HelmChart } from '../../lib/foundations/kinds/helm-chart.ts'
import { extract } from '../../lib/sources/artifact/extract.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { endWithTest } from '../bed/teardown.ts'
import { shown } from '../unit/reconcile/world.ts'
import { openSourceWorld } from './source-world.ts'

const group = 'source.toolkit.fluxcd.io'
const ref = (name: string) => ({ group, kind: 'Bucket', namespace: 'default', name })
const minute = 60_000

/** S3 of the emulator, through a proxy that counts requests. */
const emulator = endWithTest(await startAwsEmulator())
const requests: string[] = []
let pageSize = 1000
const front = createServer((request, response) => {
  requests.push(`${request.method} ${request.url!.split('?')[0]}${request.url!.includes('list-type') ? '?list' : ''}`)
  const { headers, method } = request
  const paged = request.url!.includes('list-type') ? `&max-keys=${pageSize}` : ''
  fetch(emulator.endpoint + request.url + paged, { method: method!, headers: { ...headers, host: '' } as never })
    .then(async answer => {
      response.writeHead(
        answer.status,
        Object.fromEntries([...answer.headers].filter(([name]) => !/encoding|length/.test(name))),
      )
      response.end(Buffer.from(await answer.arrayBuffer()))
    })
    .catch(() => response.destroy())
})
await new Promise<void>(resolve => front.listen(0, '127.0.0.1', resolve))
endWithTest({
  [Symbol.asyncDispose]: async () => {
    front.closeAllConnections()
    await new Promise(resolve => front.close(resolve))
  },
})
const endpoint = `127.0.0.1:${(front.address() as AddressInfo).port}`
const s3 = new S3Client({
  endpoint: emulator.endpoint,
  region: emulator.region,
  credentials: emulator.credentials,
  forcePathStyle: true,
})

const put = (bucket: string, key: string, content: string) =>
  s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: content }))

let buckets = 0
const filledBucket = async (objects: Readonly<Record<string, string>>): Promise<string> => {
  const name = `bucket-${++buckets}`
  await s3.send(new CreateBucketCommand({ Bucket: name }))
  await Promise.all(Object.entries(objects).map(([key, content]) => put(name, key, content)))
  return name
}

const openBucketWorld = async () => {
  const world = await openSourceWorld()
  const author = { fieldManager: 'author' }
  const keys = { accesskey: emulator.credentials.accessKeyId, secretkey: emulator.credentials.secretAccessKey }
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys', namespace: 'default' },
    stringData: keys,
  }
  await world.hub.create(secret, author)
  return {
    ...world,
    async applies(name: string, spec: Partial<Bucket['spec']> & { readonly bucketName: string }) {
      const object = {
        apiVersion: `${group}/v1`,
        kind: 'Bucket',
        metadata: { name, namespace: 'default' },
        spec: { interval: '10m', endpoint, insecure: true, region: 'us-east-1', secretRef: { name: 'keys' }, ...spec },
      }
      await world.hub.patch(ref(name), { type: 'apply', object }, { ...author, force: true })
      await world.settle()
    },
    async conditions(name: string) {
      return shown(await world.hub.get(ref(name)))
    },
    async statusOf(name: string) {
      return (await world.hub.get<Bucket>(ref(name)))?.status
    },
    async files(name: string) {
      const status = (await world.hub.get<Bucket>(ref(name)))?.status
      const tree = await extract((await world.platform.artifacts.get(blobNameOf(status!.artifact!)))!)
      return Object.fromEntries([...tree].map(([path, { content }]) => [path, Buffer.from(content).toString()]))
    },
  }
}

test('a bucket at rest is visited: listed once an interval, without a pass and a write', async () => {
  const world = await openBucketWorld()
  const bucketName = await filledBucket({ 'a.yaml': 'a: 1' })
  await world.applies('app', { bucketName })
  await world.advance(45 * minute)
  assert.equal(await world.platform.schedule.dueOf(ref('app')), undefined)
  for (const list of [world.visited, world.passes, world.changes, requests]) list.splice(0)
  await world.advance(25 * minute)
  const looks = world.visited.flatMap(({ unchanged }) => unchanged)
  assert.ok(looks.length >= 2, `${looks.length}`)
  assert.deepEqual([world.passes.length, world.changes.length], [0, 0])
  assert.equal(requests.filter(request => request.endsWith('?list')).length, looks.length)

  await put(bucketName, 'a.yaml', 'a: 2')
  const before = (await world.statusOf('app'))!.artifact!.revision
  requests.splice(0)
  await world.advance(12 * minute)
  assert.notEqual((await world.statusOf('app'))!.artifact!.revision, before)
  assert.equal(requests.filter(request => request.includes('a.yaml')).length, 1, 'fetched by the pass alone')
})

test('keeps an artifact of the objects of a bucket, and lists it only while nothing changes', async () => {
  const bucketName = await filledBucket({ 'a.yaml': '1', 'sub/b c+d.yaml': '2', 'sub/ü&<.yaml': '3' })
  const world = await openBucketWorld()
  await world.applies('app', { bucketName })
  const before = await world.statusOf('app')
  assert.deepEqual(await world.files('app'), { 'a.yaml': '1', 'sub/b c+d.yaml': '2', 'sub/ü&<.yaml': '3' })
  assert.deepEqual(await world.conditions('app'), [
    `Ready=True Succeeded: stored artifact: revision '${before!.artifact!.revision}'`,
    `ArtifactInStorage=True Succeeded: stored artifact: revision '${before!.artifact!.revision}'`,
  ])
  assert.deepEqual(await world.eventsOf(ref('app')), [
    `Normal NewArtifact 1x: stored artifact with 3 fetched files from '${bucketName}' bucket`,
  ])
  requests.length = 0
  await world.advance(11 * minute)
  assert.deepEqual(requests, [`HEAD /${bucketName}/`, `GET /${bucketName}/.sourceignore`, `GET /${bucketName}/?list`])
  assert.deepEqual(await world.statusOf('app'), before)
  await put(bucketName, 'a.yaml', '4')
  await s3.send(new DeleteObjectCommand({ Bucket: bucketName, Key: 'sub/ü&<.yaml' }))
  await world.advance(11 * minute)
  assert.deepEqual(await world.files('app'), { 'a.yaml': '4', 'sub/b c+d.yaml': '2' })
  assert.notEqual((await world.statusOf('app'))!.artifact!.revision, before!.artifact!.revision)
})

test('takes what begins with the prefix, less what the bucket and the spec ignore', async () => {
  const objects = { '.sourceignore': '*.md\n', 'in/a.yaml': '1', 'in/b.md': '2', 'in/c.txt': '3', 'out/d.yaml': '4' }
  const bucketName = await filledBucket(objects)
  const world = await openBucketWorld()
  await world.applies('app', { bucketName, prefix: 'in/', ignore: '*.txt' })
  assert.deepEqual(await world.files('app'), { '.sourceignore': '*.md\n', 'in/a.yaml': '1' })
  assert.equal((await world.statusOf('app'))!.observedIgnore, '*.txt')
  await world.applies('app', { bucketName, prefix: 'in/', ignore: '!*.md' })
  assert.deepEqual(Object.keys(await world.files('app')), ['.sourceignore', 'in/a.yaml', 'in/b.md', 'in/c.txt'])
})

test('reads a listing of many pages', async () => {
  const objects = Object.fromEntries(Array.from({ length: 7 }, (_, i) => [`o/${i}.yaml`, String(i)]))
  const bucketName = await filledBucket(objects)
  const world = await openBucketWorld()
  pageSize = 3
  await world.applies('app', { bucketName })
  pageSize = 1000
  assert.deepEqual(await world.files('app'), objects)
  assert.equal(requests.filter(request => request === `GET /${bucketName}/?list`).length, 3)
})

test('signs its requests, and trusts the authority in certSecretRef', async () => {
  const strict = endWithTest(await startAwsEmulator({ auth: true }))
  const ask = awsRequests(strict)
  const put = (path: string, body = '') => ask({ service: 's3', method: 'PUT', path, body })
  await put('/signed')
  await put('/signed/a%20b%2Bc/%C3%BC.yaml', '1')
  const reader = await userWithKeys(ask)
  const world = await openBucketWorld()
  await world.clock.advance(Date.now() - world.clock.now()) // signatures are of today only
  const secret = (name: string, stringData: Record<string, string>) => {
    const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' }, stringData }
    return world.hub.create(object, { fieldManager: 'author' })
  }
  await secret('ca', { 'ca.crt': readFileSync(strict.certificateFile!, 'utf8') })
  await secret('right', reader)
  await secret('wrong', { ...reader, secretkey: 'wrong' })
  const spec = { bucketName: 'signed', endpoint: new URL(strict.endpoint).host, insecure: false }
  const trusting = { ...spec, certSecretRef: { name: 'ca' } }
  await world.applies('right', { ...trusting, secretRef: { name: 'right' } })
  assert.deepEqual(await world.files('right'), { 'a b+c/ü.yaml': '1' })
  await world.applies('wrong', { ...trusting, secretRef: { name: 'wrong' } })
  assert.match((await world.conditions('wrong')).join(), /Ready=False BucketOperationFailed: .* signature /)
  await world.applies('untrusted', { ...spec, secretRef: { name: 'right' } })
  assert.match((await world.conditions('untrusted')).join(), /certificate signed by unknown authority/)
})

/** Somebody who may read buckets: the emulator asks nothing of its root. */
const userWithKeys = async (ask: ReturnType<typeof awsRequests>) => {
  const iam = (body: Record<string, string>) =>
    ask({
      service: 'iam',
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ Version: '2010-05-08', UserName: 'reader', ...body }).toString(),
    })
  await iam({ Action: 'CreateUser' })
  const Statement = [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }]
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement })
  await iam({ Action: 'PutUserPolicy', PolicyName: 'read', PolicyDocument })
  const { text } = await iam({ Action: 'CreateAccessKey' })
  const field = (name: string) => new RegExp(`<${name}>([^<]+)`).exec(text)![1]!
  return { accesskey: field('AccessKeyId'), secretkey: field('SecretAccessKey') }
}

test('says what is wrong with the bucket, its Secret, or the server', async () => {
  const world = await openBucketWorld()
  const failure = (await import('../../lib/foundations/rules/conditions.ts')).conditionOf
  const message = async (name: string) => failure((await world.statusOf(name))?.conditions, 'FetchFailed')?.message
  await world.applies('none', { bucketName: 'no-such-bucket' })
  assert.equal(await message('none'), "bucket 'no-such-bucket' not found")
  await world.applies('missing', { bucketName: 'any', secretRef: { name: 'nope' } })
  assert.equal(await message('missing'), `failed to get secret 'default/nope': secrets "nope" not found`)
  await world.applies('refused', { bucketName: 'any', endpoint: '127.0.0.1:9' })
  assert.equal(
    await message('refused'),
    `failed to confirm existence of 'any' bucket: Head "http://127.0.0.1:9/any/": dial tcp 127.0.0.1:9: connect: connection refused`,
  )
  await world.applies('metadata', { bucketName: 'any', endpoint: '169.254.169.254' })
  assert.match((await message('metadata'))!, /169.254.169.254 is a link-local address: nothing is fetched from there$/)
})

test('HC-006 HC-014: builds a chart from a bucket', async () => {
  const bucketName = await filledBucket({ 'charts/app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 0.3.0\n' })
  const world = await openBucketWorld()
  await world.applies('charts', { bucketName })
  const name = { group, kind: 'HelmChart', namespace: 'default', name: 'app' }
  const object = {
    apiVersion: `${group}/v1`,
    kind: 'HelmChart',
    metadata: { name: 'app', namespace: 'default' },
    spec: { interval: '10m', chart: 'charts/app', sourceRef: { kind: 'Bucket', name: 'charts' } },
  }
  await world.hub.patch(name, { type: 'apply', object }, { fieldManager: 'author', force: true })
  await world.settle()
  const chart = await world.hub.get<HelmChart>(name)
  assert.equal(chart?.status?.artifact?.revision, '0.3.0', shown(chart).join())
})
