import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TextCache } from '../../../../lib/engines/template/text-cache.ts'

test('a cache makes something of a text once, until it is full', () => {
  const cache = new TextCache<number>(10)
  let made = 0
  const of = (text: string) => cache.of(text, () => ++made)
  assert.deepEqual([of('abcd'), of('efgh'), of('abcd'), of('efgh')], [1, 2, 1, 2])
  assert.equal(of('ijk'), 3)
  assert.deepEqual([of('ijk'), of('abcd'), of('efgh')], [3, 4, 5])
})
