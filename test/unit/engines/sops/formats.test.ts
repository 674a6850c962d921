import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FormatName } from '../../../../lib/engines/sops/formats/format.ts'
import { formats } from '../../../../lib/engines/sops/formats/format-of.ts'
import { SopsError } from '../../../../lib/engines/sops/sops-error.ts'
import { Branch, Comment, type SopsValue, Timestamp } from '../../../../lib/engines/sops/tree.ts'

const refusal = (attempt: () => unknown): SopsError => {
  try {
    attempt()
  } catch (error) {
    assert.ok(error instanceof SopsError && error.code === 'format', String(error))
    return error
  }
  return assert.fail('it was taken')
}
const problem = (attempt: () => unknown): string => refusal(attempt).message
const written = (format: FormatName, documents: readonly Branch[]): string =>
  Buffer.from(formats[format].write(documents)).toString()
const rewritten = (text: string | Uint8Array, from: FormatName, to: FormatName): string =>
  written(to, formats[from].read(Buffer.from(text)))
const refused = (format: FormatName, prefix: string, cases: Readonly<Record<string, string>>) => {
  for (const [text, message] of Object.entries(cases))
    assert.equal(
      problem(() => formats[format].read(Buffer.from(text))),
      prefix + message,
      text,
    )
}

test('malformed JSON is refused with its fault, but no value', () => {
  const deep = (levels: number) => `{"a": ${'['.repeat(levels)}${']'.repeat(levels)}}`
  refused('json', 'Could not unmarshal input data: invalid JSON: ', {
    '': 'the text breaks off or is not JSON',
    '[]': 'a top-level object is needed',
    '"hush"': 'a top-level object is needed',
    '{"hush"': 'the text breaks off or is not JSON',
    '{"a": hush}': 'the text breaks off or is not JSON',
    '{1: 2}': 'a key is not a string',
    '{,': 'a key is not a string',
    '{"a": 1,}': 'a key is not a string',
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
    '\ufeff{}': 'the text breaks off or is not JSON',
    '\f{}': 'the text breaks off or is not JSON',
    '{"a": +1}': 'the text breaks off or is not JSON',
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
    '\na = 1\nhush': '3: missing = or :',
    '= hush': '1: missing key',
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
    'a: 1\nb: 2\na: 3': 'yaml: unmarshal errors:\n  line 3: mapping key "a" already defined at line 1',
    'a: !!int "hush"': 'yaml: cannot decode !!str <redacted> as a !!int',
    'a: !!bool "hu`\\nsh"': 'yaml: cannot decode !!str <redacted> as a !!bool',
    '1: a': 'keys other than text are not supported',
    '? [hush]\n: b': 'yaml: unmarshal errors:\n  line 1: cannot unmarshal !!seq into string',
    'a: {? [hush] : b}': 'yaml: invalid map key: <redacted>',
    [`a: ${'['.repeat(500)}${']'.repeat(500)}`]: 'more than 500 levels are not supported',
    'a: 9223372036854775808': 'integers beyond 64 bits are not supported',
    'a: [': 'yaml: line 1: did not find expected node content',
  })
})

test('what a format has no place for is refused by its key', () => {
  const document = (value: SopsValue) => [new Branch([{ key: 'a', value }])]
  const nested = new Branch([{ key: 'b', value: document('x')[0]! }])
  for (const value of [nested, ['x']])
    assert.deepEqual((({ message, key }) => [message, key])(refusal(() => formats.dotenv.write(document(value)))), [
      'cannot use complex value; offending key a',
      'a',
    ])
  assert.deepEqual((({ message, key }) => [message, key])(refusal(() => formats.ini.write(document('x')))), [
    'section values must be mappings; offending key a',
    'a',
  ])
  assert.equal(
    problem(() => formats.ini.write(document(nested))),
    'cannot use complex value; offending key b',
  )
  assert.equal(
    problem(() => formats.binary.write(document('x'))),
    'error emitting binary store: no binary data found in tree',
  )
})

test('a comment that was sealed in the place of a value leaves none', () => {
  const document = new Branch([{ key: 'a', value: new Comment('said') }])
  assert.equal(written('yaml', [document]), 'a: null\n')
})

test('INI keeps the bytes of its values, whatever they are, among text beyond ASCII', () => {
  const keys = new Branch([
    { key: 'é', value: Buffer.from([0xff, 0xa0]) },
    { key: new Comment('ü'), value: null },
    { key: 'à', value: 'à' },
  ])
  const text = Buffer.from(formats.ini.write([new Branch([{ key: 'ö', value: keys }])]))
  assert.deepEqual(
    text,
    Buffer.concat([Buffer.from('[ö]\n; ü\né = '), Buffer.from([0xff, 0xa0]), Buffer.from('\nà = à\n')]),
  )
})

