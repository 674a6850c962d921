import assert from 'node:assert/strict'
import { test } from 'node:test'
import { slugifier } from '../../lib/engines/template/functions/slugify.ts'
import { hasTemplateOracle, templateOracle } from '../bed/template-oracle.ts'
import { transliterations } from '../bed/transliterations.ts'
import { functionCalls } from './function-calls.ts'
import { differenceFromGo } from './template-difference.ts'
import { generatedTemplate } from './templates.ts'

const skip =
  hasTemplateOracle() || process.env.CI
    ? false
    : "Go's text/template is not built yet: npm run fuzz -- template builds it"

const runs = Number(process.env.KEELSON_TEMPLATE_RUNS ?? 500)

for (const functions of ['resourceset', 'sprig'] as const)
  test(`templates with the functions of ${functions} print or fail as Go's text/template`, { skip }, async () => {
    await using oracle = await templateOracle()
    const tally = { rendered: 0, failed: 0 }
    for (let seed = 0; seed < runs; seed++)
      assert.equal(await differenceFromGo(oracle, generatedTemplate(seed, functions), tally), undefined)
    assert.ok(tally.rendered > runs / 3, `most templates failed: ${JSON.stringify(tally)}`)
  })

test('functions that get arguments of any type return or refuse as in Go', { skip }, async () => {
  await using oracle = await templateOracle()
  const tally = { rendered: 0, failed: 0 }
  for (const call of functionCalls(1)) assert.equal(await differenceFromGo(oracle, call, tally), undefined)
  assert.ok(tally.rendered > 1000, `most calls failed: ${JSON.stringify(tally)}`)
})

test('slugify writes every character of the basic plane as gosimple/slug', { skip }, async () => {
  const expected = await transliterations()
  const slugify = slugifier()
  const ours = expected.map((_, i) => {
    const code = i + 0x80
    const isSurrogate = code >= 0xd800 && code < 0xe000
    return isSurrogate ? '' : slugify(`x${String.fromCharCode(code)}x`).slice(1, -1)
  })
  assert.deepEqual(ours, expected)
})
