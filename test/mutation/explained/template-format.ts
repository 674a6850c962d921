import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/template')
const infinite = because('of numbers that are infinite none is zero')
const small = because('small integers are made once for speed alone')

const plain = because('the quick way for plain values comes to the same')
const equal = because('at the limit both ways come to the same')

export const explained: readonly Explanation[] = [
  equal('format/sprintf.ts', 'if (width < 0) flags.minus = true', 'width < 0 → width <= 0'),
  plain(
    'format/sprintf.ts',
    'const plainDirective = (cursor: Cursor): string | undefined => {',
    '{ const [verb, value] = [cursor.format[cursor.position], cursor.values[cursor.ar… → {}',
  ),
  plain(
    'format/sprintf.ts',
    'const [verb, value] = [cursor.format[cursor.position], cursor.values[cursor.argument]]',
    '[cursor.format[cursor.position], cursor.values[cursor.argument]] → []',
  ),
  ...[
    "typeof value === 'string' → false",
    `'string' → ""`,
    "verb === 's' || verb === 'v' → false",
    "verb === 's' || verb === 'v' → verb === 's' && verb === 'v'",
    `'s' → ""`,
    "verb === 'v' → false",
    "verb === 's' → false",
    `'v' → ""`,
    "verb === 'd' && integerOf(value) !== undefined → false",
    `'d' → ""`,
  ].map(change =>
    plain(
      'format/sprintf.ts',
      "typeof value === 'string' ? verb === 's' || verb === 'v' : verb === 'd' && integerOf(value) !== undefined",
      change,
    ),
  ),
  plain('format/sprintf.ts', 'if (!isPlain) return undefined', '!isPlain → true'),
  ...["typeof value === 'string' && UNESCAPED.test(value) → false", `'string' → ""`].map(change =>
    plain(
      'format/write-json.ts',
      'if (typeof value === \'string\' && UNESCAPED.test(value)) return `"${value}"`',
      change,
    ),
  ),
  plain(
    'format/write-json.ts',
    'if (Array.isArray(value) && !(value instanceof TypedList)) {',
    'Array.isArray(value) && !(value instanceof TypedList) → false',
  ),
  plain(
    'format/write-json.ts',
    'if (Array.isArray(value) && !(value instanceof TypedList)) {',
    "{ let items = '' for (const item of value) items += items === '' ? compact(item)… → {}",
  ),
  plain(
    'format/write-json.ts',
    'if (!(value instanceof Map)) return goJson(toJsonValue(value))',
    '!(value instanceof Map) → true',
  ),
  plain(
    'format/write-json.ts',
    "const UNESCAPED = /^[ !#-%'-;=?-[\\]-~]*$/",
    "/^[ !#-%'-;=?-[\\]-~]*$/ → /^[ !#-%'-;=?-[\\]-~]$/",
  ),
  plain('values/text.ts', 'const ASCII = /^[\\x00-\\x7f]*$/', '/^[\\x00-\\x7f]*$/ → /^[\\x00-\\x7f]$/'),
  because('where no class is named, a plain list is made, too')(
    'values/value.ts',
    'static override get [Symbol.species]() {',
    '{ return Array } → {}',
  ),
  because('any name would do that no field has')(
    'values/value.ts',
    "export const UNDERLYING = ''",
    `'' → "Stryker was here!"`,
  ),
  infinite(
    'format/write-toml.ts',
    "if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value > 0 ? 'inf' : '-inf'",
    'value > 0 → value >= 0',
  ),
  infinite(
    'values/to-json.ts',
    "throw new Error(`json: unsupported value: ${Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}`)",
    'value > 0 → value >= 0',
  ),
  ...[
    "typeof value === 'number' && value >= -1 && value < SMALL.length - 1 → false",
    'value >= -1 → value > -1',
    '-1 → +1',
    `'number' → ""`,
  ].map(change =>
    small(
      'values/value.ts',
      "if (typeof value === 'number' && value >= -1 && value < SMALL.length - 1) return SMALL[value + 1]!",
      change,
    ),
  ),
  small(
    'values/value.ts',
    'const SMALL = Array.from({ length: 258 }, (_, i) => new Int(BigInt(i - 1)))',
    '{ length: 258 } → {}',
  ),
]
