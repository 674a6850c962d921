import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from '../../bed/command.ts'
import {
  costReport,
  costsIn,
  type FileCost,
  longestFirst,
  rememberCosts,
  rememberedCosts,
} from '../../bed/file-costs.ts'
import { tempDir } from '../../bed/temp-dir.ts'

const cost = (file: string, seconds: number, processorSeconds = seconds): FileCost => ({
  file,
  seconds,
  processorSeconds,
})

test('runs the longest files first, those that nobody has measured before them', () => {
  const costs = new Map([cost('short', 1), cost('long', 9)].map(cost => [cost.file, cost]))
  assert.deepEqual(longestFirst(['a', 'short', 'long', 'b'], costs), ['a', 'b', 'long', 'short'])
})

test('remembers what files cost when they last ran, also those that have not run since', () => {
  const path = join(tempDir(), 'cache', 'costs.jsonl')
  assert.deepEqual(rememberedCosts(path), new Map())
  rememberCosts(path, [cost('a', 1), cost('b', 2)])
  rememberCosts(path, [cost('a', 3)])
  assert.deepEqual([...rememberedCosts(path).values()], [cost('a', 3), cost('b', 2)])
})

test('shows the slowest files and the sums of all', () => {
  assert.deepEqual(costReport([cost('a', 1, 2), cost('b', 60, 7.25), cost('c', 3)], 2).split('\n'), [
    '  clock  processor',
    '   60.0 s    7.3 s  b',
    '    3.0 s    3.0 s  c',
    '   64.0 s   12.3 s  3 files',
  ])
})

test('a process reports its cost, with that of its child processes', async () => {
  const busy = 'const end = Date.now() + 200\nwhile (Date.now() < end);\n'
  const dir = tempDir({
    'busy.mjs': busy,
    'runs.mjs': `import { spawnSync } from 'node:child_process'\nspawnSync(process.execPath, ['busy.mjs'])\n`,
  })
  const costs = join(dir, 'costs.jsonl')
  const preload = join(import.meta.dirname, '../../bed/report-cost.ts')
  await command(process.execPath, ['--import', preload, 'runs.mjs'], {
    cwd: dir,
    env: { ...process.env, KEELSON_TEST_COSTS: costs },
  })
  const [told, ...others] = rememberedCosts(costs).values()
  assert.deepEqual([told?.file, others], ['runs.mjs', []])
  assert.ok(told!.seconds > 0.2 && told!.processorSeconds > 0, JSON.stringify(told))
})

test('reads no costs from nothing', () => {
  assert.deepEqual(costsIn(''), new Map())
})
