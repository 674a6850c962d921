import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embeddedPlatform } from '../../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { RunRecord } from '../../../lib/platform/ports/runs.ts'
import { disposableDir } from '../../bed/temp-dir.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const record = (namespace: string, startedAt: number, bytes = 10): RunRecord => ({
  ...{ namespace, startedAt, name: `run-${startedAt}`, unit: 'Kustomization/a', facts: '', repeats: 0 },
  body: Buffer.alloc(bytes, 'x'),
  expires: 1e15,
})

test('beyond its bounds a namespace, and the whole, lose their oldest runs', async () => {
  await using dir = disposableDir()
  const runBounds = { perNamespace: { runs: 5, bytes: 1000 }, bytes: 2000 }
  const platform = await embeddedPlatform(dir.path, { clock: manualClock(), runBounds })
  const { runs } = platform
  const times = async (namespace: string) =>
    (await runs.page({ namespace, limit: 100 })).map(({ startedAt }) => startedAt)

  for (let i = 1; i <= 8; i++) await runs.add(record('many', i))
  assert.deepEqual(await times('many'), [8, 7, 6, 5, 4])
  for (let i = 1; i <= 4; i++) await runs.add(record('large', i, 400))
  assert.deepEqual(await times('large'), [4, 3])
  // A replaced one counts once.
  for (let i = 0; i < 10; i++) await runs.replace(record('large', 4, 500))
  assert.deepEqual(await times('large'), [4, 3])
  for (let i = 11; i <= 14; i++) await runs.add(record(`other-${i}`, i, 400))
  assert.deepEqual(await times('many'), [8, 7, 6, 5, 4], 'the oldest of all were those of `large`')
  const left = await Promise.all(['large', 'other-11', 'other-12', 'other-13', 'other-14'].map(times))
  assert.deepEqual(left, [[], [11], [12], [13], [14]])
  await platform.close()
})
