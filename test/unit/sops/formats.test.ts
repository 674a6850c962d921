import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormatName } from '../../../lib/sops/formats/format.ts'
import { formats } from '../../../lib/sops/formats/format-of.ts'
import { SopsError } from '../../../lib/sops/sops-error.ts'
import { Branch, type SopsValue, Timestamp } from '../../../lib/sops/tree.ts'

const problem = (attempt: () => unknown): string => {
  try {
    attempt()
  } catch (error) {
    assert.ok(error instanceof SopsError && error.code === 'format', String(error))
    return error.message
  }
  return assert.fail('it was taken')
}
const refused = (format: FormatName, prefix: string, cases: Readonly<Record<string, string>>) => {
  for (const [text, message] of Object.entries(cases))
    assert.equal(
      problem(() => formats[format].read(Buffer.from(text))),
      prefix + message,
      text,
    )
}

test('malformed JSON is refused, and what of it, but no value, is told', () => {
  const deep = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`
  refused('json', 'Could not unmarshal input data: invalid JSON: ', {
    '': 'the text breaks off or is not JSON',
    '[]': 'a top-level object is needed',
    '"hush"': 'a top-level object is needed',
    '{"hush"': 'the text breaks off or is not JSON',
    '{"a": hush}': 'the text breaks off or is not JSON',
    '{1: 2}': 'a key is no string',
    '{,': 'a key is no string',
    '{"a": 1,}': 'a key is no string',
    '{"a", 1}': 'a colon is missing',
    '{"a": 1 "b": 2}': 'a comma is missing',
    '{"a": [1 2]}': 'a comma is missing',
    '{"a": [1}': 'a comma is missing',
    '{"a": [1,]}': 'unexpected ]',
    '{"a": :}': 'unexpected :',
    '{"a": 1e999}': 'a number is out of range',
    '{"a": "\\x hush"}': 'a string or number is not well formed',
    '{"a": 01}': 'a string or number is not well formed',
    '{"a": 1.e}': 'a string or number is not well formed',
    [deep(500)]: 'more than 500 levels',
  })
  formats.json.read(Buffer.from(deep(499)))
})

test('malformed INI is refused by its line', () => {
  refused('ini', 'Could not unmarshal input data: line ', {
    '[one]\n[two': '2: the name of a section is not well formed',
    '[]': '1: the name of a section is not well formed',
    '"hush = 1': '1: a quoted key is not closed',
    '`hush = 1': '1: a quoted key is not closed',
    '\na = 1\nhush': '3: there is no = or :',
    '= hush': '1: there is no key',
    'a = 1\nb = """hush\nmore': '2: a quoted value is not closed',
    'b = `hush\nmore': '1: a quoted value is not closed',
  })
})

test('malformed dotenv is refused by its entry', () => {
  refused('dotenv', 'invalid dotenv input: entry ', { 'A=1\nhush': '2 has no =', '#x\n\nhush': '2 has no =' })
})

test('YAML that sops does not take is refused', () => {
  refused('yaml', 'Error unmarshaling input YAML: ', {
    '- a': 'sequences as documents are not supported',
    a: 'values as documents are not supported',
    'a: 1\nb: 2\na: 3': 'the key "a" twice in one mapping are not supported',
    '1: a': 'keys other than text are not supported',
    '? [a]\n: b': 'keys other than text are not supported',
    'a: 9223372036854775808': 'integers beyond 64 bits are not supported',
    'a: [': 'yaml: line 1: did not find expected node content',
  })
})

test('what a format has no place for is refused by its key', () => {
  const document = (value: SopsValue) => [new Branch([{ key: 'a', value }])]
  const nested = new Branch([{ key: 'b', value: document('x')[0]! }])
  for (const value of [nested, ['x']])
    assert.equal(
      problem(() => formats.dotenv.write(document(value))),
      'cannot use complex value; offending key a',
    )
  assert.equal(
    problem(() => formats.ini.write(document('x'))),
    'section values must be mappings; offending key a',
  )
  assert.equal(
    problem(() => formats.ini.write(document(nested))),
    'cannot use complex value; offending key b',
  )
  assert.equal(
    problem(() => formats.binary.write(document('x'))),
    'error emitting binary store: no binary data found in tree',
  )
})

test('values become text as Go formats them, where there is nothing but text', () => {
  const written = (value: SopsValue) =>
    Buffer.from(formats.dotenv.write([new Branch([{ key: 'A', value }])])).toString()
  const cases: readonly (readonly [value: SopsValue, text: string])[] = [
    [null, ''],
    [true, 'true'],
    [false, 'false'],
    [42n, '42'],
    [1.5, '1.5'],
    [3, '3.0'],
    [1e21, '1E+21'],
    [1e-7, '1E-07'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NaN, 'NaN'],
    [new Timestamp('2026-01-02T03:04:05Z'), '2026-01-02T03:04:05Z'],
    [Buffer.from('x'), 'x'],
  ]
  for (const [value, text] of cases) assert.equal(written(value), `A=${text}\n`)
})
