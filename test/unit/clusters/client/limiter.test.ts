import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limiter } from '../../../../lib/clusters/client/limiter.ts'

test('runs so many tasks at a time, in the order they came, failures or not', async () => {
  const limited = limiter(2)
  let running = 0
  let most = 0
  const started: number[] = []
  const task = (index: number) => async () => {
    started.push(index)
    most = Math.max(most, ++running)
    await new Promise(setImmediate)
    running--
    if (index % 3 === 0) throw new Error(`${index}`)
    return index
  }
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, index) => limited(task(index))))
  assert.deepEqual([most, running, started], [2, 0, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]])
  assert.deepEqual(
    results.map(({ status }) => status === 'fulfilled'),
    results.map((_, index) => index % 3 !== 0),
  )
})

test('a task that is called off leaves the line, and its place goes to the next', async () => {
  const limited = limiter(1)
  const first = Promise.withResolvers<void>()
  const running = limited(() => first.promise)
  const caller = new AbortController()
  const waiting = limited(async () => 'never', caller.signal)
  const next = limited(async () => 'next')
  caller.abort(new Error('called off'))
  await assert.rejects(waiting, /called off/)
  first.resolve()
  await running
  assert.equal(await next, 'next')
  await assert.rejects(
    limited(async () => 'never', caller.signal),
    /called off/,
  )
})
