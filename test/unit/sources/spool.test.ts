import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { spool } from '../../../lib/sources/spool.ts'
import { tempDir } from '../../bed/temp-dir.ts'

test('gives back what came, at any place, in memory as on disk', () => {
  const piece = fc.uint8Array({ maxLength: 50 })
  const property = fc.property(
    fc.array(piece),
    fc.nat(600),
    fc.nat(600),
    fc.nat(300),
    (pieces, start, length, most) => {
      using made = spool({ maxInMemory: most })
      for (const each of pieces) made.append(each)
      const whole = Buffer.concat(pieces)
      assert.equal(made.isOnDisk, whole.length > most)
      assert.equal(made.length, whole.length)
      assert.deepEqual(made.read(start, length), whole.subarray(start, start + length))
      assert.deepEqual(Buffer.concat([...made.pieces()]), whole)
    },
  )
  fc.assert(property)
})

test('leaves no file that anybody could find', () => {
  const directory = tempDir()
  using made = spool({ directory, maxInMemory: 10 })
  made.append(Buffer.alloc(3 << 20, 'secret'))
  assert.ok(made.isOnDisk)
  assert.deepEqual(readdirSync(directory), [])
  made.append(Buffer.from('end'))
  assert.equal(
    made
      .read((3 << 20) - 1, 10)
      .toString()
      .slice(-3),
    'end',
  )
})
