import { type SeededRandom, seededRandom } from '../e2e/seeded-random.ts'

/** Sorts of values, so that most operators and functions get what they are made for. */
type Sort =
  | 'flag'
  | 'int'
  | 'uint'
  | 'double'
  | 'text'
  | 'bytes'
  | 'list'
  | 'map'
  | 'moment'
  | 'span'
  | 'optional'
  | 'type'
  | 'any'

const sorts: readonly Sort[] = [
  ...(['flag', 'int', 'uint', 'double', 'text', 'bytes', 'list', 'map', 'moment', 'span', 'optional', 'type'] as const),
  'any',
]

/** What there is of a sort: fields of the data that expressions are evaluated over (`test/unit/engines/cel/expressions/data.ts`), and literals. */
const leaves: Readonly<Record<Sort, readonly string[]>> = {
  flag: ['true', 'false', 'on', 'off', 'has(nested.a)', 'has(nested.q)', 'has(status.x)'],
  int: [
    '0',
    '1',
    '-1',
    '2',
    '3',
    '7',
    '80',
    '0x1F',
    'port',
    'negative',
    'nested.z',
    '9223372036854775807',
    'size(tags)',
  ],
  uint: ['0u', '1u', '7u', '18446744073709551615u', '0xFu'],
  double: ['0.5', '1.0', '-2.5', 'ratio', 'huge', '1e3', '.5', '-0.0', 'double("NaN")', 'double("inf")', '1e-7'],
  text: [
    ...[
      'name',
      'empty',
      '""',
      '"a"',
      "'b'",
      '"web"',
      'nested.a.b',
      '"é"',
      'r"\\d"',
      '"a,b,c"',
      '"12"',
      '"true"',
      '"1.5"',
    ],
    ...[
      '"%d %s"',
      '"%.2f"',
      '"%x|%X"',
      '"世界"',
      '"\\u00e9\\n"',
      '"""x"""',
      '"2024-01-01T00:00:00Z"',
      '"1h"',
      '"a b  c"',
    ],
    ...['nested["odd-name"]', 'status.conditions[0].type', '" x "', '"^[a-w]+$"', '"ABC"', '"YQ=="'],
  ],
  bytes: ['b"ab"', "b'\\x01'", 'b""', 'bytes("é")'],
  list: [
    'tags',
    'mixed',
    'nobody',
    '[]',
    '[1, 2, 3]',
    '["a"]',
    'nested.list',
    'status.conditions',
    '[[1], [2]]',
    '[1u, 2u]',
  ],
  map: [
    'nothing',
    'nested',
    'nested.a',
    '{}',
    '{"k": 1}',
    '{1: "x"}',
    'status',
    '{"a": {"b": 2}}',
    '{true: 1, "x": 2}',
  ],
  moment: [
    ...[
      "timestamp('2024-02-29T12:34:56.789Z')",
      "timestamp('1970-01-01T00:00:00Z')",
      "timestamp('2024-12-31T23:59:59+02:00')",
    ],
    ...["timestamp('0001-01-01T00:00:00Z')", "timestamp('9999-12-31T23:59:59Z')"],
  ],
  span: ["duration('1h')", "duration('-1.5s')", "duration('90m')", "duration('1ns')", "duration('0s')"],
  optional: ['optional.none()', 'optional.of(1)', 'nested.?a', 'nested.?q', 'tags[?0]', 'tags[?9]', 'nothing[?"k"]'],
  type: ['int', 'string', 'bool', 'list', 'map', 'double', 'uint', 'bytes', 'null_type', 'type'],
  any: ['null', 'none', 'mixed[3]', 'mixed[4].k', 'nested.a.n', 'missing', 'nested.q', 'tags[1]', 'nested["z"]'],
}

