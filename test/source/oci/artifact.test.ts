import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import { pushManifest } from '../../bed/push-image.ts'
import { tarGzip } from '../../bed/tar-gzip.ts'
import { filesLayer, fluxLayer, group, minute, openOciWorld, openRegistry, refOf } from './oci-world.ts'

const chartType = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'

test('OC-045 OC-046 OC-047 OC-049 OC-050 OC-053 OC-059 OC-108: pulls the layer that the selector selects, unchanged if requested', async () => {
  const registry = await openRegistry()
  const chart = tarGzip({ 'app/Chart.yaml': 'name: app', 'app/logo.png': 'x' })
  const layers = [filesLayer({ 'a.yaml': 'a: 1' }), { mediaType: chartType, content: chart }]
  await registry.push({ layers }, 'app', 'latest')
  const world = await openOciWorld()
  const url = registry.url('app')
  await world.applies('first', { url })
  assert.deepEqual(await world.files('first'), { 'a.yaml': 'a: 1' })
  await world.applies('extracted', { url, layerSelector: { mediaType: chartType } })
  assert.deepEqual(Object.keys(await world.files('extracted')), ['app/Chart.yaml'])
  const layerSelector = { mediaType: chartType, operation: 'copy' } as const
  await world.applies('copied', { url, layerSelector, ignore: '*' })
  assert.deepEqual(Buffer.from(await world.bytes('copied')), chart)
  const { digest } = (await world.statusOf('copied'))!.artifact!
  assert.equal(digest, `sha256:${createHash('sha256').update(chart).digest('hex')}`)
  assert.deepEqual((await world.statusOf('copied'))!.observedLayerSelector, layerSelector)
  await world.applies('none', { url, layerSelector: { mediaType: 'text/plain' } })
  assert.match(
    (await world.conditions('none')).join(),
    /FetchFailed=True OCIArtifactLayerOperationFailed: failed to find layer with media type 'text\/plain'/,
  )
  await assert.rejects(world.applies('bad', { url, layerSelector: { operation: 'mount' as 'copy' } }), /mount/)
})

test('OC-051 OC-052: what is no archive, or leads out of it, is not taken', async () => {
  const registry = await openRegistry()
  const world = await openOciWorld()
  const layers = {
    text: Buffer.from('plain'),
    cut: tarGzip({ 'a.yaml': 'x'.repeat(5000) }).subarray(0, 60),
    outside: tarGzip({ '../a.yaml': 'x' }),
    garbage: gzipSync('no tar at all '.repeat(100)),
  }
  for (const [name, content] of Object.entries(layers)) {
    await registry.push({ layers: [{ mediaType: fluxLayer, content }] }, name, 'latest')
    await world.applies(name, { url: registry.url(name) })
    assert.match(
      (await world.conditions(name)).join(),
      /Ready=False OCIArtifactLayerOperationFailed: failed to extract/,
      name,
    )
    assert.equal((await world.statusOf(name))!.artifact, undefined)
  }
})

test('OC-054: of an index, takes the image for linux/amd64, or else the first without a platform', async () => {
  const registry = await openRegistry()
  const child = async (content: string, platform?: object) => {
    const digest = await registry.push({ layers: [filesLayer({ 'a.yaml': content })] }, 'app')
    const size = Number(
      (
        await fetch(`${registry.server.directOrigin}/v2/app/manifests/${digest}`, {
          method: 'HEAD',
          headers: { accept: '*/*' },
        })
      ).headers.get('content-length'),
    )
    return { mediaType: 'application/vnd.oci.image.manifest.v1+json', digest, size, ...(platform && { platform }) }
  }
  const arm = await child('arm', { os: 'linux', architecture: 'arm64' })
  const amd = await child('amd', { os: 'linux', architecture: 'amd64' })
  const mediaType = 'application/vnd.oci.image.index.v1+json'
  const index = (...manifests: object[]) => JSON.stringify({ schemaVersion: 2, mediaType, manifests })
  await pushManifest(index(arm, amd), mediaType, registry.target('app', 'both'))
  await pushManifest(index(arm), mediaType, registry.target('app', 'arm'))
  await pushManifest(index(await child('plain')), mediaType, registry.target('app', 'plain'))
  const world = await openOciWorld()
  const url = registry.url('app')
  await world.applies('both', { url, ref: { tag: 'both' } })
  assert.deepEqual(await world.files('both'), { 'a.yaml': 'amd' })
  await world.applies('plain', { url, ref: { tag: 'plain' } })
  assert.deepEqual(await world.files('plain'), { 'a.yaml': 'plain' })
  await world.applies('arm', { url, ref: { tag: 'arm' } })
  assert.match((await world.conditions('arm')).join(), /no child with platform linux\/amd64 in index/)
})

