/** Bounds of our own, so that nobody's expression costs time or memory without end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { expression } from '../../../../lib/engines/cel/expression.ts'
import { Budget } from '../../../../lib/foundations/budget/budget.ts'

const evaluate = (text: string, data = {}) => expression(text).evaluate(data)
const lengthOf = (text: string, data = {}) => (evaluate(text, data) as string).length
const failure = (text: string, message: string) => ({
  name: 'CelError',
  stage: 'evaluation',
  message: `failed to evaluate the CEL expression '${text}': ${message}`,
})

test('an expression has no more than 10000 characters', () => {
  assert.equal(lengthOf(`'${'a'.repeat(9_998)}'`), 9_998)
  assert.throws(() => expression(`'${'a'.repeat(9_999)}'`), {
    stage: 'parse',
    message: 'the CEL expression is longer than 10000 characters',
  })
})

test('an expression is no deeper than 50, and has no more than 2000 parts', () => {
  assert.equal(evaluate(`${'['.repeat(40)}1${']'.repeat(40)}.size()`), 1n)
  for (const text of [`${'['.repeat(60)}1${']'.repeat(60)}`, `[${'1,'.repeat(600)}1]`, `1${'+1'.repeat(1_500)}`])
    assert.throws(() => expression(text), { stage: 'parse' })
})

test('a text that is replaced in has no more than a million characters', () => {
  const text = "a.replace('x', b).size()"
  assert.equal(evaluate(text, { a: 'x'.repeat(1000), b: 'b'.repeat(999) }), 999_000n)
  assert.throws(
    () => evaluate(text, { a: 'x'.repeat(1000), b: 'b'.repeat(1000) }),
    failure(text, 'the text grows too long'),
  )
})

test('a formatted text has no more than 100000 characters', () => {
  const text = "'%s'.format([a])"
  assert.equal(lengthOf(text, { a: 'a'.repeat(100_000) }), 100_000)
  assert.throws(() => evaluate(text, { a: 'a'.repeat(100_001) }), failure(text, 'the formatted text is too long'))
  assert.equal(lengthOf("'%.99998f'.format([1.5])"), 100_000)
  for (const precise of ["'%.99999f'.format([1.5])", "'%.100001f'.format([1.5])", "'%.9999999999e'.format([1.5])"])
    assert.throws(() => evaluate(precise), failure(precise, 'the formatted text is too long'))
})

const tooMuch = 'the expression takes too much work: cost limit exceeded'

test('an evaluation takes no more than a million steps, whatever they are', () => {
  const list = Array.from({ length: 200 }, (_, at) => at)
  const cube = 'l.all(a, l.all(b, l.all(c, c >= 0)))'
  assert.equal(evaluate('l.all(a, l.all(b, b >= 0))', { l: list }), true)
  assert.throws(() => evaluate(cube, { l: list }), failure(cube, tooMuch))
  // One look at each of these costs many steps.
  const large = 'a'.repeat(1_000_000)
  for (const text of ["l.all(x, t.contains('a'))", 'l.all(x, (t + t) != t)'])
    assert.throws(() => evaluate(text, { l: list, t: large }), failure(text, tooMuch))
  const many = Array.from({ length: 100_000 }, () => 0)
  const sizes = 'l.all(x, m.size() > 0)'
  assert.throws(() => evaluate(sizes, { l: list, m: many }), failure(sizes, tooMuch))
  // Of these only the first is looked at.
  const keys = Object.fromEntries(many.map((_, at) => [`k${at}`, at]))
  const firsts = 'l.all(x, m.exists(k, true))'
  assert.throws(() => evaluate(firsts, { l: list, m: keys }), failure(firsts, tooMuch))
})

test('work that is hidden in one operator or function counts by what is gone over', () => {
  const data = {
    l: Array.from({ length: 200 }, (_, at) => at),
    words: Array.from({ length: 3_000 }, (_, at) => `k${at}`),
    nested: Array.from({ length: 60 }, () => Array.from({ length: 60 }, () => ['a', 'b'])),
    fields: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, { a: at }])),
    text: 'x'.repeat(100_000),
    bytes: 'eA=='.repeat(20_000),
  }
  for (const hidden of [
    "'none' in words",
    'words == words',
    'nested == nested',
    'fields == fields',
    'words != words',
    "text < (text + 'x')",
    'sets.contains(words, words)',
    'sets.intersects(words, nested)',
    'sets.equivalent(words, words)',
    "text.upperAscii() == ''",
    "base64.decode(bytes) == b''",
    "'%s'.format([nested]) == ''",
    "words.join('') == ''",
    "timestamp('2026-01-01T00:00:00Z').getHours('Europe/Paris') == 0",
    'missing',
  ]) {
    const text = `l.exists(a, l.exists(b, (${hidden}) && false))`
    assert.throws(() => evaluate(text, data), failure(text, tooMuch), hidden)
  }
})

test('evaluations may share a budget, which ends the one that goes over it', () => {
  const budget = new Budget({ steps: 10_000 })
  const holds = () => expression('l.all(a, a >= 0)').evaluateBoolean({ l: [0, 1, 2] }, { budget })
  assert.equal(holds(), true)
  const { steps } = budget.used
  assert.ok(steps > 0)
  for (let times = Math.floor(10_000 / steps); times > 1; times--) assert.equal(holds(), true)
  assert.throws(holds, { name: 'CelError', stage: 'evaluation', message: /too much work: .*the limit is steps=10000/ })
  assert.ok(budget.exceeded)
})

test('regular expressions are kept, and go on to be right when they are many', () => {
  for (let round = 0; round < 2; round++)
    for (let at = 0; at < 250; at++) {
      assert.equal(evaluate('t.matches(r)', { t: `a${at}`, r: `^a${at}$` }), true)
      assert.equal(evaluate('t.matches(r)', { t: `a${at}x`, r: `^a${at}$` }), false)
    }
})

test('a field is read once, however often it is used', () => {
  const [first, second] = evaluate('[a, a]', { a: [1] }) as readonly unknown[]
  assert.equal(first, second)
})

test('fields that are undefined are not there', () => {
  assert.equal(evaluate('has(a.b)', { a: { b: undefined } }), false)
  assert.throws(() => evaluate('a', { a: undefined }), failure('a', 'no such attribute(s): a'))
  assert.deepEqual(evaluate('a', { a: [undefined, null] }), [null, null])
})
