import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { rotatingFile } from '../../../lib/platform/adapters/embedded/rotating-file.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { disposableDir } from '../../bed/temp-dir.ts'

const start = Date.parse('2026-11-27T12:00:00.000Z')
const minute = 60_000

const world = () => {
  const { path: folder } = endWithTest(disposableDir())
  let now = start
  return {
    folder,
    path: join(folder, 'logs', 'audit.log'),
    clock: { now: () => now },
    pass: (ms: number) => (now += ms),
    names: () => readdirSync(join(folder, 'logs')).sort(),
    lines: (name: string) =>
      readFileSync(join(folder, 'logs', name), 'utf8')
        .split('\n')
        .slice(0, -1),
  }
}

test('appends lines to a file that only its owner reads, also to one of an earlier process', () => {
  const { path, clock, lines, names } = world()
  const rotation = { maxBytes: 1000, maxBackups: 0, maxAgeMs: 0 }
  for (const line of ['one', 'two']) {
    const file = rotatingFile(path, rotation, clock)
    file.append(line)
    file.close()
  }
  assert.deepEqual(names(), ['audit.log'])
  assert.deepEqual(lines('audit.log'), ['one', 'two'])
  assert.equal(statSync(path).mode & 0o777, 0o600)
})

test('puts a file aside before it grows over its size, under the time', () => {
  const { path, clock, lines, names, pass } = world()
  const file = rotatingFile(path, { maxBytes: 10, maxBackups: 0, maxAgeMs: 0 }, clock)
  for (const line of ['1234', '5678', 'abcd', 'a line that is longer than a file may be', 'z']) {
    file.append(line)
    pass(minute)
  }
  assert.deepEqual(names(), [
    'audit-2026-11-27T12-02-00.000.log',
    'audit-2026-11-27T12-03-00.000.log',
    'audit-2026-11-27T12-04-00.000.log',
    'audit.log',
  ])
  assert.deepEqual(lines('audit-2026-11-27T12-02-00.000.log'), ['1234', '5678'])
  assert.deepEqual(lines('audit.log'), ['z'])
  file.close()
})

test('keeps as many as it may, as long as it may', () => {
  const { path, clock, names, pass } = world()
  const few = rotatingFile(path, { maxBytes: 1, maxBackups: 2, maxAgeMs: 0 }, clock)
  for (let at = 0; at < 6; at++) {
    few.append('x')
    pass(minute)
  }
  few.close()
  assert.deepEqual(names(), ['audit-2026-11-27T12-04-00.000.log', 'audit-2026-11-27T12-05-00.000.log', 'audit.log'])
  const young = rotatingFile(path, { maxBytes: 1, maxBackups: 0, maxAgeMs: 10 * minute }, clock)
  pass(8 * minute + 1)
  young.append('x')
  assert.deepEqual(names(), ['audit-2026-11-27T12-05-00.000.log', 'audit-2026-11-27T12-14-00.001.log', 'audit.log'])
  young.close()
})