test('OC-035 OC-036 OC-040 OC-041 OC-043: a digest goes before a range, that before a tag', async () => {
  const registry = await openRegistry()
  const push = (content: string, ...tags: string[]) =>
    registry.push({ layers: [filesLayer({ 'a.yaml': content })] }, 'app', ...tags)
  const first = await push('1', '1.0.0', 'stable')
  const second = await push('2', '2.0.0')
  const third = await push('3', '3.0.0-beta.1')
  const world = await openOciWorld()
  const url = registry.url('app')
  const revision = async (name: string, ref: object) => {
    await world.applies(name, { url, ref })
    return (await world.statusOf(name))?.artifact?.revision ?? (await world.conditions(name)).join()
  }
  assert.equal(await revision('tag', { tag: 'stable' }), `stable@${first}`)
  assert.equal(await revision('range', { tag: 'stable', semver: '>=1' }), `2.0.0@${second}`)
  assert.equal(await revision('digest', { tag: 'stable', semver: '>=1', digest: third }), third)
  assert.equal(await revision('filtered', { semver: '>=1.0.0-0', semverFilter: 'beta' }), `3.0.0-beta.1@${third}`)
  assert.match(await revision('bad-range', { semver: 'one' }), /semver 'one' parse error/)
  assert.match(await revision('bad-filter', { semver: '*', semverFilter: '(' }), /failed to determine the artifact tag/)
  assert.match(await revision('no-tag', { tag: 'gone' }), /MANIFEST_UNKNOWN|manifest unknown/)
})

test('OC-055 OC-056 OC-057 OC-058 OC-060 OC-064 OC-082: leaves out what is ignored, and packs again when that changes', async () => {
  const registry = await openRegistry()
  const files = {
    '.git/config': 'x',
    '.sops.yaml': 'x',
    '.sourceignore': '*.txt\n!/deploy/keep.txt\n',
    'a.yaml': 'x',
    'b.txt': 'x',
    'deploy/.sourceignore': 'c.yaml\n',
    'deploy/c.yaml': 'x',
    'deploy/keep.txt': 'x',
    'c.yaml': 'x',
    'picture.png': 'x',
  }
  const digest = await registry.push({ layers: [filesLayer(files)] }, 'app', 'latest')
  const world = await openOciWorld()
  const url = registry.url('app')
  await world.applies('app', { url })
  assert.deepEqual(Object.keys(await world.files('app')).sort(), [
    ...['.sops.yaml', '.sourceignore', 'a.yaml', 'c.yaml', 'deploy/.sourceignore', 'deploy/keep.txt', 'picture.png'],
  ])
  const before = (await world.statusOf('app'))!.artifact!
  await world.applies('app', { url, ignore: '/*\n!/picture.png\n!/a.yaml\n' })
  const status = (await world.statusOf('app'))!
  assert.equal(status.observedIgnore, '/*\n!/picture.png\n!/a.yaml\n')
  assert.equal(status.artifact!.revision, `latest@${digest}`)
  assert.notEqual(status.artifact!.digest, before.digest)
  assert.deepEqual(Object.keys(await world.files('app')).sort(), ['a.yaml', 'picture.png'])
})

