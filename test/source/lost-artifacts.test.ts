/** An artifact that is gone from the store, or is not what its digest says, is fetched anew: for every kind of source. */
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CreateBucketCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { type Artifact, blobNameOf, checksumIn } from '../../lib/foundations/kinds/artifact.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { contentFolder } from '../../lib/platform/ports/artifacts.ts'
import { collectReplaced } from '../../lib/reconcile/source-artifact/collect-replaced.ts'
import { readArtifact, refetchThrough } from '../../lib/reconcile/source-artifact/read-artifact.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { tarGzip } from '../bed/tar-gzip.ts'
import { endWithTest } from '../bed/teardown.ts'
import { shown } from '../unit/reconcile/world.ts'
import { filesLayer, group, openRegistry } from './oci/oci-world.ts'
import { openSourceWorld } from './source-world.ts'

const namespace = 'default'
const refOf = (kind: string) => ({ group, kind, namespace, name: 'app' })
const author = { fieldManager: 'author' }

const repo = await gitRepo({ 'a.txt': 'a' })
const registry = await openRegistry()
await registry.push({ layers: [filesLayer({ a: '1' })] }, 'app', 'latest')

const charts = createServer(({ url }, response) => {
  const chart = { 'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n' }
  const index = 'apiVersion: v1\nentries: {app: [{name: app, version: 1.0.0, apiVersion: v2, urls: [app.tgz]}]}\n'
  response.end(url === '/index.yaml' ? index : tarGzip(chart))
})
await new Promise<void>(resolve => charts.listen(0, '127.0.0.1', resolve))
after(() => charts.close())

const emulator = endWithTest(await startAwsEmulator())
const { region, credentials } = emulator
const s3 = new S3Client({ endpoint: emulator.endpoint, region, credentials, forcePathStyle: true })
await s3.send(new CreateBucketCommand({ Bucket: 'files' }))
await s3.send(new PutObjectCommand({ Bucket: 'files', Key: 'a.txt', Body: 'a' }))

const specs: Readonly<Record<string, object>> = {
  GitRepository: { url: repo.url, ref: { branch: 'main' } },
  OCIRepository: { url: registry.url('app'), insecure: true },
  Bucket: {
    endpoint: new URL(emulator.endpoint).host,
    bucketName: 'files',
    insecure: true,
    secretRef: { name: 'keys' },
  },
  HelmRepository: { url: `http://127.0.0.1:${(charts.address() as AddressInfo).port}` },
  HelmChart: { chart: 'app', sourceRef: { kind: 'HelmRepository', name: 'app' } },
}

/** A world with a source of the kind, and what it takes. */
const sourceOfKind = async (kind: string, settings: Parameters<typeof openSourceWorld>[1] = {}) => {
  const world = await openSourceWorld({}, settings)
  const { accessKeyId: accesskey, secretAccessKey: secretkey } = credentials
  const keys = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys', namespace },
    stringData: { accesskey, secretkey },
  }
  await world.hub.create(keys, author)
  for (const each of kind === 'HelmChart' ? ['HelmRepository', kind] : [kind]) {
    const object = { apiVersion: `${group}/v1`, kind: each, metadata: { name: 'app', namespace } }
    await world.hub.create({ ...object, spec: { interval: '10m', ...specs[each] } }, author)
    await world.settle()
  }
  const object = async () => (await world.hub.get<KubernetesObject>(refOf(kind)))!
  const artifact = async () => ((await object()).status as { readonly artifact: Artifact }).artifact
  const files = filesOf(world, await artifact())
  return { ...world, object, artifact, files, ports: { ...world.platform, refetch: refetchThrough(world.ports) } }
}

interface Files {
  readonly all: string
  readonly content: string
  readonly claim: string
}

/** Where an artifact lies on the disk. */
const filesOf = ({ directory }: { readonly directory: string }, artifact: Artifact): Files => {
  const [all, name] = [join(directory, 'artifacts'), blobNameOf(artifact)]
  return { all, content: join(all, contentFolder, checksumIn(name)!), claim: join(all, `${name}.claim`) }
}

const losses = {
  damaged: ({ content }: Files) => writeFileSync(content, 'not what it was'),
  missing: ({ content }: Files) => rmSync(content),
  'no longer its own': ({ claim }: Files) => rmSync(claim),
  'missing with all others': ({ all }: Files) => rmSync(all, { recursive: true }),
} as const

