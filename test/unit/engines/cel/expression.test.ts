import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CelError } from '../../../../lib/engines/cel/cel-error.ts'
import { booleanExpression, expression } from '../../../../lib/engines/cel/expression.ts'
import { isList, isMap, type Value } from '../../../../lib/engines/cel/values.ts'

const plain = (value: Value): unknown => {
  if (isList(value)) return value.map(plain)
  if (isMap(value)) return Object.fromEntries([...value].map(([key, field]) => [String(key), plain(field)]))
  return value
}
const result = (text: string, data = {}) => plain(expression(text).evaluate(data))

const results: Readonly<Record<string, unknown>> = {
  // optional entries and chains
  '[?optional.of(1), ?optional.none(), 2]': [1n, 2n],
  "{?'a': optional.of(1), ?'b': optional.none()}": { a: 1n },
  "{'x': [?optional.of('?')]}": { x: ['?'] },
  '[1, 2][?5].orValue(7)': 7n,
  "{'a': {'b': 1}}.?a.?c.orValue(0)": 0n,
  "{'a': {'b': 1}}.?a.b.value()": 1n,
  'optional.of(2).optMap(x, x * 2).value()': 4n,
  'optional.none().or(optional.of(3)).value()': 3n,
  "optional.ofNonZeroValue('').hasValue()": false,
  'optional.unwrap([optional.of(1), optional.none()])': [1n],
  // one side of a logical operator is enough
  'missing || true': true,
  'false && missing': false,
  '[1, 0, 2].exists(x, 1 / x == 1)': true,
  '[1, 0].all(x, 1 / x > 5)': false,
  '[1, 2, 1].exists_one(x, x == 1)': false,
  '[1, 2, 3].map(x, x > 1, x * 10)': [20n, 30n],
  // numbers
  '1 == 1.0': true,
  '1u < 2': true,
  '7 % 3': 1n,
  '-7 / 2': -3n,
  '1.0 / 0.0': Number.POSITIVE_INFINITY,
  "{1: 'a'}[1u]": 'a',
  // strings count characters
  "'héllo😀'.size()": 6n,
  "'a😀b'.charAt(1)": '😀',
  "'a😀b'.indexOf('b')": 2n,
  "'abcb'.lastIndexOf('b')": 3n,
  "'hello'.substring(1, 3)": 'el',
  "'a,b,c'.split(',', 2)": ['a', 'b,c'],
  "'aaa'.replace('a', 'b', 2)": 'bba',
  "'ab'.replace('', '-')": '-a-b-',
  "'ÄbC'.lowerAscii()": 'Äbc',
  "strings.quote('a\"\\n')": '"a\\"\\n"',
  "'%s|%d|%.2f|%x|%b|%e'.format(['a', 3, 1.5, 255, 5, 12345.678])": 'a|3|1.50|ff|101|1.234568e+04',
  "'%s'.format([[1, {'b': true}]])": '[1, {b: true}]',
  // time
  "string(duration('1h30m') + duration('1ms'))": '5400.001s',
  "string(timestamp('2024-01-01T00:00:00.5Z') + duration('24h'))": '2024-01-02T00:00:00.5Z',
  "timestamp('2024-03-01T00:00:00Z').getDayOfYear()": 60n,
  "timestamp('2024-01-01T00:00:00Z').getHours('+02:30')": 2n,
  "timestamp('2024-07-01T00:00:00Z').getHours('America/New_York')": 20n,
  // bytes and sets
  "size(b'hé')": 3n,
  "string(base64.decode('aGVsbG8'))": 'hello',
  "base64.encode(b'hello')": 'aGVsbG8=',
  'sets.contains([1, 2.0], [2])': true,
  // types
  "type(1) == int && type('') == string && type(null) == null_type": true,
  "type(timestamp('2024-01-01T00:00:00Z')) == google.protobuf.Timestamp": true,
  'string(1e100)': '1e+100',
  'string(0.00001)': '1e-05',
}

for (const [text, expected] of Object.entries(results))
  test(`evaluates ${text}`, () => {
    assert.deepEqual(result(text), expected)
  })

