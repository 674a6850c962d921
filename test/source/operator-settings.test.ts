import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { blobNameOf } from '../../lib/foundations/kinds/artifact.ts'
import type { HelmChart } from '../../lib/foundations/kinds/helm-chart.ts'
import type { OciRepository } from '../../lib/foundations/kinds/oci-repository.ts'
import { createSourceFiles } from '../../lib/reconcile/kustomization/build/source-files.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { tarGzip } from '../bed/tar-gzip.ts'
import { shown } from '../unit/reconcile/world.ts'
import { filesLayer, group, minute, openRegistry } from './oci/oci-world.ts'
import { openSourceWorld } from './source-world.ts'

const namespace = 'default'

const openWorld = async (...options: Parameters<typeof openSourceWorld>) => {
  const world = await openSourceWorld(...options)
  const refOf = (kind: string) => ({ group, kind, namespace, name: 'app' })
  return {
    ...world,
    refOf,
    applies: async (kind: string, spec: object, metadata: object = {}, fieldManager = 'author') => {
      const object = {
        apiVersion: `${group}/v1`,
        kind,
        metadata: { name: 'app', namespace, ...metadata },
        spec: { interval: '10m', ...spec },
      }
      await world.hub.patch(refOf(kind), { type: 'apply', object }, { fieldManager, force: true })
      await world.settle()
      return shown(await world.hub.get(refOf(kind))).find(line => line.startsWith('Ready='))
    },
  }
}

/** A Helm repository with one chart, whose archive is served too. */
const serveChart = async (files: Readonly<Record<string, string>> = {}) => {
  const chart = { 'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n', ...files }
  const index = 'apiVersion: v1\nentries: {app: [{name: app, version: 1.0.0, apiVersion: v2, urls: [app.tgz]}]}\n'
  const server = createServer(({ url }, response) => response.end(url === '/index.yaml' ? index : tarGzip(chart)))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, indexBytes: index.length }
}

const chart = { chart: 'app', sourceRef: { kind: 'HelmRepository', name: 'app' } }

test("HC-071: how large an index, a chart and a file in it may be is the operator's to say", async () => {
  const { url, indexBytes } = await serveChart({ 'app/values.yaml': `a: ${'x'.repeat(3000)}\n` })
  const outcome = async (settings: object): Promise<readonly (string | undefined)[]> => {
    const { applies } = await openWorld({}, settings)
    return [await applies('HelmRepository', { url }), await applies('HelmChart', chart)]
  }
  const [good, packed] = await outcome({ helmIndexMaxSize: indexBytes })
  assert.match(`${good} ${packed}`, /^Ready=True .* Ready=True /)
  assert.match(String((await outcome({ helmIndexMaxSize: indexBytes - 1 }))[0]), /is larger than \d+ bytes/)
  assert.match(
    String((await outcome({ helmChartMaxSize: 100 }))[1]),
    /Ready=False ChartPullError: .*app\.tgz is larger than 100 bytes/,
  )
  assert.match(
    String((await outcome({ helmChartFileMaxSize: 2999 }))[1]),
    /Ready=False ChartPullError: .*size of 'app\/values\.yaml' exceeds '2999' bytes limit/,
  )
})

test('HC-071: a chart in the files of a source has the same limits', async () => {
  const { url } = await gitRepo({
    'app/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.0.0\n',
    'app/values.yaml': `a: ${'x'.repeat(3000)}\n`,
  })
  const { applies } = await openWorld({}, { helmChartFileMaxSize: 2999 })
  await applies('GitRepository', { url, ref: { branch: 'main' } })
  assert.match(
    String(await applies('HelmChart', { chart: 'app', sourceRef: { kind: 'GitRepository', name: 'app' } })),
    /cannot load file values\.yaml as file size \(\d+\) exceeds limit \(2999\)/,
  )
})