for (const kind of Object.keys(specs))
  for (const [loss, lose] of Object.entries(losses)) {
    test(`${kind}: its pass fetches a ${loss} artifact again, with an Event`, async () => {
      const { files, artifact, advance, ports, eventsOf, object } = await sourceOfKind(kind)
      const before = await artifact()
      lose(files)
      await advance(11 * 60_000)
      assert.equal((await artifact()).digest, before.digest)
      assert.ok(await readArtifact(ports, before))
      const what = loss === 'damaged' ? /failed to verify integrity of artifact/ : /disappeared from storage/
      const told = (await eventsOf(refOf(kind))).filter(event => event.includes('ArtifactVerificationFailed'))
      assert.equal(told.length, 1)
      assert.match(told[0]!, what)
      assert.match(shown(await object()).join(), /Ready=True/)
    })

    test(`${kind}: a reader of a ${loss} artifact has it fetched again at once`, async () => {
      const { files, artifact, settle, ports } = await sourceOfKind(kind)
      const before = await artifact()
      lose(files)
      const read = readArtifact(ports, before)
      if (loss === 'damaged') await assert.rejects(read, /failed to verify artifact: computed digest/)
      else assert.equal(await read, undefined)
      await settle()
      assert.ok(await readArtifact(ports, before), 'without waiting for the interval')
    })
  }

const hour = 60 * 60_000

for (const kind of Object.keys(specs))
  test(`${kind}: where storage bills requests, an unchanged source makes none, and a lost artifact is found within a day`, async ({
    mock,
  }) => {
    const { files, artifact, advance, ports, eventsOf, platform, passes } = await sourceOfKind(kind, {
      artifactCheckMs: 24 * hour,
    })
    const before = await artifact()
    await advance(hour)
    const made = (['has', 'check', 'get', 'put', 'list'] as const).map(verb => mock.method(platform.artifacts, verb))
    const requests = () => made.reduce((sum, { mock: { calls } }) => sum + calls.length, 0)
    const passesBefore = passes.length
    const perHour: number[] = []
    for (let hours = 0; hours < 24; hours++) {
      const earlier = requests()
      await advance(hour)
      perHour.push(requests() - earlier)
    }
    assert.equal(passes.length, passesBefore, 'nothing needed a pass')
    assert.ok(perHour.filter(count => count === 0).length >= 20, `${perHour}`)
    assert.ok(requests() > 0, 'it was checked')
    losses.missing(files)
    await advance(25 * hour)
    assert.ok(await readArtifact(ports, before))
    assert.equal((await artifact()).digest, before.digest)
    const told = (await eventsOf(refOf(kind))).filter(event => event.includes('disappeared from storage'))
    assert.ok(told.length <= 1)
  })

test('an artifact that was replaced goes by itself, and the current one stays', async () => {
  const { platform, hub, stored, advance, artifact } = await sourceOfKind('GitRepository')
  const collect = () => collectReplaced({ ...platform, hub }, { records: 2, ttlMs: 60_000 })
  const first = await artifact()
  await repo.push({ 'b.txt': 'b' })
  await advance(11 * 60_000)
  const second = await artifact()
  assert.notEqual(second.digest, first.digest)
  await collect()
  assert.deepEqual(await stored(), [first, second].map(blobNameOf).sort(), 'it is too young')
  await advance(16 * 60_000)
  await collect()
  assert.deepEqual(await stored(), [blobNameOf(second)])
  assert.ok(await readArtifact({ ...platform, refetch: async () => {} }, second))
})

test('an artifact that a RolloutRun keeps stays while the run exists, and goes after it', async () => {
  const { platform, hub, stored, advance, artifact } = await sourceOfKind('GitRepository')
  const collect = () => collectReplaced({ ...platform, hub }, { records: 2, ttlMs: 60_000 })
  const own = await artifact()
  const kept = { ...own, path: `rolloutrun/${namespace}/web-1/kept.tar.gz` }
  assert.ok(await platform.artifacts.claim(blobNameOf(kept)))
  const source = { kind: 'GitRepository', namespace, name: 'app', artifact: kept }
  const spec = { rollout: 'web', sources: [source], stages: [{ name: 'all' }] }
  const run = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'RolloutRun', metadata: { name: 'web-1', namespace } }
  await hub.create({ ...run, spec } as KubernetesObject, author)
  await advance(16 * 60_000)
  await collect()
  assert.deepEqual(await stored(), [own, kept].map(blobNameOf).sort())
  await hub.delete({ group: 'fleet.keelson.dev', kind: 'RolloutRun', namespace, name: 'web-1' }, {})
  await collect()
  assert.deepEqual(await stored(), [blobNameOf(own)])
  assert.ok(await readArtifact({ ...platform, refetch: async () => {} }, own), 'its content is still claimed')
})
