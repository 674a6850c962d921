import assert from 'node:assert/strict'
import { test } from 'node:test'
import { oneSummary, type TestEvent } from '../../bed/one-summary.ts'

const line = (message: string, more: object = {}): TestEvent => ({
  type: 'test:diagnostic',
  data: { nesting: 0, message, level: 'info', ...more },
})
const pass = (name: string): TestEvent => ({ type: 'test:pass', data: { name, nesting: 0 } })

async function* stream<T>(...items: T[]) {
  yield* items
}

test('adds up the summaries of several runs and puts the sums at the end', async () => {
  const runs = stream(
    stream(pass('a'), line('tests 1'), line('pass 1'), line('fail 0'), line('duration_ms 1.5')),
    stream(pass('b'), line('tests 3'), line('pass 1'), line('fail 2'), line('duration_ms 2.25')),
  )
  assert.deepEqual(await Array.fromAsync(oneSummary(runs)), [
    pass('a'),
    pass('b'),
    line('tests 4'),
    line('pass 2'),
    line('fail 2'),
    line('duration_ms 3.75'),
  ])
})

test('lists failures once, at the end: what a run says of itself is held back, what it says of a file is not', async () => {
  const summary = (success: boolean, tests: number, file?: string): TestEvent => ({
    type: 'test:summary',
    data: { success, counts: { tests, passed: 1 }, duration_ms: 2, ...(file && { file }) },
  })
  const runs = stream(
    stream(summary(false, 1, '/a.test.ts'), line('tests 1'), summary(false, 1)),
    stream(summary(true, 3)),
  )
  assert.deepEqual(await Array.fromAsync(oneSummary(runs)), [
    summary(false, 1, '/a.test.ts'),
    line('tests 1'),
    { type: 'test:summary', data: { success: false, counts: { tests: 4, passed: 2 }, duration_ms: 4 } },
  ])
})

test('leaves the output of tests unchanged, even if it resembles a summary', async () => {
  const said = [line('tests 9', { file: '/a.test.ts' }), line('tests 9', { nesting: 1 }), line('tests nothing')]
  assert.deepEqual(await Array.fromAsync(oneSummary(stream(stream(...said)))), said)
})
