/** The recorded cases of the original tools, for rooms whose unit tests do not run them themselves; KEELSON_SUITE names the suite. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corpusFile } from '../conformance/corpus.ts'
import type { ConformanceSuite } from '../conformance/suite.ts'

const { suite } = (await import(`../conformance/suites/${process.env.KEELSON_SUITE}.ts`)) as { suite: ConformanceSuite }

// A test for each, so that a change is only held against those that come to it.
let number = 0
for await (const run of suite.cases(corpusFile(suite.folder)))
  test(`conforms to recorded case ${++number} of ${suite.folder}`, async () => {
    const { name, problem } = await run()
    assert.equal(problem, undefined, name)
  })
