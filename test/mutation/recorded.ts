/** The recorded cases of the original tools, for rooms whose unit tests do not run them themselves; KEELSON_SUITE names the suite. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { corpusFile } from '../conformance/corpus.ts'
import type { ConformanceSuite } from '../conformance/suite.ts'

const { suite } = (await import(`../conformance/suites/${process.env.KEELSON_SUITE}.ts`)) as { suite: ConformanceSuite }

test(`conforms to the recorded cases of ${suite.folder}`, async () => {
  for await (const { name, problem } of suite.run(corpusFile(suite.folder))) assert.equal(problem, undefined, name)
})
