import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobNameOf } from '../../../lib/foundations/kinds/artifact.ts'
import { generatorRef, minute, openGeneratorWorld, outputRef, specOf } from './generator-world.ts'

const monorepo = { 'apps/web/a.yaml': 'a: 1', 'apps/api/b.yaml': 'b: 1', 'README.md': 'text' }
const byStatus = { fieldManager: 'someone', subresource: 'status' } as const

test('AG-038 what left the spec is deleted with its files', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('apps', specOf('web', 'api'))
  await world.generate('apps', specOf('web'))
  assert.equal(await world.output('api'), undefined)
  assert.deepEqual(
    (await world.blobs()).map(name => name.split('/')[2]),
    ['web'],
  )
  assert.deepEqual(
    (await world.get('apps'))?.status?.inventory?.map(({ name }) => name),
    ['web'],
  )
})

test('AG-038 of an artifact that changes, as many old files stay as of a source', async () => {
  const world = await openGeneratorWorld()
  await world.generate('apps', specOf('web'))
  for (let revision = 1; revision <= 4; revision++) {
    await world.push('app', { 'apps/web/a.yaml': `a: ${revision}` }, { revision: `main@sha1:${revision}` })
    await world.clock.advance(2 * minute)
  }
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 4' })
  assert.equal((await world.blobs()).length, 2)
})

test('AG-039 an ExternalArtifact that was deleted or changed, and a lost file, are made again', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('apps', specOf('web', 'api'))
  const made = (await world.output('web'))!.status!.artifact!
  await world.hub.delete(outputRef('web'), {})
  await world.annotate('apps', { 'reconcile.fluxcd.io/requestedAt': 'now' })
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
  const event = 'Normal Ready 2x: reconciliation succeeded, generated 2 artifact(s)'
  assert.ok((await world.events('apps')).includes(event), (await world.events('apps')).join('\n'))
  const forged = { status: { artifact: { ...made, digest: `sha256:${'0'.repeat(64)}` } } }
  await world.hub.patch(outputRef('web'), { type: 'merge', patch: forged }, byStatus)
  await world.advance(2 * 60 * minute)
  assert.equal((await world.output('web'))?.status?.artifact?.digest, made.digest)
  await world.platform.artifacts.delete(blobNameOf(made))
  await world.advance(2 * 60 * minute)
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
})

test('AG-040 AG-044 an ExternalArtifact of another owner is neither written nor deleted', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('first', specOf('web'))
  await world.generate('second', specOf('web'))
  assert.match(
    (await world.conditions('second'))[0]!,
    /^Ready=False ReconciliationFailed: web reconcile failed: ExternalArtifact\/default\/web exists and belongs to ArtifactGenerator\/first: /,
  )
  const inventory = [{ name: 'web', namespace: 'default', digest: 'sha256:0', filename: '0.tar.gz' }]
  await world.hub.patch(generatorRef('second'), { type: 'merge', patch: { status: { inventory } } }, byStatus)
  await world.hub.delete(generatorRef('second'), {})
  await world.settle()
  assert.equal(await world.get('second'), undefined)
  assert.deepEqual(await world.files('web'), { 'a.yaml': 'a: 1' })
})

test('AG-001 AG-041 with the generator all of its artifacts go', async () => {
  const world = await openGeneratorWorld()
  await world.push('app', monorepo)
  await world.generate('apps', specOf('web', 'api'))
  await world.hub.delete(generatorRef('apps'), {})
  await world.settle()
  assert.deepEqual(
    [await world.get('apps'), await world.output('web'), await world.output('api')],
    [undefined, undefined, undefined],
  )
  assert.deepEqual(await world.blobs(), [])
})
