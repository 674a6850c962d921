import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askCelOracle, hasCelOracle } from '../bed/cel-oracle.ts'
import { data } from '../unit/engines/cel/expressions/data.ts'
import { differenceFromCelGo } from './cel-difference.ts'
import { generatedExpression } from './cel-expressions.ts'

const skip = hasCelOracle() || process.env.CI ? false : 'cel-go is not built yet: npm run fuzz -- cel builds it'

const runs = Number(process.env.KEELSON_CEL_RUNS ?? 3000)

test('expressions have the results of cel-go, or fail as there', { skip }, async () => {
  const texts = Array.from({ length: runs }, (_, seed) => generatedExpression(seed))
  const answers = await askCelOracle(texts.map(expression => ({ expression, data })))
  for (const [at, text] of texts.entries()) assert.equal(differenceFromCelGo(text, answers[at]!), undefined)
  const valued = answers.filter(({ value }) => value !== undefined).length
  assert.ok(valued > runs / 4, `most expressions failed: ${valued} of ${runs} have a value`)
})