/** How values of a sort are made of others: `$` and a sort stand for an expression of it. */
const forms: Readonly<Record<Sort, readonly string[]>> = {
  flag: [
    ...[
      '$any == $any',
      '$any != $any',
      '$int < $int',
      '$double <= $int',
      '$uint > $double',
      '$text >= $text',
      '$moment < $moment',
    ],
    ...[
      '$span > $span',
      '$bytes < $bytes',
      '$flag && $flag',
      '$flag || $flag',
      '!$flag',
      '$any in $list',
      '$text in $map',
      '$int in $map',
    ],
    ...[
      '$text.contains($text)',
      '$text.startsWith($text)',
      '$text.endsWith($text)',
      '$text.matches($text)',
      'matches($text, $text)',
    ],
    ...[
      '$list.all(x, $flag)',
      '$list.exists(x, $flag)',
      '$list.exists_one(x, $flag)',
      '$list.all(x, x == $any)',
      '$map.all(k, $flag)',
    ],
    ...[
      '$list.exists(x, x > $int)',
      '$map.exists(k, k == $text)',
      '$optional.hasValue()',
      'sets.contains($list, $list)',
    ],
    ...[
      'sets.equivalent($list, $list)',
      'sets.intersects($list, $list)',
      '$flag ? $flag : $flag',
      'bool($text)',
      'has($map.k)',
    ],
    ...[
      '$list == $list',
      '$map == $map',
      '$optional == $optional',
      'type($any) == $type',
      '$flag == $flag',
      'x',
      '$list[0] == $any',
    ],
  ],
  int: [
    ...[
      '$int + $int',
      '$int - $int',
      '$int * $int',
      '$int / $int',
      '$int % $int',
      '-$int',
      'int($double)',
      'int($text)',
      'int($uint)',
    ],
    ...[
      'int($moment)',
      'size($text)',
      'size($list)',
      'size($map)',
      '$text.size()',
      'size($bytes)',
      '$text.indexOf($text)',
    ],
    ...[
      '$text.indexOf($text, $int)',
      '$text.lastIndexOf($text)',
      '$text.lastIndexOf($text, $int)',
      '$moment.getFullYear()',
    ],
    ...[
      '$moment.getMonth()',
      '$moment.getDayOfYear()',
      '$moment.getDayOfWeek()',
      '$moment.getDate()',
      '$moment.getHours("Europe/Berlin")',
    ],
    ...[
      '$moment.getMinutes("+05:30")',
      '$moment.getSeconds()',
      '$moment.getMilliseconds()',
      '$span.getHours()',
      '$span.getSeconds()',
    ],
    ...[
      '$span.getMilliseconds()',
      '$optional.orValue($int)',
      '$flag ? $int : $int',
      '$list.map(x, $int)[0]',
      '$moment.getDayOfMonth()',
    ],
  ],
  uint: [
    '$uint + $uint',
    '$uint - $uint',
    '$uint * $uint',
    '$uint / $uint',
    '$uint % $uint',
    'uint($int)',
    'uint($double)',
    'uint($text)',
  ],
  double: [
    '$double + $double',
    '$double - $double',
    '$double * $double',
    '$double / $double',
    '-$double',
    'double($int)',
    'double($text)',
  ],
  text: [
    ...[
      '$text + $text',
      'string($any)',
      'string($double)',
      'string($int)',
      'string($moment)',
      'string($span)',
      'string($bytes)',
    ],
    ...[
      '$text.charAt($int)',
      '$text.lowerAscii()',
      '$text.upperAscii()',
      '$text.replace($text, $text)',
      '$text.replace($text, $text, $int)',
    ],
    ...[
      '$text.substring($int)',
      '$text.substring($int, $int)',
      '$text.trim()',
      '$list.join()',
      '$list.join($text)',
      '$text.reverse()',
    ],
    ...[
      '$text.format($list)',
      '"%s %v".format([$any, $any])',
      '"%s".format([$any])',
      '"%d|%x".format([$int, $int])',
      'strings.quote($text)',
    ],
    ...[
      '"%.3f %e".format([$double, $double])',
      '"%b %o %X".format([$int, $uint, $text])',
      'base64.encode($bytes)',
      '$text.split($text)[0]',
    ],
  ],
  bytes: ['$bytes + $bytes', 'bytes($text)', 'base64.decode($text)'],
  list: [
    ...[
      '$list + $list',
      '[$any, $any]',
      '[$int, $double]',
      '[?$optional]',
      '$list.map(x, $any)',
      '$list.map(x, $flag, $any)',
      '$list.filter(x, $flag)',
    ],
    ...[
      '{$text: $any}.map(k, $any)',
      '{$int: $any}.filter(k, $flag)',
      '$text.split($text)',
      '$text.split($text, $int)',
      '$list.map(x, x)',
      '$list.map(x, [x, $any])',
    ],
    ...[
      '$list.filter(x, type(x) == $type)',
      '$list.map(x, $list.map(y, [x, y]))',
      '$flag ? $list : $list',
      '$list.filter(x, x != $any)',
    ],
  ],
  map: [
    '{$text: $any}',
    '{$text: $any, $int: $any}',
    '{?$text: $optional}',
    '{$flag: $any, $uint: $any}',
    '$flag ? $map : $map',
    '{$any: $any}',
  ],
  moment: [
    '$moment + $span',
    '$moment - $span',
    '$span + $moment',
    'timestamp($text)',
    'timestamp($int)',
    'timestamp($moment)',
  ],
  span: ['$span + $span', '$span - $span', '$moment - $moment', 'duration($text)', 'duration($span)', '-$span'],
  optional: [
    ...[
      'optional.of($any)',
      'optional.ofNonZeroValue($any)',
      '$map[?$text]',
      '$list[?$int]',
      '$map.?k',
      '$optional.or($optional)',
    ],
    ...[
      '$optional.optMap(v, $any)',
      '$optional.optFlatMap(v, $optional)',
      '$optional.?k',
      '$optional[?0]',
      '$map.?a.b',
      '$any.?k',
    ],
  ],
  type: ['type($any)', 'type($list)', 'type($type)', 'type($moment)'],
  any: [
    ...[
      '$flag',
      '$int',
      '$uint',
      '$double',
      '$text',
      '$bytes',
      '$list',
      '$map',
      '$moment',
      '$span',
      '$optional',
      '$type',
      '$list[$int]',
    ],
    ...[
      '$map[$text]',
      '$map.k',
      '$map.a',
      '$optional.value()',
      '$optional.orValue($any)',
      '$flag ? $any : $any',
      'dyn($any)',
      '$list[$double]',
    ],
    ...[
      '$any.a',
      '$any[$any]',
      '($any)',
      '$list[$uint]',
      '$map[$int]',
      '$any + $any',
      '$any * $any',
      '-$any',
      '$any.size()',
      'x',
      'x.type',
    ],
  ],
}

