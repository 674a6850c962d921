import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envsubst } from '../../../lib/substitute/envsubst.ts'
import { SubstitutionError } from '../../../lib/substitute/expression.ts'
import { needsCorpus, readJson, readJsonLines } from '../../conformance/corpus.ts'

interface Case {
  readonly id?: string
  readonly input: string
  readonly vars?: string
  readonly params?: Readonly<Record<string, string>>
  readonly strict: boolean
  readonly output?: string
  readonly error?: string
}

test("KS-183..194 expands expressions as Flux's envsubst does, errors included", needsCorpus('envsubst'), () => {
  const named = readJson<Record<string, Record<string, string>>>('envsubst/vars.json')
  for (const file of ['cases', 'upstream'])
    for (const { id, input, vars = '', params, strict, output, error } of readJsonLines<Case>(
      `envsubst/${file}.jsonl`,
    )) {
      const variables = new Map(Object.entries(params ?? named[vars] ?? {}))
      const expand = () => envsubst(input, variables, { strict })
      if (output !== undefined) assert.equal(expand(), output, id ?? input)
      else if (!error?.startsWith('YAMLToJSON')) assert.throws(expand, new SubstitutionError(error ?? ''), id ?? input)
    }
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
