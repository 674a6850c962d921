import assert from 'node:assert/strict'
import { test } from 'node:test'
import { followChanges } from '../../../lib/console/api/follow-changes.ts'

test('a connection that nothing comes of is given up after ten seconds, one that fell silent after forty', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const page = new AbortController()
  const heard: string[] = []
  const waits: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()]
  let attempts = 0
  const api = {
    /** The first says nothing, the second one line; then the page is closed. */
    async *lines(_path: string, signal: AbortSignal) {
      const attempt = attempts++
      if (attempt === 1) yield 'hello'
      if (attempt === 2) return page.abort()
      waits[attempt]!.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
  }
  const following = followChanges({
    api,
    paths: ['/apis/a'],
    onChange: () => heard.push('change'),
    onConnection: connection => heard.push(connection),
    onRefused: () => heard.push('refused'),
    sleep: async () => {},
    signal: page.signal,
  })
  await waits[0]!.promise
  t.mock.timers.tick(9_999)
  assert.deepEqual(heard, [])
  t.mock.timers.tick(1)
  await waits[1]!.promise
  assert.deepEqual(heard, ['broken', 'live', 'change'])
  t.mock.timers.tick(39_999)
  assert.equal(attempts, 2)
  t.mock.timers.tick(1)
  await following
  assert.deepEqual(heard, ['broken', 'live', 'change', 'broken'])
})