const DEEPEST = 4

/** One expression for each seed: mostly sound, at times with a part of another sort, at times damaged as text. */
export const generatedExpression = (seed: number): string => {
  const random = seededRandom(seed)
  const text = expressionOf(random.pick(sorts), random, 0)
  return random.below(15) === 0 ? damaged(text, random) : text
}

const expressionOf = (wanted: Sort, random: SeededRandom, depth: number): string => {
  const sort = random.below(40) === 0 ? random.pick(sorts) : wanted
  if (depth >= DEEPEST || random.below(DEEPEST + 1) < depth) return random.pick(leaves[sort])
  const form = random.pick(forms[sort])
  return form.replace(/\$(\w+)/g, (_, part: Sort) => withBrackets(expressionOf(part, random, depth + 1), random))
}

/** Mostly: without, it is read otherwise than it was made. */
const withBrackets = (text: string, random: SeededRandom): string =>
  /^[\w.]+$|^\w*\(.*\)$|^".*"$/.test(text) || random.below(8) === 0 ? text : `(${text})`

const rubbish = [
  '(',
  ')',
  '[',
  ']',
  '{',
  '}',
  '"',
  "'",
  '.',
  ',',
  '?',
  ':',
  '!',
  '-',
  '&&',
  '|',
  '=',
  '#',
  '//',
  '\\',
  ' in ',
  '0',
  'u',
  'e5',
  '@',
  '`',
  '\n',
]

const damaged = (text: string, random: SeededRandom): string => {
  const at = random.below(text.length + 1)
  const cut = random.below(3)
  return text.slice(0, at) + (random.below(3) === 0 ? '' : random.pick(rubbish)) + text.slice(at + cut)
}
