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

test('an operand that turns out empty is an operand all the same', () => {
  const variables = new Map([
    ['S', 'abcabc'],
    ['EMPTY', ''],
  ])
  const expand = (text: string) => envsubst(text, variables, { strict: true })
  assert.equal(expand('${S/#abc/${EMPTY}} ${S/%abc/${EMPTY}} ${S/#abc/}'), 'abc abc abcabc')
  assert.equal(expand('${S:1:${EMPTY}} ${S:99999999999999999999}'), 'abcabc abcabc')
})

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

test('refuses results that outgrow memory', () => {
  const variables = new Map([['BIG', 'x'.repeat(1_000_000)]])
  const expand = (text: string) => () => envsubst(text, variables, { strict: true })
  assert.throws(expand('${BIG}'.repeat(1_000)), /the result is longer than/)
  assert.throws(expand('${A:=${BIG}${BIG}}'.repeat(1_000)), /the result is longer than/)
  assert.throws(expand('${BIG//x/${BIG}}'), /the replacements are too long/)
})
