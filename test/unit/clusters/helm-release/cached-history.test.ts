import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedHistory } from '../../../../lib/clusters/helm-release/cached-history.ts'
import type { ReleaseStorage } from '../../../../lib/clusters/helm-release/storage.ts'
import type { Release } from '../../../../lib/engines/helm/release/release.ts'

const releaseOf = (version: number, status: Release['info']['status'] = 'deployed'): Release => ({
  ...{ name: 'app', version, info: { status } },
})

/** A storage that counts how often it is read; reads or writes fail while it is told so. */
const counting = () => {
  const reads: string[] = []
  const fails = { reads: false, writes: false }
  let versions = [releaseOf(1)]
  const write = (changed: readonly Release[]) => {
    if (fails.writes) throw new Error('no answer')
    versions = [...changed].sort((a, b) => b.version - a.version)
  }
  const others = (...removed: readonly Release[]) =>
    versions.filter(({ version }) => !removed.some(release => release.version === version))
  const storage: ReleaseStorage = {
    history: async name => {
      reads.push(name)
      if (fails.reads) throw new Error('no answer')
      return versions.map(release => ({ release }))
    },
    create: async (release, _, obsolete = []) => {
      write([release, ...others(...obsolete)])
      return { release, readBack: () => ({ release }) }
    },
    update: async release => {
      write([release, ...others(release)])
      return { release, readBack: () => ({ release }) }
    },
    remove: async release => write(others(release)),
  }
  return { reads, fails, storage: cachedHistory(storage), source: storage }
}

test('a history is requested once, and follows what is written', async () => {
  const { reads, storage, source } = counting()
  await Promise.all([storage.history('app'), storage.history('app')])
  await storage.history('other')
  assert.deepEqual(reads, ['app', 'other'])
  const writes = [
    () => storage.create(releaseOf(2, 'pending-upgrade'), undefined),
    () => storage.update(releaseOf(1, 'superseded')),
    () => storage.create(releaseOf(3, 'failed'), undefined, [releaseOf(1)]),
    () => storage.remove(releaseOf(2)),
  ]
  for (const write of writes) {
    await write()
    reads.splice(0)
    const history = await storage.history('app')
    assert.deepEqual(reads, [])
    assert.deepEqual(history, await source.history('app'))
  }
})

test('a write without an earlier read leaves the history to be requested', async () => {
  const { reads, storage } = counting()
  await storage.update(releaseOf(1, 'superseded'))
  assert.equal((await storage.history('app'))[0]?.release.info.status, 'superseded')
  assert.deepEqual(reads, ['app'])
})

test('after a failure the history is requested again', async () => {
  const { reads, fails, storage } = counting()
  fails.reads = true
  await assert.rejects(storage.history('app'), /no answer/)
  fails.reads = false
  assert.equal((await storage.history('app')).length, 1)
  fails.writes = true
  await assert.rejects(storage.update(releaseOf(1, 'superseded')), /no answer/)
  assert.equal((await storage.history('app')).length, 1)
  assert.deepEqual(reads, ['app', 'app', 'app'])
})
