import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sprintf } from '../../../../lib/engines/template/format/sprintf.ts'
import { int, type Value } from '../../../../lib/engines/template/values/value.ts'

type Case = readonly [format: string, values: readonly Value[], printed: string]

/** Numbers without a fraction are Go's int here, others float64. */
const formats = (title: string, cases: readonly Case[]): void => {
  test(title, () => {
    const go = (value: Value): Value => (typeof value === 'number' && Number.isInteger(value) ? int(value) : value)
    const actual = cases.map(([format, values]) => [format, values, sprintf(format, values.map(go))])
    assert.deepEqual(actual, cases)
  })
}

formats('pads and signs integers', [
  ['%5d|%-5d|%05d|%+d|% d', [42, 42, 42, 42, 42], '   42|42   |00042|+42| 42'],
  ['%-05d|%+05d|%05d', [42, 42, -42], '42   |+0042|-0042'],
  ['%x|%X|%#x|%o|%#o|%O|%b', [255, 255, 255, 8, 8, 8, 5], 'ff|FF|0xff|10|010|0o10|101'],
  ['%x|%08b|%.5d|%8.3d', [-255, 5, 42, 7], '-ff|00000101|00042|     007'],
  ['%c|%q|%U|%#U', [65, 65, 0x1f600, 0x2603], "A|'A'|U+1F600|U+2603 '☃'"],
])

formats('prints floats as strconv does', [
  [
    '%v|%g|%f|%.2f|%e|%G',
    [1e6 + 0.5, 0.1, 0.1, 7.14159, 123456.789, 1.5e-7],
    '1.0000005e+06|0.1|0.100000|7.14|1.234568e+05|1.5E-07',
  ],
  ['%6.1f|%-8.2f|%08.3f|%+.1f', [7.14159, 7.14159, -7.14159, 2.5], '   7.1|7.14    |-007.142|+2.5'],
  ['%.0f %.0f %.0f %.1f', [0.5, 1.5, 2.5, 0.25], '0 2 2 0.2'],
  ['%.3g|%.10g|%v', [1234.5678, 1234.5678, 0.00001234], '1.23e+03|1234.5678|1.234e-05'],
  [
    '%v %v %5.1f|%05f',
    [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY],
    'NaN +Inf  -Inf| +Inf',
  ],
])

formats('cuts, quotes and spells out text', [
  ['%5s|%-5s|%.2s|%5.1s', ['abc', 'abc', 'abc', 'abc'], '  abc|abc  |ab|    a'],
  ['%q|%+q|%#q|%x|% X|%#x', ['a"b\n', 'é', 'a b', 'hi', 'hi', 'hi'], '"a\\"b\\n"|"\\u00e9"|`a b`|6869|68 69|0x6869'],
  ['%5t|%v|%s', [true, null, [1.5, 'a', null]], ' true|<nil>|[%!s(float64=1.5) a <nil>]'],
])

formats('applies a verb inside lists and maps', [
  ['%d|%03d', [[int(1), int(2)], [int(1)]], '[1 2]|[001]'],
  [
    '%v|%q',
    [
      new Map([
        ['b', 1n],
        ['a', 2n],
      ]),
      new Map([['a', 'x']]),
    ],
    'map[a:2 b:1]|map["a":"x"]',
  ],
  [
    '%#v',
    [new Map<string, Value>([['a', ['x', int(1), null]]])],
    'map[string]interface {}{"a":[]interface {}{"x", 1, interface {}(nil)}}',
  ],
])

formats('tells in the text what is wrong with a format', [
  ['%d', ['x'], '%!d(string=x)'],
  ['%s %z', [5, 1], '%!s(int=5) %!z(int=1)'],
  ['%d %d', [1], '1 %!d(MISSING)'],
  ['%d', [1, 'x'], '1%!(EXTRA string=x)'],
  ['%5.2f|%.2f|%+v', [3, 'abc', 5], '%!f(int=   03)|%!f(string=ab)|5'],
  ['%', [], '%!(NOVERB)'],
  ['%s', [null], '%!s(<nil>)'],
  ['%[2]d %[1]d', [1, 2], '2 1'],
  ['%[3]d', [1], '%!d(BADINDEX)'],
  ['%*d|%-*d|%.*f', [5, 42, 4, 7, 1, 2.55], '   42|7   |2.5'],
  ['%*d', ['x', 1], '%!(BADWIDTH)1'],
  ['%2147483648d', [42], '%!(NOVERB)%!(EXTRA int=42)'],
])

test('fields are a million characters wide at most', () => {
  for (const format of ['%1000000d', '%.1000000d']) assert.equal(sprintf(format, [1n]).length, 1_000_000)
  for (const width of [1_000_000n, -1_000_000n]) assert.equal(sprintf('%*d', [width, 1n]).length, 1_000_000)
  assert.equal(sprintf('%1000001d', [1n]), '%!(NOVERB)%!(EXTRA int64=1)')
  assert.equal(sprintf('%.1000001d', [1n]), '%!(NOVERB)%!(EXTRA int64=1)')
  for (const width of [1_000_001n, -1_000_001n]) assert.equal(sprintf('%*d', [width, 1n]), '%!(BADWIDTH)1')
})
