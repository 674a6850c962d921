/** What rules may cost, and what they do cost, as Kubernetes counts (`test/recorders/cel.ts`). */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { estimatedCost } from '../../../../lib/engines/cel/cost/estimate.ts'
import { shapeOf } from '../../../../lib/engines/cel/cost/shape.ts'
import type { Meter } from '../../../../lib/engines/cel/evaluator.ts'
import { expression } from '../../../../lib/engines/cel/expression.ts'
import { parseDuration, parseTimestamp } from '../../../../lib/engines/cel/functions/time.ts'
import { parse } from '../../../../lib/engines/cel/syntax.ts'
import { type CelMap, celValue } from '../../../../lib/engines/cel/values.ts'
import type { StructuralSchema } from '../../../../lib/foundations/kinds/schema/schema.ts'
import { estimated, rules } from './rules/rules.ts'
import { data, schema, shapes } from './rules/schemas.ts'

interface Cost {
  readonly estimate: number
  readonly actual?: number
}

const recorded = <T>(name: string): Readonly<Record<string, T>> =>
  JSON.parse(readFileSync(new URL(`rules/${name}.recorded.json`, import.meta.url), 'utf8'))
const costs = recorded<Cost>('rules')
const costsOfShapes = recorded<Readonly<Record<string, Cost>>>('shapes')

const base64 = (text: string) => Buffer.from(text, 'base64')
const self = new Map([
  ...(celValue(data) as CelMap),
  ['when', parseTimestamp(data.when)],
  ['day', parseTimestamp(`${data.day}T00:00:00Z`)],
  ['wait', parseDuration(data.wait)],
  ['raw', base64(data.raw)],
  ['raws', data.raws.map(base64)],
])

const estimate = (rule: string, about: StructuralSchema, isRoot = false) =>
  estimatedCost(parse(rule), shapeOf(about, isRoot)!)

const actual = (rule: string, meter: Meter = { limit: 1_000_000, used: 0 }): number => {
  expression(rule).evaluate({ self, oldSelf: self }, { meter })
  return meter.used
}

for (const [title, group] of Object.entries(rules))
  test(title, () => {
    for (const rule of group)
      assert.deepEqual({ estimate: estimate(rule, schema), actual: actual(rule) }, costs[rule], rule)
  })

for (const [title, group] of Object.entries(estimated))
  test(title, () => {
    for (const rule of group) assert.deepEqual({ estimate: estimate(rule, schema) }, costs[rule], rule)
  })

for (const [title, [shape, about, isRoot]] of Object.entries(shapes))
  test(`the cost of rules about ${title} follows from its size`, () => {
    for (const rule of about)
      assert.deepEqual({ estimate: estimate(rule, shape, isRoot) }, costsOfShapes[title]![rule], rule)
  })

test('rules that are refused for what they call have some cost as well', () => {
  const functions = [
    'dyn',
    'string',
    'bytes',
    'matches',
    'replace',
    'sets.contains',
    'strings.quote',
    'has',
    'optional_entry__',
  ]
  const methods = ['optMap', 'optFlatMap', 'replace', 'contains', 'startsWith', 'find', 'split', 'join', 'all', 'map']
  const calls = [...functions, ...methods.map(name => `self.name.${name}`)].map(name => `${name}()`)
  for (const rule of [
    ...calls,
    'has(1)',
    'has(self)',
    'has(size(self))',
    'self.optMap(1, 2)',
    'self.optMap(n)',
    "self.name.split('-', 1.5)",
    "self.name.split('-', null)",
    '-null',
    "-'a'",
    '-true',
    '-1u',
  ])
    assert.ok(estimate(rule, schema) >= 0, rule)
})

test('an evaluation ends when it has cost more than it may', () => {
  const rule = 'self.words.map(w, w + "x").size() > 0'
  const cost = actual(rule)
  assert.equal(actual(rule, { limit: cost, used: 0 }), cost)
  assert.throws(() => actual(rule, { limit: cost - 1, used: 0 }), {
    name: 'CostLimitExceeded',
    message: 'operation cancelled: actual cost limit exceeded',
  })
  assert.throws(() => actual(`${rule} || true`, { limit: 3, used: 0 }), { name: 'CostLimitExceeded' })
})

test('an operand of `in` is not evaluated for an empty list, where costs count', () => {
  const missing = expression('missing in []')
  assert.equal(missing.evaluate({}, { meter: { limit: 100, used: 0 } }), false)
  assert.throws(() => missing.evaluate({}), /no such attribute\(s\): missing/)
})
