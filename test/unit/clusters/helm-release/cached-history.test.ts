import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cachedHistory } from '../../../../lib/clusters/helm-release/cached-history.ts'
import type { ReleaseStorage, StoredRelease } from '../../../../lib/clusters/helm-release/storage.ts'

const release = { name: 'app', version: 1, info: { status: 'deployed' } } as const

/** A storage that counts how often it is read; the first read fails if it is told so. */
const counting = (failsFirst = false) => {
  const reads: string[] = []
  const stored: StoredRelease = { release }
  const storage: ReleaseStorage = {
    history: async name => {
      reads.push(name)
      if (failsFirst && reads.length === 1) throw new Error('no answer')
      return [stored]
    },
    create: async () => stored,
    update: async () => stored,
    remove: async () => {},
  }
  return { reads, storage: cachedHistory(storage) }
}

test('what was read of a release holds until something is written', async () => {
  const { reads, storage } = counting()
  await Promise.all([storage.history('app'), storage.history('app')])
  await storage.history('other')
  assert.deepEqual(reads, ['app', 'other'])
  const writes = [
    () => storage.update(release),
    () => storage.create(release, undefined),
    () => storage.remove(release),
  ]
  for (const write of writes) {
    reads.splice(0)
    await write()
    await storage.history('app')
    await storage.history('app')
    assert.deepEqual(reads, ['app'])
  }
})

test('a read that failed is tried again', async () => {
  const { reads, storage } = counting(true)
  await assert.rejects(storage.history('app'), /no answer/)
  assert.equal((await storage.history('app')).length, 1)
  assert.deepEqual(reads, ['app', 'app'])
})
