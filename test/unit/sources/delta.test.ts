import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { applyDelta, makeDelta } from '../../../lib/sources/git/delta.ts'

test('a delta makes the target of its base again, whatever they have in common', () => {
  const part = fc.uint8Array({ maxLength: 300 })
  fc.assert(
    fc.property(part, part, part, part, (start, old, target, end) => {
      const [from, to] = [old, target].map(middle => Buffer.concat([start, middle, end])) as [Buffer, Buffer]
      assert.deepEqual(applyDelta(from, makeDelta(from, to), 1000), to)
    }),
  )
})

test('a delta of a large content that differs in one place is small', () => {
  const from = Buffer.alloc(20 << 20, 'a large folder ')
  const to = Buffer.from(from)
  to.write('changed', 17 << 20)
  const delta = makeDelta(from, to)
  assert.ok(delta.length < 3000, `${delta.length} bytes`)
  assert.ok(applyDelta(from, delta, to.length).equals(to))
})
