import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fairSeats } from '../../../../../lib/hub/apiserver/fairness/fair-seats.ts'

const limits = { seats: 4, perFlow: 2, queued: 3, queuedTotal: 5, waitMs: 2_000 }
const request = (signal = new AbortController().signal) => ({ signal })
const refused = { code: 429, reason: 'TooManyRequests', details: { retryAfterSeconds: 1 } }
const settled = () => new Promise(resolve => setImmediate(resolve))

test('one flow never has more seats than its share, while others take the rest', async () => {
  const seats = fairSeats(limits)
  await seats.take('a', 1, request())
  await seats.take('a', 1, request())
  let isSeated = false
  seats.take('a', 1, request()).then(
    () => (isSeated = true),
    () => {},
  )
  const leave = await seats.take('b', 1, request())
  await seats.take('b', 1, request())
  leave()
  await settled()
  assert.equal(isSeated, false)
})

test('flows take turns, however many requests of one wait', async () => {
  const seats = fairSeats({ ...limits, seats: 1, perFlow: 1 })
  const leave = await seats.take('first', 1, request())
  const order: string[] = []
  const work = async (flow: string) => {
    const done = await seats.take(flow, 1, request())
    order.push(flow)
    done()
  }
  const all = ['busy', 'busy', 'busy', 'calm'].map(work)
  leave()
  await Promise.all(all)
  assert.deepEqual(order, ['busy', 'calm', 'busy', 'busy'])
})

test('a wide request waits for as many seats as it takes, and is not passed over by narrow ones', async () => {
  const seats = fairSeats({ ...limits, perFlow: 4 })
  const leaves = [await seats.take('a', 1, request()), await seats.take('b', 2, request())]
  const order: string[] = []
  const wide = seats.take('c', 9, request()).then(leave => {
    order.push('wide')
    leave()
  })
  const narrow = seats.take('c', 1, request()).then(() => order.push('narrow'))
  for (const leave of leaves) leave()
  await Promise.all([wide, narrow])
  assert.deepEqual(order, ['wide', 'narrow'])
})

test('refuses with 429 and Retry-After when too many wait, of one flow or in all', async () => {
  const seats = fairSeats(limits)
  const waiting = (flow: string, count: number) => {
    for (let at = 0; at < count; at++) seats.take(flow, 1, request()).catch(() => {})
  }
  waiting('a', 2 + 3)
  await assert.rejects(seats.take('a', 1, request()), { ...refused, message: /a has 2 of 2 seats and 3 requests wait/ })
  waiting('b', 2 + 2)
  await assert.rejects(seats.take('b', 1, request()), refused)
  await assert.rejects(seats.take('c', 1, request()), refused)
})

test('refuses who has waited too long, and forgets who has gone', async () => {
  const seats = fairSeats({ ...limits, seats: 1, perFlow: 1, waitMs: 20 })
  const leave = await seats.take('a', 1, request())
  await assert.rejects(seats.take('b', 1, request()), { ...refused, message: /no seat became free for b in 0.02 s/ })
  const gone = new AbortController()
  const waiting = seats.take('b', 1, request(gone.signal))
  gone.abort(new Error('gone'))
  await assert.rejects(waiting, /gone/)
  leave()
  leave()
  const next = await seats.take('c', 1, request())
  await assert.rejects(seats.take('d', 1, request()), refused, 'a seat given back twice counts once')
  next()
  await seats.take('d', 1, request())
})
