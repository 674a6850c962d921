/** Expressions where Flux has them: for the health of objects, and checked beforehand (`test/recorders/cel.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { CelError } from '../../../../lib/engines/cel/cel-error.ts'
import { booleanExpression } from '../../../../lib/engines/cel/expression.ts'
import { healthEvaluator } from '../../../../lib/engines/cel/health-expressions.ts'
import { checked, objects, variables } from './flux/checked.ts'
import { healthQuestions } from './flux/health.ts'

const recorded = (name: string): Readonly<Record<string, readonly string[]>> =>
  JSON.parse(readFileSync(new URL(`flux/${name}.recorded.json`, import.meta.url), 'utf8'))

/** Flux's whole message where nothing but the data is at fault. */
const outcome = (evaluate: () => unknown): string => {
  try {
    return String(evaluate())
  } catch (error) {
    assert.ok(error instanceof CelError, String(error))
    return error.stage === 'parse' ? 'parse error' : error.message
  }
}

const health = recorded('health')
for (const [title, questions] of Object.entries(healthQuestions))
  test(title, () => {
    for (const [at, { health: expressions, data }] of questions.entries())
      assert.equal(
        outcome(() => healthEvaluator(expressions)(data)),
        health[title]![at],
        JSON.stringify([expressions, data]),
      )
  })

const outcomes = recorded('checked')
for (const [title, texts] of Object.entries(checked))
  test(title, () => {
    for (const [at, text] of texts.entries())
      assert.equal(
        outcome(() => booleanExpression(text, variables).evaluateBoolean(objects)),
        outcomes[title]![at],
        text,
      )
  })

test('the expression at fault is named', () => {
  assert.throws(() => healthEvaluator({ current: '' }), { message: 'expression Current not specified' })
  for (const [name, expressions] of [
    ['Current', { current: '(' }],
    ['Failed', { current: 'true', failed: '(' }],
    ['InProgress', { current: 'true', inProgress: '(' }],
  ] as const)
    assert.throws(
      () => healthEvaluator(expressions),
      ({ message }: Error) =>
        message.startsWith(`failed to parse the expression ${name}: failed to parse the CEL expression '(': `),
    )
  assert.throws(() => booleanExpression('self.name', ['self']), {
    message: 'CEL expression output type mismatch: expected bool, got dyn',
  })
})
