import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wakeUps } from '../../../../lib/platform/adapters/wake-ups.ts'

const open = new AbortController().signal

test('wakes all sleepers of a topic, and no others', async () => {
  const { sleep, wake, wakeAll } = wakeUps()
  const woken: string[] = []
  const sleepers = ['a', 'a', 'b'].map((topic, i) => sleep(topic, open).then(() => woken.push(`${topic}${i}`)))
  wake('a')
  await Promise.all(sleepers.slice(0, 2))
  assert.deepEqual(woken, ['a0', 'a1'])
  wakeAll()
  await sleepers[2]
  assert.deepEqual(woken, ['a0', 'a1', 'b2'])
})

test('sleeps no longer than requested, or until its signal aborts', async () => {
  const { sleep } = wakeUps()
  await sleep('a', open, 1)
  await sleep('a', AbortSignal.abort())
  const stop = new AbortController()
  const sleeper = sleep('a', stop.signal, 2 ** 31 - 1)
  stop.abort()
  await sleeper
})

test('a sleeper that comes while others wake is woken the next time', async () => {
  const { sleep, wake } = wakeUps()
  const first = sleep('a', open)
  wake('a')
  const second = sleep('a', open)
  await first
  wake('a')
  await second
})
