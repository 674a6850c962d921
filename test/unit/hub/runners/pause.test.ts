import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pauseMs } from '../../../../lib/hub/runners/pause.ts'
import { seededRandom } from '../../../e2e/seeded-random.ts'

const pollMs = 2_000

/**
 * Runners that poll, in virtual time: the hub is away from 60 s on for `outageMs`, and a request then fails after `failMs`. Returns the number of
 * requests in each second.
 */
const requestsOf = (runners: number, outageMs: number, failMs: number): readonly number[] => {
  const random = seededRandom(2_000)
  const fraction = () => random.below(1_000_000) / 1_000_000
  const [from, until] = [60_000, 60_000 + outageMs]
  const counts: number[] = new Array(Math.ceil((until + 180_000) / 1000)).fill(0)
  for (let runner = 0; runner < runners; runner++) {
    let failures = 0
    for (let at = fraction() * pollMs; at < until + 180_000; ) {
      counts[Math.floor(at / 1000)]!++
      const isAway = at >= from && at < until
      failures = isAway ? failures + 1 : 0
      at += (isAway ? failMs : 0) + pauseMs(pollMs, failures, fraction())
    }
  }
  return counts
}

const peak = (counts: readonly number[], from: number, until: number): number =>
  Math.max(...counts.slice(from / 1000, until / 1000))

test('2,000 runners come back after an outage without a storm: never more requests in a second than they send at rest', () => {
  const atRest = peak(requestsOf(2_000, 0, 0), 10_000, 60_000)
  assert.ok(atRest > 900 && atRest < 1_300, `${atRest} requests a second at rest`)
  for (const outageMs of [5_000, 60_000, 600_000, 3_600_000])
    for (const failMs of [0, 10_000]) {
      const counts = requestsOf(2_000, outageMs, failMs)
      const back = 60_000 + outageMs
      const worst = peak(counts, back, back + 180_000)
      assert.ok(worst <= 1.1 * atRest, `${worst} in a second after ${outageMs} ms`)
      const before = peak(counts, back - 60_000, back)
      if (outageMs >= 600_000) assert.ok(before < 70, `${before} in a second while it is away`)
    }
})

test('pauses double up to a minute, a quarter more or less', () => {
  assert.deepEqual(
    [0, 1, 2, 5, 50].map(failures => [0, 1].map(fraction => pauseMs(pollMs, failures, fraction))),
    [
      [1_500, 2_500],
      [3_000, 5_000],
      [6_000, 10_000],
      [45_000, 75_000],
      [45_000, 75_000],
    ],
  )
})
