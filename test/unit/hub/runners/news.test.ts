/** When runners ask, where something wakes them: alone, and 2,000 of them in virtual time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createNews } from '../../../../lib/hub/runners/news.ts'
import { heldMs, waitingPace } from '../../../../lib/hub/runners/pace.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'
import { seededRandom } from '../../../e2e/seeded-random.ts'

const { pollAfterMs, leaseMs } = waitingPace
const [pollMs, minute] = [2_000, 60_000]

/** A runner of a hub that hands out WakeUps; `woken` and `fails` say how its next waits end. */
const scene = () => {
  const clock = manualClock()
  const it = { woken: false, fails: false, waits: [] as string[], errors: 0 }
  const news = createNews(
    {
      clock,
      random: { fraction: () => 0.5 },
      log: { error: () => void it.errors++ },
      waitFor: async wakeUp => {
        it.waits.push('url' in wakeUp ? wakeUp.url : `held ${wakeUp.seen}`)
        if (it.fails) throw new Error('sqs.eu-west-1.amazonaws.com responds with status 403')
        await clock.sleep('url' in wakeUp ? 20_000 : wakeUp.heldMs)
        return it.woken
      },
    },
    pollMs,
  )
  const signal = new AbortController().signal
  /** Waits once; returns how long that took. */
  const wait = async (): Promise<number> => {
    const before = clock.monotonic()
    let isOver = false
    const waiting = news.wait(signal).then(() => {
      isOver = true
    })
    while (!isOver) await clock.advance(100)
    await waiting
    return clock.monotonic() - before
  }
  return Object.assign(it, { news, wait, clock })
}

test('a hub that wakes no one is asked every few seconds', async () => {
  const { news, wait } = scene()
  assert.ok(news.isDue() && news.wants().waits)
  news.polled(undefined)
  assert.ok(!news.isDue())
  assert.equal(Math.round((await wait()) / 1000), 2)
  assert.ok(news.isDue())
})

test('a runner that waits asks when it is woken, and before its lease ends in any case', async () => {
  const it = scene()
  it.news.polled({ url: 'one', pollAfterMs })
  assert.equal(Math.round((await it.wait()) / 1000), 20)
  assert.ok(!it.news.isDue() && !it.news.wants().waits)
  it.woken = true
  await it.wait()
  assert.ok(it.news.isDue())
  assert.deepEqual(it.news.wants(), { waits: false, renews: false }, 'the URL is still good')
  it.news.polled(undefined)
  it.woken = false
  const began = it.clock.monotonic()
  while (!it.news.isDue()) await it.wait()
  assert.deepEqual(it.news.wants(), { waits: true, renews: true })
  const afterMs = it.clock.monotonic() - began
  assert.ok(afterMs > 10 * minute && afterMs < leaseMs, `${afterMs} ms`)
  it.news.polled({ url: 'two', pollAfterMs })
  await it.wait()
  assert.equal(it.waits.at(-1), 'two')
  while (!it.news.isDue()) await it.wait()
  assert.deepEqual(it.news.wants(), { waits: true, renews: false }, 'every second time the copy is compared')
})

test('a runner that can not wait asks for another URL, more and more rarely, down to once a minute, until it can', async () => {
  const it = scene()
  it.fails = true
  const pauses: number[] = []
  for (let time = 0; time < 8; time++) {
    it.news.polled({ url: 'closed', pollAfterMs })
    pauses.push(Math.round((await it.wait()) / 1000))
    assert.deepEqual([it.news.isDue(), it.news.wants()], [true, { waits: true, renews: false }])
  }
  assert.deepEqual(pauses, [4, 8, 16, 32, 60, 60, 60, 60])
  assert.equal(it.errors, 8)
  it.fails = false
  it.news.polled({ url: 'open', pollAfterMs })
  await it.wait()
  assert.ok(!it.news.isDue())
})

test('a hub that does not respond is asked with pauses, not at the place where it wakes', async () => {
  const it = scene()
  it.news.polled({ url: 'one', pollAfterMs })
  assert.deepEqual([it.news.failed(), it.news.failed()], [1, 2])
  assert.equal(Math.round((await it.wait()) / 1000), 8)
  assert.deepEqual(it.waits, [])
})

