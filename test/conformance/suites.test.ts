import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { corpusFile, needsCorpus } from './corpus.ts'
import { type ConformanceSuite, resultsOf } from './suite.ts'

// Every suite of `npm run conformance`, over the recorded cases of the original tools: all of them hold.

for (const file of readdirSync(join(import.meta.dirname, 'suites'))) {
  const { suite } = (await import(`./suites/${file}`)) as { suite: ConformanceSuite }
  if (suite.slow) continue // test/cluster has a slice of it
  test(`conforms to the recorded cases of ${suite.folder}`, needsCorpus(suite.folder), async t => {
    const results = await Array.fromAsync(resultsOf(suite, corpusFile(suite.folder)))
    t.diagnostic(`${results.length} cases`)
    assert.ok(results.length > 0)
    const problems = results.filter(({ problem }) => problem !== undefined)
    assert.ok(problems.length === 0, problems.map(({ name, problem }) => `${name}\n${problem}`).join('\n\n'))
  })
}
