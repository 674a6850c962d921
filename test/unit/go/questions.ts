import type { DurationQuestion, FloatQuestion, RuneQuestion, TextQuestion } from '../../bed/go-oracle.ts'

const whole = [
  0,
  -0,
  1,
  -1,
  5,
  9,
  10,
  12,
  99,
  100,
  500,
  999_999,
  1_000_000,
  1_234_567,
  2 ** 52,
  2 ** 53,
  1e20,
  1e21,
  1e22,
  123e25,
]
const fractions = [
  0.5,
  1.5,
  2.5,
  0.25,
  0.125,
  0.05,
  0.1,
  0.3,
  -0.75,
  9.5,
  9.95,
  99.5,
  0.095,
  1 / 3,
  -2 / 3,
  1.005,
  1e6 + 0.5,
]
const halves = [
  4.5,
  5.5,
  1.0625,
  1.1875,
  1 + 2 ** -5,
  1 + 3 * 2 ** -5,
  2 - 2 ** -5,
  2 - 2 ** -52,
  8.5,
  1.96875,
  0.0078125,
]
const small = [0.0001, 0.00001, 0.00012345, 0.000099999, 1.5e-7, 2 ** -30, 5e-324, 1e-310, 2 ** -1022, 2 ** -1074 * 3]
const large = [Number.MAX_VALUE, -Number.MAX_VALUE, 1e100, 2 ** 1023, 2251799813685248.5, 123456789.125]
const infinite = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

const precisions: Readonly<Record<FloatQuestion['verb'], readonly number[]>> = {
  b: [-1],
  e: [-1, 0, 1, 2, 6, 16, 20],
  f: [-1, 0, 1, 2, 6, 16, 20],
  g: [-1, 0, 1, 2, 3, 6, 16, 20],
  x: [-1, 0, 1, 2, 5, 12, 13, 14],
}

const textOf = (number: number): string => (Object.is(number, -0) ? '-0' : String(number).replace('Infinity', 'Inf'))

export const floats: readonly FloatQuestion[] = [
  ...whole,
  ...fractions,
  ...halves,
  ...small,
  ...large,
  ...infinite,
].flatMap(number =>
  (Object.keys(precisions) as FloatQuestion['verb'][]).flatMap(verb =>
    precisions[verb].map(precision => ({ float: textOf(number), verb, precision })),
  ),
)

export const singles: readonly FloatQuestion[] = [
  ...[0, -0, 0.1, -0.1, 0.3, 1 / 3, -2 / 3, 1.1, 2.7, 16777217.5, 0.5, 123456.789, 1e-7, 1e-45],
  ...[1.17549435e-38, 3.4e38, 99.99, 1e-50, 8_388_609.25, 1e10],
].map(number => ({ float: textOf(number), verb: 'g', precision: -1, single: true }))

const spaces = '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000'

export const texts: readonly TextQuestion[] = [
  '',
  ' ',
  'plain',
  'with "quotes", \'ticks\' and \\ strokes',
  '"',
  '\\',
  '!#[]^~\x7f',
  '\0\x01\x07\b\t\n\v\f\r\x1b\x1f',
  'grüße, 世界, 😀, e\u0301',
  '\u00a0\u00ad\u0378\u200b\u2028\u3000\ufeff\ufffd\ufffe\u{e0001}\u{f0000}\u{10ffff}',
  '\ud800 half \udc00',
  `${spaces}inside ${spaces}of it${spaces}`,
  spaces,
  '\ufeff mark \ufeff',
  '\u200b zero \u200b',
  'left  ',
  '  right',
].map(text => ({ text }))

export const runes: readonly RuneQuestion[] = [
  ...[0, 7, 8, 9, 10, 13, 27, 32, 34, 39, 45, 65, 92, 127, 128, 0xa0, 0xad, 0xe9, 0x300, 0x378, 0x2028, 0x2603, 0xd7ff],
  ...[0xd800, 0xdfff, 0xe000, 0xfeff, 0xfffd, 0xffff, 0x10000, 0x1f600, 0xe0001, 0x10ffff, 0x110000, -1],
].map(rune => ({ rune }))

export const durations: readonly DurationQuestion[] = [
  ...[
    '0',
    '-0',
    '+0',
    '0s',
    '-0s',
    '1ns',
    '999ns',
    '1us',
    '1µs',
    '1μs',
    '1.5µs',
    '999.999us',
    '1ms',
    '20ms',
    '250.25ms',
  ],
  ...[
    '999.999999ms',
    '1s',
    '1.5s',
    '.5s',
    '5.s',
    '59.999s',
    '60s',
    '9m30s',
    '1m',
    '59m59s',
    '1h',
    '1h0m1s',
    '1h30m5.25s',
  ],
  ...['-1.5h', '+2m', '-2m', '100h', '1m1h', '1ns1s', '1.0000000001s', '0.3h', '0.1m', '3.14159us', '.9ns', '1.9ns'],
  ...['0.9223372036854775807h', '0.9223372036854775808h', '0.9223372036854775809s', '0.92233720368547758099999h'],
  ...['0.99999999999999999999999999s', '0.333333333333333333333333m', '0.12345678901234567890123h'],
  ...['9223372036854775807ns', '9223372036854775808ns', '-9223372036854775808ns', '-9223372036854775809ns'],
  ...['9223372036854775809', '9223372036854775808', '2562047h47m16.854775807s', '2562047h47m16.854775808s', '3000000h'],
  ...[
    '-2562047h47m16.854775808s',
    '-2562047h47m16.854775809s',
    '5124095h1x',
    `0.${'1'.repeat(400)}s`,
    '9223372036s1s',
    '9223372036854775808ns1ns',
    '9223372036854775807ns.9ns',
  ],
  ...[
    '',
    ' ',
    '-',
    '+',
    '5',
    '-5',
    's',
    '.s',
    '.',
    '1.',
    '1d',
    '1h 30m',
    '1e3s',
    'Infinitys',
    '--1s',
    '+-1s',
    '1h-30m',
  ],
  ...[
    '1 s',
    ' 1s',
    '1s ',
    '1S',
    '1.2.3s',
    '1..2s',
    '1s.',
    '1s5',
    'x1s',
    '1x',
    '1"s\\',
    '1\x7fs',
    '1é',
    '1\u{1f600}',
    '1s\n',
  ],
].map(duration => ({ duration }))
