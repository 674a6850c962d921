import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { tempDir } from '../bed/temp-dir.ts'
import { corpusFile, needsCorpus } from './corpus.ts'
import { type ConformanceSuite, resultsOf } from './suite.ts'

// Every suite of `npm run conformance`, over the recorded cases of the original tools: all of them hold.

for (const file of readdirSync(join(import.meta.dirname, 'suites'))) {
  const { suite } = (await import(`./suites/${file}`)) as { suite: ConformanceSuite }
  if (suite.slow) continue // test/cluster has a slice of it
  if (suite.tellsProgress) continue // test/unit/docs/checklist.test.ts holds what is shown
  test(`conforms to the recorded cases of ${suite.folder}`, needsCorpus(suite.folder), async t => {
    const results = await Array.fromAsync(resultsOf(suite, corpusFile(suite.folder)))
    t.diagnostic(`${results.length} cases`)
    assert.ok(results.length > 0)
    const problems = results.filter(({ problem }) => problem !== undefined)
    assert.ok(problems.length === 0, problems.map(({ name, problem }) => `${name}\n${problem}`).join('\n\n'))
  })
}

test('a part that a corpus lacks and a case that breaks off are reported, and the others are run', async () => {
  const problems = async (suite: ConformanceSuite) =>
    (await Array.fromAsync(resultsOf(suite, tempDir()))).map(
      ({ name, problem }) => `${name}: ${problem?.trim().split('\n')[0] ?? 'holds'}`,
    )
  const good = () => ({ name: 'good' })
  const broken = () => {
    throw new Error('no list')
  }
  const lacking = (directory: string) => readdirSync(join(directory, 'lacking')).map(() => good)
  const suite = { folder: 'x', cases: () => [broken, good], parts: [lacking], casesWithPrograms: () => [good] }
  assert.deepEqual(
    (await problems(suite)).map(line => line.replace(/ENOENT.*/, 'ENOENT')),
    [
      'case 1: the case broke off: Error: no list',
      'good: holds',
      "the cases after 0: can't be read: ENOENT",
      'good: holds',
    ],
  )
})

test('a folder with one recorded case of Helm runs that case', async () => {
  const { suite } = (await import('./suites/helm.ts')) as { suite: ConformanceSuite }
  const directory = tempDir()
  const recorded = { id: 'empty', files: {}, flags: [], helm4: { error: 'no chart' } }
  writeFileSync(join(directory, 'package.jsonl'), JSON.stringify(recorded))
  const [first, ...lacking] = await Array.fromAsync(resultsOf(suite, directory))
  assert.deepEqual(first, { name: 'empty' })
  for (const { problem } of lacking) assert.match(problem!, /can't be read: ENOENT.*index-fixtures/)
})
