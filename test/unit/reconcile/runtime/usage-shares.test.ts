import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { usageShares } from '../../../../lib/reconcile/runtime/usage-shares.ts'

test('what a process uses is divided among the work that runs at the time', () => {
  let now = 0
  const consumed = { readUnits: 0, writeUnits: 0 }
  const shares = usageShares({ monotonic: () => now }, { consumed: () => consumed, memoryGb: 2 })
  const use = (ms: number, writeUnits: number): void => {
    now += ms
    consumed.writeUnits += writeUnits
  }
  use(100, 7) // nothing runs: this belongs to no one
  const endFirst = shares.begin()
  use(10, 4)
  const endSecond = shares.begin()
  use(20, 6)
  assert.deepEqual(endFirst(), { readUnits: 0, writeUnits: 4 + 3, gbMs: 2 * (10 + 10) })
  use(5, 1)
  const second = { readUnits: 0, writeUnits: 3 + 1, gbMs: 2 * (10 + 5) }
  assert.deepEqual(endSecond(), second)
  use(50, 50)
  assert.deepEqual(endSecond(), second, 'work ends once')
})

test('the shares of all work make up what was used while any ran', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ ms: fc.nat(50), units: fc.nat(9), ends: fc.boolean() })), steps => {
      let now = 0
      const consumed = { readUnits: 0, writeUnits: 0 }
      const shares = usageShares({ monotonic: () => now }, { consumed: () => consumed, memoryGb: 1 })
      const running: (() => { readonly readUnits: number; readonly gbMs: number })[] = []
      const whole = { readUnits: 0, gbMs: 0 }
      const sums = { readUnits: 0, gbMs: 0 }
      const end = (): void => {
        const { readUnits, gbMs } = running.shift()!()
        sums.readUnits += readUnits
        sums.gbMs += gbMs
      }
      for (const { ms, units, ends } of steps) {
        now += ms
        consumed.readUnits += units
        if (running.length > 0) {
          whole.readUnits += units
          whole.gbMs += ms
        }
        if (ends && running.length > 0) end()
        else running.push(shares.begin())
      }
      while (running.length > 0) end()
      assert.ok(Math.abs(sums.readUnits - whole.readUnits) < 1e-6 && Math.abs(sums.gbMs - whole.gbMs) < 1e-6)
    }),
  )
})

test('without a meter, only time and requests are known', () => {
  assert.deepEqual(usageShares({ monotonic: () => 5 }, undefined).begin()(), { readUnits: 0, writeUnits: 0, gbMs: 0 })
})
