import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RecentlyUsed } from '../../../../lib/foundations/budget/recently-used.ts'

const held = (memory: RecentlyUsed<number>, keys: string) =>
  [...keys].filter(key => memory.get(key) !== undefined).join('')

test('what was not used for the longest time makes room', () => {
  const memory = new RecentlyUsed<number>(10)
  memory.set('a', 1, 4)
  memory.set('b', 2, 4)
  assert.equal(memory.get('a'), 1)
  memory.set('c', 3, 4)
  assert.equal(held(memory, 'abc'), 'ac')
})

test('a value that replaces another counts once', () => {
  const memory = new RecentlyUsed<number>(10)
  memory.set('a', 1, 6)
  memory.set('a', 2, 6)
  memory.set('b', 3, 4)
  assert.equal(memory.get('a'), 2)
  assert.equal(held(memory, 'ab'), 'ab')
})

test('what is larger than all may be is not held, and what it would have replaced is gone', () => {
  const memory = new RecentlyUsed<number>(10)
  memory.set('a', 1, 1)
  memory.set('b', 2, 1)
  memory.set('b', 3, 11)
  assert.equal(held(memory, 'ab'), 'a')
})

test('as many go as are needed', () => {
  const memory = new RecentlyUsed<number>(10)
  for (const key of 'abcd') memory.set(key, 1, 2)
  memory.set('e', 1, 7)
  assert.equal(held(memory, 'abcde'), 'de')
})

test('a value that is only peeked at goes in its turn', () => {
  const cache = new RecentlyUsed<number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  assert.equal(cache.peek('a'), 1)
  cache.set('c', 3)
  assert.deepEqual(
    ['a', 'b', 'c'].map(key => cache.peek(key)),
    [undefined, 2, 3],
  )
})

test('makes a value once for as long as it is kept', () => {
  const cache = new RecentlyUsed<number>(1)
  let made = 0
  const make = () => ++made
  assert.deepEqual([cache.getOrMake('a', make), cache.getOrMake('a', make)], [1, 1])
  assert.deepEqual([cache.getOrMake('b', make), cache.getOrMake('a', make)], [2, 3])
})

test('what is deleted makes room', () => {
  const cache = new RecentlyUsed<number>(3)
  cache.set('a', 1, 2)
  cache.set('b', 2, 1)
  cache.delete('a')
  cache.delete('a')
  cache.set('c', 3, 2)
  assert.deepEqual(
    ['a', 'b', 'c'].map(key => cache.peek(key)),
    [undefined, 2, 3],
  )
  cache.clear()
  cache.set('d', 4, 3)
  assert.deepEqual(
    ['b', 'c', 'd'].map(key => cache.peek(key)),
    [undefined, undefined, 4],
  )
})
