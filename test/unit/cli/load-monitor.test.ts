import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLoadMonitor, processorUsed } from '../../../lib/cli/load-monitor.ts'

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

test('a process uses what it is given of a processor since the last time', () => {
  const readings = [
    { at: 0, user: 5e6, system: 1e6 },
    { at: 1_000, user: 5.25e6, system: 1.5e6 },
    { at: 3_000, user: 5.25e6, system: 1.5e6 },
  ]
  const used = processorUsed(
    () => readings[0]!,
    () => readings.shift()!.at,
  )
  assert.deepEqual([used(), used()], [0.75, 0])
})
