import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Random } from '../../lib/platform/ports/random.ts'

/** What every source of chance must do. */
export function describeRandom(name: string, random: Random): void {
  describe(`random: ${name}`, () => {
    test('returns as many bytes as requested, different ones each time', () => {
      assert.equal(random.bytes(0).length, 0)
      assert.equal(random.bytes(32).length, 32)
      assert.notDeepEqual(random.bytes(32), random.bytes(32))
    })

    test('spreads fractions evenly over [0, 1)', () => {
      const buckets = new Array<number>(10).fill(0)
      for (let i = 0; i < 10_000; i++) {
        const fraction = random.fraction()
        assert.ok(fraction >= 0 && fraction < 1)
        buckets[Math.floor(fraction * 10)]! += 1
      }
      for (const count of buckets) assert.ok(count > 800 && count < 1200, buckets.join())
    })

    test('makes UUIDs of version 4, no two alike', () => {
      const uuids = Array.from({ length: 1000 }, () => random.uuid())
      assert.equal(new Set(uuids).size, 1000)
      for (const uuid of uuids)
        assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    })
  })
}