test('HC-042: charts are checked after their interval with the spread that the operator chose', async () => {
  const { url } = await serveChart()
  const world = await openWorld({}, {}, { fraction: 0.999 })
  await world.applies('HelmRepository', { url, suspend: false })
  await world.applies('HelmChart', chart)
  // A look is a pass or, when all was as before, a part of a visit.
  const looks = () =>
    [...world.passes, ...world.visited.flatMap(({ unchanged }) => unchanged)].filter(
      ({ ref }) => ref.kind === 'HelmChart',
    ).length
  const before = looks()
  await world.advance(10 * minute)
  assert.equal(looks(), before)
  await world.advance(minute / 2)
  assert.equal(looks(), before + 1)
})

test('HC-003: a chart that a controller of HelmReleases made is one like any other', async () => {
  const { url } = await serveChart()
  const world = await openWorld()
  await world.applies('HelmRepository', { url })
  const labels = { 'helm.toolkit.fluxcd.io/name': 'app', 'helm.toolkit.fluxcd.io/namespace': 'tenant' }
  const made = { labels, finalizers: ['finalizers.fluxcd.io'] }
  assert.match(
    String(await world.applies('HelmChart', chart, made, 'helm-controller')),
    /^Ready=True ChartPullSucceeded/,
  )
  const { metadata, status } = (await world.hub.get<HelmChart>(world.refOf('HelmChart')))!
  assert.deepEqual([metadata.labels, metadata.finalizers], [labels, ['finalizers.fluxcd.io']])
  assert.equal(status?.artifact?.revision, '1.0.0')
  await world.hub.delete(world.refOf('HelmChart'), {})
  await world.settle()
  assert.equal(await world.hub.get(world.refOf('HelmChart')), undefined)
})

test('OC-090: replaced artifacts go when they are too old or too many; the one that the status shows never does', async () => {
  const registry = await openRegistry()
  const push = (content: number) => registry.push({ layers: [filesLayer({ a: String(content) })] }, 'app', 'latest')
  const outcome = async (settings: object, pauseMs: number): Promise<readonly string[]> => {
    const world = await openWorld({}, settings)
    const names: string[] = []
    for (let content = 0; content < 5; content++) {
      await push(content)
      await world.advance(pauseMs)
      const url = registry.url('app')
      const at = String(content)
      await world.applies(
        'OCIRepository',
        { url, insecure: true },
        { annotations: { 'reconcile.fluxcd.io/requestedAt': at } },
      )
      const { status } = (await world.hub.get<OciRepository>(world.refOf('OCIRepository')))!
      names.push(blobNameOf(status!.artifact!))
    }
    const stored = await world.stored()
    assert.ok(stored.includes(names.at(-1)!))
    return names.filter(name => stored.includes(name)).map(name => String(names.indexOf(name)))
  }
  // The new one, the one before, and what of others is young enough and not too many.
  assert.deepEqual(await outcome({ artifactRetentionRecords: 3, artifactRetentionTtlMs: 60 * minute }, 1000), [
    '1',
    '2',
    '3',
    '4',
  ])
  assert.deepEqual(await outcome({ artifactRetentionRecords: 1, artifactRetentionTtlMs: 60 * minute }, 1000), [
    '3',
    '4',
  ])
  assert.deepEqual(await outcome({ artifactRetentionRecords: 5, artifactRetentionTtlMs: 150_000 }, minute), [
    '2',
    '3',
    '4',
  ])
  assert.deepEqual(await outcome({}, minute), ['3', '4'])
})

test('digests of artifacts are made as the operator says, and checked by who uses them', async () => {
  const registry = await openRegistry()
  await registry.push({ layers: [filesLayer({ a: '1' })] }, 'app', 'latest')
  for (const artifactDigestAlgo of ['sha256', 'sha384', 'sha512'] as const) {
    const world = await openWorld({}, { artifactDigestAlgo })
    await world.applies('OCIRepository', { url: registry.url('app'), insecure: true })
    const { artifact } = (await world.hub.get<OciRepository>(world.refOf('OCIRepository')))!.status!
    const content = (await world.platform.artifacts.get(blobNameOf(artifact!)))!
    const hex = createHash(artifactDigestAlgo).update(content).digest('hex')
    assert.equal(artifact!.digest, `${artifactDigestAlgo}:${hex}`)
    const files = await createSourceFiles({ ...world.platform, refetch: async () => {} })(artifact!)
    assert.equal(Buffer.from(files!.read('a')!).toString(), '1')
  }
})
