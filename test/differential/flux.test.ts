import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askFluxOracle, hasFluxOracle } from '../bed/flux-oracle.ts'
import { differenceFromFlux } from './flux-difference.ts'
import { generatedQuestion } from './flux-questions.ts'

const skip =
  hasFluxOracle() || process.env.CI ? false : "Flux's libraries are not built yet: npm run fuzz -- flux builds them"

const runs = Number(process.env.KEELSON_FLUX_RUNS ?? 9000)

test('variables, ignore files and version ranges mean what they mean to Flux', { skip }, async () => {
  const questions = Array.from({ length: runs }, (_, seed) => generatedQuestion(seed))
  const answers = await askFluxOracle(questions)
  for (const [at, question] of questions.entries()) assert.equal(differenceFromFlux(question, answers[at]!), undefined)
  const refused = answers.filter(({ error }) => error !== undefined).length
  assert.ok(refused < runs / 2, `most were refused: ${refused} of ${runs}`)
})
