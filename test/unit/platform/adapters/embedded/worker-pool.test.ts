import assert from 'node:assert/strict'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BudgetExceeded } from '../../../../../lib/foundations/budget/budget.ts'
import {
  type WorkerPool,
  type WorkerPoolOptions,
  workerPool,
} from '../../../../../lib/platform/adapters/embedded/worker-pool.ts'
import type { OffThreadTask } from '../../../../../lib/platform/ports/off-thread.ts'
import { eventually } from '../../../../bed/eventually.ts'
import { endWithTest } from '../../../../bed/teardown.ts'

const entry = new URL('./pool-tasks.ts', import.meta.url)

const pool = (options: Partial<WorkerPoolOptions> = {}): WorkerPool => {
  const made = workerPool({ entry, size: 1, seconds: 30, megabytes: 64, ...options })
  endWithTest({ [Symbol.asyncDispose]: () => made.close() })
  return made
}

const doing = (
  name: string,
  input?: unknown,
  more: Partial<Pick<OffThreadTask, 'syncCalls' | 'asyncCalls'>> = {},
): OffThreadTask => ({ name, input, syncCalls: {}, asyncCalls: {}, ...more })

const group = 'a'

test('runs a task on another thread, which may call this one and wait, or continue', async () => {
  const workers = pool()
  assert.equal(await workers.run(doing('double', 21), { group }), 42)
  const whole = Buffer.from('not this: the text')
  const syncCalls = { read: (path: string) => (path === 'a' ? whole.subarray(10) : undefined) }
  assert.equal(await workers.run(doing('read', 'a', { syncCalls }), { group }), 'the text')
  const asyncCalls = {
    fetch: async (url: string) => {
      await sleep(url === 'slow' ? 20 : 0)
      return `got ${url}`
    },
  }
  assert.deepEqual(await workers.run(doing('fetch', ['slow', 'quick'], { asyncCalls }), { group }), [
    'got slow',
    'got quick',
  ])
})

test('errors come back as what they are: of a budget, a mistake of ours, or of the work', async () => {
  const workers = pool()
  const failing = (kind: string) => workers.run(doing('fail', kind), { group })
  await assert.rejects(failing('any'), { message: 'failed' })
  await assert.rejects(failing('mistake'), TypeError)
  await assert.rejects(
    failing('budget'),
    (error: unknown) => error instanceof BudgetExceeded && error.budget === 'steps' && error.place === 'here',
  )
  await assert.rejects(workers.run(doing('unknown'), { group }), /unknown task unknown/)
  const syncCalls = {
    read: () => {
      throw new Error('no such file')
    },
  }
  await assert.rejects(workers.run(doing('read', 'a', { syncCalls }), { group }), { message: 'no such file' })
})

test('ends a task that takes too much of the processor or of memory, and continues with the next', async () => {
  const exceeded = (budget: string) => (error: unknown) => error instanceof BudgetExceeded && error.budget === budget
  const busy = pool({ seconds: 0.2 })
  await assert.rejects(busy.run(doing('spin'), { group }), exceeded('seconds'))
  assert.equal(await busy.run(doing('double', 1), { group }), 2)
  const full = pool({ megabytes: 32 })
  await assert.rejects(full.run(doing('hoard'), { group }), exceeded('megabytes'))
  assert.equal(await full.run(doing('double', 1), { group }), 2)
})

test('a worker that a task has swollen ends when there is nothing else to do; others stay', async () => {
  const workers = pool({ megabytes: 256 })
  const small = await workers.run(doing('fill', 1), { group })
  await sleep(50)
  assert.equal(await workers.run(doing('fill', 150), { group }), small, 'the same worker stayed')
  // Another task would keep it busy: it is left alone in between, for as long as it may take to end.
  await sleep(2_000)
  await eventually(async () => assert.notEqual(await workers.run(doing('fill', 1), { group }), small), { every: 2_000 })
})

test('a worker that ends by itself fails its task alone', async () => {
  const workers = pool()
  const [ended, after] = await Promise.allSettled([
    workers.run(doing('exit'), { group }),
    workers.run(doing('double', 1), { group }),
  ])
  assert.match(String(ended.status === 'rejected' && ended.reason), /the worker ended with code 3/)
  assert.deepEqual(after, { status: 'fulfilled', value: 2 })
})

test('ends a task when its signal is aborted, before and after it began', async () => {
  const workers = pool()
  const stopping = new AbortController()
  const running = workers.run(doing('spin'), { group, signal: stopping.signal })
  const waiting = workers.run(doing('spin'), { group, signal: AbortSignal.abort(new Error('too late')) })
  setTimeout(() => stopping.abort(new Error('stopped')), 50)
  await assert.rejects(running, { message: 'stopped' })
  await assert.rejects(waiting, { message: 'too late' })
  assert.equal(await workers.run(doing('double', 1), { group }), 2)
})

test('groups take turns: one with many tasks does not hold up the others', async () => {
  const workers = pool()
  const finished: string[] = []
  const run = (of: string) => workers.run(doing('double', 1), { group: of }).then(() => finished.push(of))
  await Promise.all([run('many'), run('many'), run('many'), run('many'), run('one')])
  assert.ok(finished.indexOf('one') <= 2, finished.join())
})

test('a worker knows nothing of the environment', async () => {
  assert.deepEqual(await pool().run(doing('environment'), { group }), [])
})

test('a worker leaves the processor to the main thread where both want it', {
  skip: process.platform !== 'linux' && 'only Linux has a priority for each thread',
}, async () => {
  const own = getPriority()
  assert.equal(await pool().run(doing('priority'), { group }), Math.max(own, 5))
  assert.equal(getPriority(), own, 'the main thread keeps its own')
})
