import assert from 'node:assert/strict'
import { test } from 'node:test'
import { indexCache } from '../../../lib/sources/helm/index-cache.ts'

const minute = 60_000
const index = { entries: new Map(), fields: {} }

const openCache = (maxSize: number) => {
  let now = 0
  const cache = indexCache({ maxSize, ttlMs: 15 * minute, purgeIntervalMs: minute }, { now: () => now })
  return { cache, pass: (ms: number) => (now += ms) }
}

test('HC-067: a cache without room keeps nothing', () => {
  const { cache } = openCache(0)
  cache.set('a', index)
  assert.equal(cache.get('a'), undefined)
})

test('HC-068: an index lives on while it is used', () => {
  const { cache, pass } = openCache(2)
  cache.set('used', index)
  cache.set('left', index)
  pass(10 * minute)
  assert.equal(cache.get('used'), index)
  pass(10 * minute)
  assert.equal(cache.get('used'), index)
  assert.equal(cache.get('left'), undefined)
})

test('HC-069 HC-070: a full cache takes nothing more until what is over is swept out', () => {
  const { cache, pass } = openCache(1)
  assert.equal(cache.set('a', index), true)
  assert.equal(cache.set('b', index), false)
  assert.equal(cache.get('b'), undefined)
  assert.equal(cache.set('a', index), true)
  pass(16 * minute)
  assert.equal(cache.set('b', index), true)
  assert.equal(cache.get('b'), index)
})