test('sees whole numbers of JSON as int, and others as double', () => {
  assert.deepEqual(result('[type(a) == int, type(b) == double, a + 1]', { a: 2, b: 0.5 }), [true, true, 3n])
})

test('distinguishes expressions that always fail from those that lack data', () => {
  const stages = [
    '1 +',
    "int('x')",
    "'a'.matches('(')",
    'has(a)',
    '[1].all(1, true)',
    'a.b',
    "'a' + 1",
    '1 / 0',
    '9223372036854775807 + 1',
  ].map(text => {
    try {
      expression(text).evaluate({})
      return 'none'
    } catch (error) {
      assert.ok(error instanceof CelError)
      return error.stage
    }
  })
  assert.deepEqual(stages, [...Array(5).fill('parse'), ...Array(4).fill('evaluation')])
})

test('says what is wrong with an expression that can not be read', () => {
  for (const [text, message] of [
    ['9223372036854775808', 'invalid int literal'],
    ['optional.of(1).optMap(1, 2)', 'optMap() variable name must be a simple identifier'],
    ['has(name)', 'invalid argument to has() macro'],
    ['1)', "failed to parse the CEL expression '1)': Unexpected character: ')'\n\n>    1 | 1)\n          ^"],
    ['1, ?2', "failed to parse the CEL expression '1, ?2': Unexpected character: ','\n\n>    1 | 1, ?2\n          ^"],
  ] as const)
    assert.throws(() => expression(text), { name: 'CelError', stage: 'parse', message })
  assert.throws(() => booleanExpression("self == 'a'", ['self']), {
    message:
      "failed to parse the CEL expression 'self == 'a'': no such overload: map<dyn, dyn> == string\n\n>    1 | self == 'a'\n         ^",
  })
})

test('quotes the expression in its errors', () => {
  assert.throws(() => expression('status.phase').evaluate({ status: {} }), {
    message: "failed to evaluate the CEL expression 'status.phase': no such key: phase",
  })
  assert.throws(() => expression("'x'").evaluateBoolean({}), {
    message: "failed to evaluate CEL expression as boolean: ''x''",
  })
})

test('checks a boolean over named objects before there are data', () => {
  const ready = booleanExpression(
    "dep.metadata.labels['v'] == self.metadata.labels['v'] && dep.x.replace('a', 'b') != ''",
    ['self', 'dep'],
  )
  const object = { metadata: { labels: { v: '1' } }, x: 'a' }
  assert.equal(ready.evaluateBoolean({ self: object, dep: object }), true)
  for (const wrong of ['dep.ready', 'other.ready == true', "dep == 'a'", "'text'"])
    assert.throws(() => booleanExpression(wrong, ['self', 'dep']), { stage: 'parse' })
})

test('knows namespaces of functions in checked expressions', () => {
  const check = booleanExpression("sets.contains(dep.list, [1]) && string(base64.decode(dep.text)) == 'hello'", ['dep'])
  assert.equal(check.evaluateBoolean({ dep: { list: [1, 2], text: 'aGVsbG8=' } }), true)
})

test('ends what would take too much work', () => {
  const list = Array.from({ length: 300 }, (_, at) => at)
  const nested = 'l.all(a, l.all(b, l.all(c, a + b + c >= 0)))'
  assert.throws(() => expression(nested).evaluate({ l: list }), /too much work/)
  const growing = `${"'a'".padEnd(3)}${".replace('a', 'aaaaaaaaaaaaaaaaaaaa')".repeat(20)} == ''`
  assert.throws(() => expression(growing).evaluate({}), /grows too long/)
  assert.throws(() => expression(`${'('.repeat(200)}1${')'.repeat(200)}`), { stage: 'parse' })
})

test('takes linear time for regular expressions that backtrack elsewhere', () => {
  assert.equal(result(`'${'a'.repeat(40)}!'.matches('^(a+)+$')`), false)
})

test('is not misled by names that every object has', () => {
  assert.throws(() => result('constructor'), /no such attribute/)
  assert.equal(result('has(a.constructor)', { a: {} }), false)
  assert.throws(() => result("a['__proto__']", { a: {} }), /no such key/)
})
