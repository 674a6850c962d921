import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTests, oneSummary, type Summary, type TestEvent } from '../../bed/one-summary.ts'

const pass = (name: string): TestEvent => ({ type: 'test:pass', data: { name, nesting: 0 } })

const summary = (success: boolean, counts: Partial<Summary['counts']>): TestEvent => ({
  type: 'test:summary',
  data: { success, counts: { ...noTests, ...counts }, duration_ms: 2 },
})

async function* processes(...ended: readonly (readonly TestEvent[])[]) {
  yield* ended
}

test('adds up the summaries of several processes and puts the sums at the end, with the time that they took together', async () => {
  const events = await Array.fromAsync(
    oneSummary(
      processes(
        [pass('a'), summary(true, { tests: 1, passed: 1 })],
        [pass('b'), summary(false, { tests: 3, passed: 1, failed: 2, suites: 1 })],
      ),
      () => 2.5,
    ),
  )
  assert.deepEqual(events.slice(0, 2), [pass('a'), pass('b')])
  assert.deepEqual(
    events.slice(2, -1).map(({ data }) => (data as { message: string }).message),
    ['tests 4', 'suites 1', 'pass 2', 'fail 2', 'cancelled 0', 'skipped 0', 'todo 0', 'duration_ms 2.5'],
  )
  const counts = { ...noTests, tests: 4, passed: 2, failed: 2, suites: 1 }
  assert.deepEqual(events.at(-1), { type: 'test:summary', data: { success: false, counts, duration_ms: 2.5 } })
})

test('is a success of nothing where nothing ran', async () => {
  const events = await Array.fromAsync(oneSummary(processes(), () => 0))
  assert.deepEqual(events.at(-1), { type: 'test:summary', data: { success: true, counts: noTests, duration_ms: 0 } })
})
