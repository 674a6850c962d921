import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCheckDue } from '../../../../lib/reconcile/source-artifact/store-checks.ts'

const minute = 60_000
const day = 24 * 60 * minute
const source = (uid: string) => ({ apiVersion: 'v1', kind: 'HelmChart', metadata: { name: 'a', uid }, spec: {} })

/** When a source is checked within some days, of all its reconciles, whose intervals are spread by chance. */
const checksOf = (uid: string, intervalMs: number, days: number, everyMs = day) => {
  const found: number[] = []
  let reconciles = 0
  for (
    let now = 0;
    now < days * day;
    now += intervalMs * (1 + ((reconciles % 11) - 5) / 100) + (reconciles % 2) * minute
  ) {
    reconciles++
    if (isCheckDue(source(uid), { now, intervalMs, everyMs })) found.push(now)
  }
  return { found, reconciles }
}

test('whatever its interval, a source is checked at least once a day, and seldom more than twice', () => {
  for (const intervalMs of [minute, 5 * minute, 10 * minute, 60 * minute, 7 * 60 * minute])
    for (const uid of ['a', 'b', 'c', 'd']) {
      const { found } = checksOf(uid, intervalMs, 30)
      const ofDay = (n: number) => found.filter(now => now >= n * day && now < (n + 2) * day).length
      for (let n = 0; n < 28; n++) assert.ok(ofDay(n) >= 1, `${intervalMs} ${uid}: days ${n} and ${n + 1}`)
      assert.ok(found.length <= 30 * 3, `${intervalMs} ${uid}: ${found.length}`)
    }
})

test('one whose interval is longer than that is checked in each reconcile, and so is each where checks cost nothing', () => {
  for (const [intervalMs, everyMs] of [
    [day, day],
    [10 * minute, 0],
  ] as const) {
    const { found, reconciles } = checksOf('a', intervalMs, 5, everyMs)
    assert.equal(found.length, reconciles)
  }
})

test('the checks of many sources are spread over the day', () => {
  const hours = new Set<number>()
  for (let at = 0; at < 200; at++)
    for (const now of checksOf(`source-${at}`, 10 * minute, 1).found) hours.add(Math.floor(now / (60 * minute)))
  assert.equal(hours.size, 24)
})
