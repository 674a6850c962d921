import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoadMonitor } from '../../../lib/cli/load-monitor.ts'

const verdicts = (...shares: readonly number[]) => shares.map(createLoadMonitor())

test('a hub is busy after three busy seconds in a row, and not before', () => {
  assert.deepEqual(verdicts(0.9, 0.9, 0.9, 0.9), [undefined, undefined, 'busy', undefined])
  assert.deepEqual(verdicts(1, 1, 0.2, 1, 1, 0.7), Array(6).fill(undefined))
})

test('it is at rest after ten quiet seconds in a row', () => {
  const quiet = (count: number): number[] => Array(count).fill(0.1)
  const said = verdicts(1, 1, 1, ...quiet(9), 1, ...quiet(10), 1, 1, 1)
  const changes = said.flatMap((verdict, at) => (verdict ? [`${at} ${verdict}`] : []))
  assert.deepEqual(changes, ['2 busy', '22 at rest', '25 busy'])
})