test('OC-061 OC-062 OC-063: leaves out what is of no use to a cluster, as long as nobody says what to ignore', async () => {
  const registry = await openRegistry()
  const names = [
    'a.yaml',
    'b/.sops.yaml',
    'b/c.jpg',
    'd.zip',
    '.github/w.yaml',
    '.travis.yml',
    '.goreleaser.yml',
    'e.mp4',
  ]
  await registry.push({ layers: [filesLayer(Object.fromEntries(names.map(name => [name, 'x'])))] }, 'app', 'latest')
  const world = await openOciWorld()
  await world.applies('app', { url: registry.url('app') })
  assert.deepEqual(Object.keys(await world.files('app')), ['a.yaml', 'e.mp4'])
})

test('OC-078 OC-079 OC-077: does nothing while suspended, and reconciles at once on request', async () => {
  const registry = await openRegistry()
  const push = (content: string) => registry.push({ layers: [filesLayer({ 'a.yaml': content })] }, 'app', 'latest')
  await push('1')
  const world = await openOciWorld()
  const url = registry.url('app')
  await world.applies('app', { url, suspend: true })
  assert.deepEqual(registry.requests(), [])
  await world.applies('app', { url })
  assert.deepEqual(await world.files('app'), { 'a.yaml': '1' })
  await push('2')
  await world.applies('app', { url }, { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } })
  assert.deepEqual(await world.files('app'), { 'a.yaml': '2' })
  assert.equal((await world.statusOf('app'))!.lastHandledReconcileAt, 'now')
})

test('OC-083 OC-084 OC-085 OC-086 OC-088: an artifact that was lost is made again, with the annotations of the image', async () => {
  const registry = await openRegistry()
  const annotations = {
    'org.opencontainers.image.created': '2024-01-01T00:00:00Z',
    'org.opencontainers.image.source': 'https://git.example/app',
    'org.opencontainers.image.revision': 'main@sha1:abc',
  }
  const digest = await registry.push({ layers: [filesLayer({ 'a.yaml': '1' })], annotations }, 'app', 'latest')
  const world = await openOciWorld()
  await world.applies('app', { url: registry.url('app') })
  const { artifact } = (await world.statusOf('app'))!
  assert.equal(artifact!.path, `ocirepository/default/app/${digest}.tar.gz`)
  assert.deepEqual(artifact!.metadata, annotations)
  assert.match(
    (await world.eventsOf(refOf('app'))).join(),
    /NewArtifact 1x: stored artifact with revision 'latest@sha256:\w+' from '[^']+', origin source 'https:\/\/git.example\/app', origin revision 'main@sha1:abc'/,
  )
  await world.platform.artifacts.delete(blobNameOf(artifact!))
  await world.advance(11 * minute)
  assert.deepEqual(await world.files('app'), { 'a.yaml': '1' })
})

test('OC-001 OC-002 OC-004 OC-007 OC-008: is read in the old version too; addresses that are none are refused', async () => {
  const registry = await openRegistry()
  await registry.push({ layers: [filesLayer({ 'a.yaml': '1' })] }, 'app', 'latest')
  const world = await openOciWorld()
  const url = registry.url('app')
  const object = {
    apiVersion: `${group}/v1beta2`,
    kind: 'OCIRepository',
    metadata: { name: 'old', namespace: 'default' },
    spec: { interval: '10m', insecure: true, url },
  }
  await world.hub.patch(refOf('old'), { type: 'apply', object }, { fieldManager: 'author', force: true })
  await world.settle()
  assert.deepEqual(await world.files('old'), { 'a.yaml': '1' })
  await assert.rejects(world.applies('http', { url: 'https://host/app' }), /oci/)
  await world.applies('tagged', { url: `${url}:latest` })
  assert.match((await world.conditions('tagged')).join(), /Stalled=True URLInvalid: URL validation failed/)
})

test('OC-009: a registry is not accessed without TLS unless the spec allows it', async () => {
  const world = await openOciWorld()
  await world.applies('app', { url: 'oci://registry.invalid/app', insecure: false })
  assert.match((await world.conditions('app')).join(), /Get "https:\/\/registry\.invalid\/v2\/"/)
})