test('a runner that waits in a request has its copy compared after each, woken or not', async () => {
  const it = scene()
  for (const [seen, woken] of [true, false, false].entries()) {
    assert.deepEqual(it.news.wants(), { waits: true, renews: false })
    it.news.polled({ seen, heldMs })
    it.woken = woken
    assert.equal(Math.round((await it.wait()) / 1000), 10)
    assert.ok(it.news.isDue())
  }
  assert.deepEqual(it.waits, ['held 0', 'held 1', 'held 2'])
})

test('a runner whose requests are not held, as by a proxy that ends them, polls every few seconds, and says so once', async () => {
  const it = scene()
  it.fails = true
  const pauses: number[] = []
  for (let seen = 0; seen < 5; seen++) {
    it.news.polled({ seen, heldMs })
    pauses.push(Math.round((await it.wait()) / 1000))
    assert.deepEqual([it.news.isDue(), it.news.wants()], [true, { waits: true, renews: false }])
  }
  assert.deepEqual([pauses, it.errors], [[2, 2, 2, 2, 2], 1])
})

/** Of a wait that nothing ends: three times that of SQS, for fewer steps. */
const waitMs = minute

/**
 * Runners of a hub that wakes them, in virtual time: the API is away for `outageMs` after 20 minutes, and at its end all of them are woken, as by a push
 * that concerns everyone. Returns the number of requests to the API in each second.
 */
const requestsOf = async (runners: number, outageMs: number, wokenAt?: number): Promise<readonly number[]> => {
  const random = seededRandom(runners)
  const fraction = () => random.below(1_000_000) / 1_000_000
  const [from, until] = [20 * minute, 20 * minute + outageMs]
  const end = until + 30 * minute
  const counts: number[] = new Array(Math.ceil(end / 1000) + 100).fill(0)
  const run = async (): Promise<void> => {
    let time = fraction() * pollAfterMs
    let woken = wokenAt
    const sleep = async (ms: number): Promise<void> => {
      time += ms
    }
    const clock = { monotonic: () => time, sleep }
    const waitFor = async (): Promise<boolean> => {
      const isWoken = woken !== undefined && time < woken && time + waitMs >= woken
      time = isWoken ? woken! : time + waitMs
      if (isWoken) woken = undefined
      return isWoken
    }
    const news = createNews({ clock, random: { fraction }, log: { error: () => {} }, waitFor }, pollMs)
    const signal = new AbortController().signal
    while (time < end) {
      if (news.isDue()) {
        counts[Math.floor(time / 1000)]!++
        if (time >= from && time < until) news.failed()
        else news.polled(news.wants().waits ? { url: 'place', pollAfterMs } : undefined)
      }
      await news.wait(signal)
    }
  }
  await Promise.all(Array.from({ length: runners }, run))
  return counts
}

const peak = (counts: readonly number[], fromMs: number, untilMs: number): number =>
  Math.max(...counts.slice(fromMs / 1000, untilMs / 1000))

test('2,000 runners that wait come back after an outage of the API without a storm, and spread again', async () => {
  const outageMs = 30 * minute
  const counts = await requestsOf(2_000, outageMs)
  const atRest = counts.slice(0, 1200).reduce((sum, count) => sum + count, 0) / 1200
  assert.ok(atRest > 2 && atRest < 5, `${atRest} requests a second at rest`)
  const back = 20 * minute + outageMs
  // Each asks once within its pause, of a minute and a quarter at most: some forty in a second, and more by chance.
  const worst = peak(counts, back, back + 30 * minute)
  assert.ok(worst < 80, `${worst} in a second`)
  const later = peak(counts, back + 10 * minute, back + 30 * minute)
  assert.ok(later < 40, `${later} in a second ten minutes later`)
})

test('a push that concerns everyone is asked for by each runner once', async () => {
  const wokenAt = 25 * minute
  const counts = await requestsOf(2_000, 0, wokenAt)
  const inTime = counts.slice(wokenAt / 1000, wokenAt / 1000 + 2).reduce((sum, count) => sum + count, 0)
  assert.ok(inTime >= 2_000 && inTime < 2_050, `${inTime} requests within two seconds`)
})