// What the program sops makes of this document and the next two: `sops -d --output-type yaml`, `ini`, and `json`.
test('comments of INI are after their keys in YAML, and nothing where there are none', () => {
  const ini = '; top\na = 1\n[one]\nb = 2 # said\nc = 3\n'
  assert.equal(
    rewritten(ini, 'ini', 'yaml'),
    'DEFAULT:\n    a: "1"\n    #top\none:\n    b: "2"\n    #said\n    c: "3"\n',
  )
})

test('comments of YAML are those of INI as far as it has places for them', () => {
  const yaml = '# head\na:\n  # one\n  # two\n  b: 1 # in\n  # foot\n# x\nc:\n  d: 2\n'
  assert.equal(rewritten(yaml, 'yaml', 'ini'), ';  one\n[a]\n; foot\nb = 1\n\n[c]\nd = 2\n')
})

test('what YAML knows is JSON as sops writes it: comments left out, numbers shortest, bytes as characters', () => {
  const yaml = `# head
a: 2024-01-01 # behind
b: !!binary aGVsbG8=
c: !!binary 4oLiggH/78K/
d: [1.0, 1e21, 1e100, 1.5e-7, 0.000001, -0.0, 123456789.125, 100000000000000000000.5]
e:
  # above
  - x # behind
  # between
  - 9223372036854775807
f: "<&>\\u2028"
g: {}
h: []
i: null
j: [true, false]
`
  assert.equal(
    rewritten(yaml, 'yaml', 'json'),
    `{
	"a": "2024-01-01T00:00:00Z",
	"b": "hello",
	"c": "\\ufffd\\ufffd\\ufffd\\ufffd\\u0001\\ufffd\\ufffd¿",
	"d": [
		1,
		1e+21,
		1e+100,
		1.5e-7,
		0.000001,
		-0,
		123456789.125,
		100000000000000000000
	],
	"e": [
		"x",
		9223372036854775807
	],
	"f": "\\u003c\\u0026\\u003e\\u2028",
	"g": {},
	"h": [],
	"i": null,
	"j": [
		true,
		false
	]
}
`,
  )
})

test('JSON has no place for numbers that are none', () => {
  for (const [number, named] of Object.entries({ '.inf': '+Inf', '-.inf': '-Inf', '.nan': 'NaN' }))
    assert.equal(
      problem(() => rewritten(`a: ${number}`, 'yaml', 'json')),
      `Error marshaling to json: unsupported value: ${named}`,
    )
})

test('whole numbers of JSON are exact while they fit 64 bits, and floats beyond', () => {
  const numbers = (text: string) => JSON.stringify(rewritten(`{"a":[${text}]}`, 'json', 'json')).match(/-?\d+/g)
  assert.deepEqual(numbers('9223372036854775807, -9223372036854775808, 9007199254740993, 0, 10'), [
    ...['9223372036854775807', '-9223372036854775808', '9007199254740993', '0', '10'],
  ])
  assert.deepEqual(numbers('10000000000000000001, -9223372036854775809'), [
    ...['10000000000000000000', '-9223372036854776000'],
  ])
})

test('half a character of JSON is read as one that says so', () => {
  assert.equal(rewritten('{"a": "\\ud800x"}', 'json', 'json'), '{\n\t"a": "\ufffdx"\n}\n')
})

test('dotenv keeps the bytes of its values and a mark at its beginning, whatever they are', () => {
  const value = Buffer.from([0xff, 0xe2, 0x82, 0x0a])
  const line = Buffer.from(formats.dotenv.write([new Branch([{ key: 'É', value }])]))
  assert.equal(line.toString('latin1'), `${Buffer.from('É=').toString('latin1')}\xff\xe2\x82\\n\n`)
  assert.equal(rewritten('\ufeffA=x\n', 'dotenv', 'dotenv'), '\ufeffA=x\n')
  assert.deepEqual(formats.dotenv.write(formats.dotenv.read(line)), line)
})

test('values become text as Go formats them, where there is nothing but text', () => {
  const cases: readonly (readonly [value: SopsValue, text: string])[] = [
    [null, ''],
    [true, 'true'],
    [false, 'false'],
    [42n, '42'],
    [1.5, '1.5'],
    [3, '3.0'],
    [1e21, '1E+21'],
    [1e-7, '1E-07'],
    [-0, '-0.0'],
    [-1.25e30, '-1.25E+30'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
    [Number.NaN, 'NaN'],
    [new Timestamp('2026-01-02T03:04:05Z'), '2026-01-02T03:04:05Z'],
    [Buffer.from('x'), 'x'],
  ]
  for (const [value, text] of cases) assert.equal(written('dotenv', [new Branch([{ key: 'A', value }])]), `A=${text}\n`)
})
