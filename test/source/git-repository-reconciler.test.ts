import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobNameOf } from '../../lib/foundations/kinds/artifact.ts'
import type { GitRepository } from '../../lib/foundations/kinds/git-repository.ts'
import { sourceVisit } from '../../lib/reconcile/source-artifact/visits.ts'
import { extract } from '../../lib/sources/artifact/extract.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { shown } from '../unit/reconcile/world.ts'
import { openGitWorld } from './git-world.ts'

const minute = 60_000

test('checks an unchanged repository with one request an interval, and writes nothing', async () => {
  const repo = await gitRepo({ 'a.yaml': 'a: 1\n' })
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url })
  const before = await world.hub.get(world.ref('app'))
  assert.deepEqual(repo.operations(), ['ls-refs', 'fetch'])
  await world.advance(31 * minute)
  assert.deepEqual(repo.operations(), ['ls-refs', 'fetch', 'ls-refs', 'ls-refs', 'ls-refs'])
  assert.deepEqual(await world.hub.get(world.ref('app')), before)
})

test('repositories of one address, reference and credentials share a request in a visit; others have their own', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await openGitWorld()
  const names = Array.from({ length: 8 }, (_, index) => `app-${index}`)
  for (const name of names) await world.applies(name, { url: repo.url })
  await world.advance(31 * minute)
  const perInterval = async () => {
    const before = repo.operations().length
    await world.advance(10 * minute)
    return repo.operations().slice(before)
  }
  const sources = await Promise.all(names.map(name => world.hub.get<GitRepository>(world.ref(name))))
  const groups = new Set(sources.map(source => sourceVisit(source!)))
  assert.ok(groups.size < names.length)
  assert.deepEqual(
    await perInterval(),
    [...groups].map(() => 'ls-refs'),
  )

  const commit = await repo.push({ 'a.yaml': '2' })
  await world.advance(11 * minute)
  for (const name of names) assert.equal((await world.statusOf(name))?.artifact?.revision, `main@sha1:${commit}`)

  await repo.git('branch', 'other')
  for (const name of names.slice(0, 4)) await world.applies(name, { url: repo.url, ref: { branch: 'other' } })
  await world.advance(31 * minute)
  const refs = (await Promise.all(names.map(name => world.hub.get<GitRepository>(world.ref(name))))).map(
    source => `${sourceVisit(source!)} ${source!.spec.ref?.branch}`,
  )
  assert.equal((await perInterval()).length, new Set(refs).size)
})

test('needs no request at all for a pinned commit that it has', async () => {
  const repo = await gitRepo({ 'a.yaml': 'a: 1\n' })
  const commit = await repo.git('rev-parse', 'main')
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url, ref: { commit } })
  assert.equal((await world.statusOf('app'))?.artifact?.revision, `sha1:${commit}`)
  const operations = repo.operations()
  await world.advance(11 * minute)
  assert.deepEqual(repo.operations(), operations)
})

test('keeps the current artifact and the one before, and deletes older ones when their time is over', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url, interval: '1m' })
  const names = [blobNameOf((await world.statusOf('app'))!.artifact!)]
  for (const version of ['2', '3', '4']) {
    await repo.push({ 'a.yaml': version })
    await world.advance(2 * minute)
    names.push(blobNameOf((await world.statusOf('app'))!.artifact!))
  }
  assert.deepEqual(await world.stored(), names.slice(-2).sort())
})

test('builds an artifact again that has vanished from the store', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url })
  const stored = await world.stored()
  for (const name of stored) await world.platform.artifacts.delete(name)
  await world.advance(11 * minute)
  assert.deepEqual(await world.stored(), stored)
  assert.match(shown(await world.hub.get(world.ref('app')))[0]!, /^Ready=True Succeeded/)
})

test('deletes the artifacts of a deleted repository, and no others', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url })
  await world.applies('app2', { url: repo.url })
  await world.hub.delete(world.ref('app'), {})
  await world.settle()
  assert.equal(await world.statusOf('app'), undefined)
  assert.deepEqual(await world.stored(), [blobNameOf((await world.statusOf('app2'))!.artifact!)])
})

test('puts included files only where nothing is yet, and never outside of the root', async () => {
  const lib = await gitRepo({ 'l.yaml': 'l', 'sub/m.yaml': 'm' })
  const app = await gitRepo({ 'a.yaml': 'a', 'taken/b.yaml': 'b' })
  const world = await openGitWorld()
  await world.applies('lib', { url: lib.url })
  const repository = { name: 'lib' }
  const outcome = async (name: string, include: GitRepository['spec']['include']) => {
    await world.applies(name, { url: app.url, include })
    const artifact = (await world.statusOf(name))?.artifact
    if (!artifact) return shown(await world.hub.get(world.ref(name))).at(-1)
    return [...(await extract((await world.platform.artifacts.get(blobNameOf(artifact)))!)).keys()]
  }
  assert.deepEqual(await outcome('whole', [{ repository }]), ['a.yaml', 'lib/l.yaml', 'lib/sub/m.yaml', 'taken/b.yaml'])
  assert.deepEqual(await outcome('clamped', [{ repository, fromPath: '../sub', toPath: '../../x/../y' }]), [
    'a.yaml',
    'taken/b.yaml',
    'y/m.yaml',
  ])
  assert.equal(
    await outcome('conflict', [{ repository, toPath: 'taken' }]),
    "StorageOperationFailed=True CopyFailure: failed to copy 'lib' include from  to taken: link error: cannot rename / to /taken: rename / /taken: file exists",
  )
  assert.equal(
    await outcome('missing', [{ repository, fromPath: 'nowhere' }]),
    "StorageOperationFailed=True CopyFailure: failed to copy 'lib' include from nowhere to lib: cannot stat /nowhere: stat /nowhere: no such file or directory",
  )
})

test('says which folder of a sparse checkout is missing', async () => {
  const repo = await gitRepo({ 'docs/a.yaml': '1' })
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url, sparseCheckout: ['docs', './nowhere'] })
  assert.equal(
    shown(await world.hub.get(world.ref('app'))).at(-1),
    "FetchFailed=True GitOperationFailed: failed to sparse checkout directories : sparse checkout dir 'nowhere' does not exist in repository: lstat /nowhere: no such file or directory",
  )
})

test('gives up a silent server after spec.timeout', async () => {
  const repo = await gitRepo({ 'a.yaml': '1' })
  repo.server.intercept = () => true
  const world = await openGitWorld()
  await world.applies('app', { url: repo.url, timeout: '1s' })
  assert.match(
    shown(await world.hub.get(world.ref('app'))).at(-1)!,
    /^FetchFailed=True GitOperationFailed: .*context deadline exceeded$/,
  )
})
