import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readIndex, readIndexAsJson } from '../../../../lib/reconcile/heavy-work/chart-index.ts'
import { helmLimits } from '../../../../lib/sources/helm/helm-limits.ts'
import { workers } from './workers.ts'

const options = { group: 'default' }

test('a large index of charts off the thread is read as on it', async () => {
  const version = (chart: number, patch: number) =>
    `  - {apiVersion: v2, name: c${chart}, version: 1.0.${patch}, description: some words about it, urls: [c${chart}-1.0.${patch}.tgz]}\n`
  const entries = Array.from(
    { length: 100 },
    (_, chart) => `  c${chart}:\n${Array.from({ length: 20 }, (_, patch) => version(chart, patch)).join('')}`,
  )
  const content = Buffer.from(`apiVersion: v1\ngenerated: "2026-01-01T00:00:00Z"\nentries:\n${entries.join('')}`)
  const [here, there] = [{ limits: helmLimits }, { limits: helmLimits, offThread: workers() }]
  const { index, json } = await readIndexAsJson(content, here, options)
  assert.equal(index.entries.size, 100)
  assert.deepEqual(await readIndexAsJson(content, there, options), { index: { entries: index.entries }, json })
  const stored = Buffer.from(json)
  assert.deepEqual(await readIndex(stored, there, options), await readIndex(stored, here, options))
  for (const bad of ['apiVersion: ""\n', 'apiVersion: v1\nunknown: 1\n', 'a: [\n'].map(
    text => text + '#\n'.repeat(90_000),
  ))
    await assert.rejects(
      readIndex(Buffer.from(bad), there, options),
      (await readIndex(Buffer.from(bad), here, options).catch(({ name, message }) => ({ name, message }))) as object,
    )
})
