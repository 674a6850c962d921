import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as loop } from 'node:timers/promises'
import { responseMemory } from '../../../../../lib/hub/apiserver/fairness/response-memory.ts'
import { eventLoopTurns } from '../../../../../lib/hub/apiserver/fairness/turns.ts'

const limits = { bytes: 100, bytesPerFlow: 60, waitMs: 10_000 }
const calm = { signal: new AbortController().signal }
const roomOf = (changed: Partial<typeof limits> = {}) => responseMemory({ ...limits, ...changed }, eventLoopTurns())

/** Who still waits when a test ends is refused after it. */
const refusedLater = () => {}

/** Whether a promise has been fulfilled after some turns of the event loop. */
const isDone = async (promise: Promise<unknown>): Promise<boolean> => {
  let done = false
  promise.then(() => {
    done = true
  }, refusedLater)
  for (let turn = 0; turn < 5; turn++) await loop()
  return done
}

test('a flow whose clients receive nothing starts no further long response until they do', async () => {
  const room = roomOf()
  const taken = Promise.withResolvers<void>()
  await room.enter('a', calm)
  room.hold('a', 60, taken.promise)
  const next = room.enter('a', calm)
  assert.equal(await isDone(next), false)
  assert.equal(await isDone(room.enter('b', calm)), true, 'others begin theirs')
  taken.resolve()
  assert.equal(await isDone(next), true)
})

test('of many that wait, each begins only when what the others hold leaves it room', async () => {
  const room = roomOf()
  const taken = Array.from({ length: 4 }, () => Promise.withResolvers<void>())
  const begun: number[] = []
  for (const [at, { promise }] of taken.entries())
    room.enter('a', calm).then(() => {
      begun.push(at)
      room.hold('a', 60, promise)
    }, refusedLater)
  await isDone(Promise.resolve())
  assert.deepEqual(begun, [0])
  taken[0]!.resolve()
  await isDone(Promise.resolve())
  assert.equal(begun.length, 2)
})

test('when all hold too much, a flow that holds nothing begins all the same', async () => {
  const room = roomOf()
  for (const flow of ['a', 'b']) room.hold(flow, 50, new Promise(() => {}))
  const waiting = room.enter('a', calm)
  waiting.catch(refusedLater)
  assert.equal(await isDone(waiting), false)
  assert.equal(await isDone(room.enter('c', calm)), true)
})

test('who waits too long is refused with 429, and who goes is let go', async () => {
  const room = roomOf({ waitMs: 1 })
  room.hold('a', 60, new Promise(() => {}))
  await assert.rejects(room.enter('a', calm), {
    code: 429,
    message: /clients of a have not received 60 bytes of responses/,
  })
  const going = new AbortController()
  const entering = roomOf()
  entering.hold('a', 60, new Promise(() => {}))
  const gone = entering.enter('a', { signal: going.signal })
  going.abort(new Error('the client has gone'))
  await assert.rejects(gone, /the client has gone/)
})
