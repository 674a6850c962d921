import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envsubst } from '../../../lib/substitute/envsubst.ts'
import { corpusFile, needsCorpus } from '../../conformance/corpus.ts'
import { suite } from '../../conformance/suites/envsubst.ts'

test(
  "KS-183..194, KS-203 expands expressions as Flux's envsubst does, errors included",
  needsCorpus('envsubst'),
  async () => {
    const results = await Array.fromAsync(suite.run(corpusFile('envsubst')))
    assert.deepEqual(
      results.filter(({ problem }) => problem),
      [],
    )
  },
)

test('takes time in proportion to its input, whatever the pattern', () => {
  const variables = new Map([['A', 'a'.repeat(20_000)]])
  const started = performance.now()
  assert.equal(envsubst(`\${A##${'*a'.repeat(20)}b}`, variables, { strict: true }).length, 20_000)
  assert.ok(performance.now() - started < 5_000)
})

test('refuses expressions nested too deeply', () => {
  const nested = `${'${A:='.repeat(5_000)}x${'}'.repeat(5_000)}`
  assert.throws(() => envsubst(nested, new Map(), { strict: true }), /nested too deeply/)
})
