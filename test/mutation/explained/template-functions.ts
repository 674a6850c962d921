import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/template')
const eitherEqual = because('of two equal numbers either is the greatest, and the smallest')
const equal = because('at the limit both ways come to the same')
const compiled = because('`and`, `or` and `call` are compiled in place: nobody calls these')
const kept = because('compiled expressions are kept for speed alone')

export const explained: readonly Explanation[] = [
  compiled(
    'functions/builtins.ts',
    'const unreachable = (): Value => {',
    "{ throw new Error('compiled in place') } → {}",
  ),
  compiled('functions/builtins.ts', "throw new Error('compiled in place')", `'compiled in place' → ""`),
  equal(
    'functions/strings.ts',
    'return size < 0 ? byteSlice(text, Math.max(0, length + size), length) : byteSlice(text, 0, size)',
    'size < 0 → size <= 0',
  ),
  equal(
    'functions/strings.ts',
    'if (limit < 0 || parts.length <= limit) return parts',
    'parts.length <= limit → parts.length < limit',
  ),
  because('a limit of zero has been answered before')(
    'functions/strings.ts',
    'if (limit < 0 || parts.length <= limit) return parts',
    'limit < 0 → limit <= 0',
  ),
  equal(
    'functions/dates.ts',
    'const size = nanoseconds < 0n ? -nanoseconds : nanoseconds',
    'nanoseconds < 0n → nanoseconds <= 0n',
  ),
  because('the five bits that are left are written behind the loop, too')(
    'functions/encoding.ts',
    'for (bits += 8; bits >= 5; bits -= 5) out += ALPHABET[(pending >> (bits - 5)) & 31]',
    'bits >= 5 → bits > 5',
  ),
  because('any kind would do that no word has')(
    'functions/identifier-case.ts',
    "const END: Word = { kind: 'end', text: '' }",
    `'end' → ""`,
  ),
  because('U+0080 is not printable')(
    'functions/escape.ts',
    'return code >= 0x80 && (isPrintable(c) || !c.isWellFormed())',
    'code >= 0x80 → code > 0x80',
  ),
  because('the way by characters gives the same text')(
    'functions/letter-case.ts',
    "/^[\\x00-\\x7f]*$/.test(text) ? change(text) : [...text.toWellFormed()].map(changeOne).join('')",
    '/^[\\x00-\\x7f]*$/ → /^[\\x00-\\x7f]$/',
  ),
  eitherEqual('functions/numbers.ts', 'const max = extreme((a, b) => a > b)', 'a > b → a >= b'),
  eitherEqual('functions/numbers.ts', "['min', extreme((a, b) => a < b)],", 'a < b → a <= b'),
  because('ten to the power of zero is one either way')(
    'functions/numbers.ts',
    'return places < 0 ? scaled(1 / product, -twos) : scaled(product, twos)',
    'places < 0 → places <= 0',
  ),
  kept('functions/regex.ts', 'if (known) return known', 'known → false'),
  kept('functions/regex.ts', 'compiled.set(source, expression)', 'compiled.set(source, expression) → ;'),
  ...['→ true', '→ false', '→ compiled.size > MAX_CACHED', '→ compiled.size < MAX_CACHED'].map(change =>
    kept(
      'functions/regex.ts',
      'if (compiled.size >= MAX_CACHED) compiled.clear()',
      `compiled.size >= MAX_CACHED ${change}`,
    ),
  ),
  kept('functions/regex.ts', 'if (compiled.size >= MAX_CACHED) compiled.clear()', 'compiled.clear() → ;'),
]
