import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { GitError } from '../../../lib/sources/git/git-error.ts'
import { objectId } from '../../../lib/sources/git/git-object.ts'
import * as packs from '../../../lib/sources/git/pack.ts'
import { type Spool, spool } from '../../../lib/sources/spool.ts'
import { gitEnv } from '../../bed/git.ts'
import { type GitRepo, gitRepo } from '../../bed/git-repo.ts'
import { mutationsOf } from '../../unit/sources/mutations.ts'

const limits: packs.PackLimits = { maxObjects: 10_000, maxObjectBytes: 1 << 20, maxTotalBytes: 16 << 20 }

const spooled = (content: Buffer, maxInMemory?: number): Spool => {
  const made = spool(maxInMemory === undefined ? {} : { maxInMemory })
  for (let at = 0; at < content.length; at += 10_000) made.append(content.subarray(at, at + 10_000))
  return made
}

const readPack = (content: Buffer, its: packs.PackLimits, signal?: AbortSignal) =>
  packs.readPack(spooled(content), its, signal)

/** All objects of a repository as git packs them. */
const packOf = async (repo: GitRepo, ...options: string[]): Promise<Buffer> => {
  const git = spawn('git', ['pack-objects', '--all', '--stdout', '--quiet', ...options], {
    cwd: repo.dir,
    env: gitEnv,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  git.stdin.end()
  return buffer(git.stdout)
}

/** A repository whose files change a little from commit to commit, so that git finds deltas in long chains. */
const evolvingRepo = async (): Promise<GitRepo> => {
  const lines = Array.from({ length: 400 }, (_, line) => `line ${line} of a file that changes slowly`)
  const repo = await gitRepo({ 'a.txt': lines.join('\n'), empty: '', 'big.bin': Buffer.alloc(300_000, 'big') })
  for (let version = 0; version < 30; version++) {
    lines[version * 7] = `changed in version ${version}`
    lines.splice(200, 1)
    await repo.push({ 'a.txt': lines.join('\n'), [`b/${version}.txt`]: lines.slice(0, 20).join('\n') })
  }
  await repo.push({ 'a.txt': 'end' }, { tag: 'v1', annotation: 'A tag' })
  return repo
}

test('unpacks what git packs: deltas by offset and by name, in long chains and without', async () => {
  const repo = await evolvingRepo()
  const listed = (await repo.git('cat-file', '--batch-check', '--batch-all-objects')).split('\n').sort()
  for (const options of [
    ['--delta-base-offset', '--depth=50', '--window=50', '--no-reuse-delta'],
    ['--depth=250', '--window=250', '--no-reuse-delta'],
    ['--depth=0', '--no-reuse-delta'],
  ]) {
    const objects = await readPack(await packOf(repo, ...options), limits)
    const actual = [...objects].map(([id, { type, content }]) => `${id} ${type} ${content.length}`).sort()
    assert.deepEqual(actual, listed, options.join(' '))
    for (const [id, object] of objects) assert.equal(objectId(object), id)
  }
})

test('reads of a pack on disk what it reads of one in memory: large files again, each time, also where they are deltas', async () => {
  const repo = await evolvingRepo()
  const lines = Array.from({ length: 20_000 }, (_, line) => `line ${line} of a large file`)
  for (let version = 0; version < 30; version++) {
    lines[version * 500] = `changed in version ${version}`
    await repo.push({ 'large.txt': lines.join('\n') })
  }
  const pack = await packOf(repo, '--delta-base-offset', '--depth=50', '--window=50', '--no-reuse-delta')
  const inMemory = await readPack(pack, limits)
  using file = spooled(pack, 0)
  assert.ok(file.isOnDisk)
  const onDisk = await packs.readPack(file, { ...limits, maxTotalBytes: 64 << 20 })
  assert.deepEqual([...onDisk.keys()], [...inMemory.keys()])
  for (const [id, { type, content }] of inMemory) {
    const object = onDisk.get(id)!
    assert.deepEqual([object.type, Buffer.compare(object.content, content)], [type, 0], id)
    assert.equal(object.size ?? content.length, content.length)
  }
  const again = [...onDisk.values()].filter(({ size }) => size !== undefined)
  assert.ok(again.length > 20 && again.length < 40, `${again.length} of ${onDisk.size} objects are read again`)
})

test('refuses packs that are damaged, incomplete or too large, each with its reason', async () => {
  const repo = await evolvingRepo()
  const pack = await packOf(repo, '--delta-base-offset')
  const fails = (content: Buffer, code: string, its: Partial<packs.PackLimits> = {}) =>
    assert.rejects(readPack(content, { ...limits, ...its }), { name: 'GitError', code })
  await fails(Buffer.alloc(0), 'corrupt')
  await fails(Buffer.from('PACK'), 'corrupt')
  await fails(pack.subarray(0, -1), 'corrupt')
  await fails(withChecksum(pack.subarray(0, -60)), 'corrupt')
  await fails(withChecksum(Buffer.concat([pack.subarray(0, -20), Buffer.alloc(5)])), 'corrupt')
  await fails(pack, 'tooLarge', { maxObjects: 5 })
  await fails(pack, 'tooLarge', { maxObjectBytes: 100_000 })
  await fails(pack, 'tooLarge', { maxTotalBytes: 400_000 })
  const manyObjects = Buffer.from(pack)
  manyObjects.writeUInt32BE(9_999, 8)
  await fails(withChecksum(manyObjects.subarray(0, -20)), 'corrupt')
})

const withChecksum = (body: Buffer): Buffer => {
  const hash = createHash('sha1').update(body).digest()
  return Buffer.concat([body, hash])
}

test('stops unpacking on request', async () => {
  const repo = await gitRepo(Object.fromEntries(Array.from({ length: 1200 }, (_, index) => [`f${index}`, `${index}`])))
  const signal = AbortSignal.abort(new Error('told to'))
  await assert.rejects(readPack(await packOf(repo), limits, signal), { message: 'told to' })
})

test('survives mutated packs: each is read or refused, within the limits', async () => {
  const pack = await packOf(await evolvingRepo(), '--delta-base-offset', '--depth=50')
  await fc.assert(
    fc.asyncProperty(mutationsOf(pack.subarray(0, -20)), async body => {
      await readPack(withChecksum(body), limits).catch(error => assert.ok(error instanceof GitError, error?.stack))
    }),
    { numRuns: 1000, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: true },
  )
})
