import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('engines/yaml')
const quickWay = because('the way by characters, or the quick one, gives the same text')
const begun = because('a line has just begun, so there is white space already')
const sooner = because(
  'most texts are neither words nor numbers: this says so sooner than the list of words and the forms of numbers do',
)
const belowLevels = because(
  'levels are of two spaces or more, so nothing stands at the indentation of one, as nothing does at that of minus one',
)
const unneeded = because('spares most nodes comments in which nothing stands')
const settled = because('the first character settles it before anybody asks')

const ungrouped = because('spares most mappings the groups, in which no two keys are found alike either')

const fits = 'if (column + text.length <= width) return text'

export const explained: readonly Explanation[] = [
  quickWay(
    'write-scalar.ts',
    'if (!hasBreak(text)) return isKey ? text : foldLine(text, start + quote, indent, width)',
    '!hasBreak(text) → false',
  ),
  ...['column + text.length <= width → false', 'column + text.length <= width → column + text.length < width'].map(
    change => quickWay('write-scalar.ts', fits, change),
  ),
  quickWay(
    'scalar-analysis.ts',
    'return ASCII.test(text) ? analyzeAscii(text) : analyzeAny(text, emitter)',
    'ASCII.test(text) → false',
  ),
  quickWay('write-scalar.ts', 'if (!marked && UNCHANGED.test(text)) {', '!marked && UNCHANGED.test(text) → false'),
  ...[
    'content.length <= 2 * MAX_LINEAR_KEYS → false',
    'content.length <= 2 * MAX_LINEAR_KEYS → content.length < 2 * MAX_LINEAR_KEYS',
  ].map(change => ungrouped('duplicate-keys.ts', 'if (content.length <= 2 * MAX_LINEAR_KEYS) {', change)),
  ungrouped('duplicate-keys.ts', 'if (!repeatsValues(content)) return []', '!repeatsValues(content) → false'),
  ...['i < content.length → false', 'values.add(content[i]!.value) → ;'].map(change =>
    ungrouped('duplicate-keys.ts', 'for (let i = 0; i < content.length; i += 2) values.add(content[i]!.value)', change),
  ),
  ...[
    'values.size < content.length / 2 → true',
    'values.size < content.length / 2 → values.size <= content.length / 2',
    'content.length / 2 → content.length * 2',
  ].map(change => ungrouped('duplicate-keys.ts', 'return values.size < content.length / 2', change)),
  unneeded(
    'comment-reader.ts',
    'if (!head && !line && !foot && !node.comments) return',
    '!head && !line && !foot && !node.comments → false',
  ),
  unneeded('comment-reader.ts', "if (released.stem === '') return", "released.stem === '' → false"),
  unneeded('comment-reader.ts', "if (released.stem === '') return", `'' → "Stryker was here!"`),
  because('aliases point to nothing that has no anchor')(
    'to-json.ts',
    'if (inFlow && node.anchor !== undefined) this.anchoredInFlow.add(node)',
    'node.anchor !== undefined → true',
  ),
  settled('comment-reader.ts', 'let recentEmpty = false', 'false → true'),
  settled('scalar-analysis.ts', "let previous: 'space' | 'break' | '' = ''", `'' → "Stryker was here!"`),
  settled('scalar-analysis.ts', 'let afterBlank = true', 'true → false'),
  because('the indentation of the root comes from nothing else')(
    'emit-node.ts',
    'private inBlockItem = false',
    'false → true',
  ),
  because('nothing follows the foot of a document but its end, at the margin')(
    'emit-node.ts',
    'this.footIndent = -1',
    '-1 → +1',
  ),
  begun('emit-node.ts', "this.indicator('-', false, true)", 'false → true'),
  begun('emit-node.ts', "if (!simple) this.indicator('?', false, true)", 'false → true'),
  because('what is anchored under no name is never asked for')(
    'parser.ts',
    'if (this.anchor !== undefined) {',
    'this.anchor !== undefined → true',
  ),
  because('an alias is written and read by its name: nobody asks for its tag')(
    'parser.ts',
    "const node = new YamlNode('alias', '', next.value)",
    `'' → "Stryker was here!"`,
  ),
  belowLevels('line-writer.ts', 'footIndent = -1', '-1 → +1'),
  belowLevels('line-writer.ts', 'this.footIndent = -1', '-1 → +1'),
  sooner(
    'resolve.ts',
    "if (c > NINE && !INITIALS.includes(text[0]!)) return { tag: '!!str', value: text }",
    'c > NINE && !INITIALS.includes(text[0]!) → false',
  ),
  sooner(
    'resolve.ts',
    "text.length <= 5 ? (WORDS.get(text) ?? (schema === 'kubernetes' ? OLD_BOOLEANS.get(text) : undefined)) : undefined",
    'text.length <= 5 → true',
  ),
  sooner(
    'resolve.ts',
    "return c > NINE ? { tag: '!!str', value: text } : resolveNumber(text, schema)",
    'c > NINE → false',
  ),
  ...['isDefinitelyPlain(key) && key.length <= 128 → false', 'key.length <= 128 → key.length < 128'].map(change =>
    quickWay('emit-json.ts', 'const plain = isDefinitelyPlain(key) && key.length <= 128', change),
  ),
  quickWay(
    'resolve.ts',
    'const SURELY_PLAIN = /^[a-eg-mp-su-xzA-EG-MP-SU-XZ/_][A-Za-z0-9_./-]*$/',
    '/^[a-eg-mp-su-xzA-EG-MP-SU-XZ/_][A-Za-z0-9_./-]*$/ → /^[a-eg-mp-su-xzA-EG-MP-SU-XZ/_][A-Za-z0-9_./-]$/',
  ),
  quickWay(
    'resolve.ts',
    'export const isDefinitelyPlain = (text: string): boolean => SURELY_PLAIN.test(text)',
    '(text: string): boolean => SURELY_PLAIN.test(text) → () => undefined',
  ),
  because('there is nothing in null')(
    'emit-json.ts',
    "if (typeof value !== 'object' || value === null || Array.isArray(value)) return false",
    'value === null → false',
  ),
  because('all that is not v3 is v2')(
    'emit-json.ts',
    "return writeScalar(text, style, { emitter: 'v2', column, indent, width: WIDTH, inFlow: false, isKey })",
    '\'v2\' → ""',
  ),
  because('comparing bytes gives the same order where all keys are ASCII')(
    'go-json.ts',
    'const ascii = keys.every(key => !/[^\\0-\\x7f]/.test(key))',
    'key => !/[^\\0-\\x7f]/.test(key) → () => undefined',
  ),
  because('no key stands twice')(
    'go-syntax.ts',
    'const sorted = [...entries].sort(([a], [b]) => rank(a) - rank(b) || (a! < b! ? -1 : 1))',
    'a! < b! → a! <= b!',
  ),
  because('defining a property is a slower way to set it')(
    'json-value.ts',
    "if (key === '__proto__') {",
    "key === '__proto__' → true",
  ),
  ...['c < 128 → false', 'c < 128 → c <= 128'].map(change =>
    because('letters of ASCII are letters of Unicode, which are found slower')(
      'key-order.ts',
      'return c < 128 ? isAsciiLetter(c) : isLetter(String.fromCodePoint(text.codePointAt(i)!))',
      change,
    ),
  ),
  because('the reading of numbers refuses what does not begin with the dot')(
    'resolve.ts',
    'const DOT_FLOAT = /^\\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/',
    '/^\\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/ → /\\.[0-9]+(_[0-9]+)*([eE][-+]?[0-9]+(_[0-9]+)*)?$/',
  ),
  ...[
    'text.length < 8 || text.charCodeAt(4) !== 45 → text.length < 8 && text.charCodeAt(4) !== 45',
    'text.length < 8 || text.charCodeAt(4) !== 45 → false',
    'text.charCodeAt(4) !== 45 → false',
    'text.length < 8 → false',
  ].map(change =>
    because('tells sooner of most texts what the form of times tells')(
      'timestamp.ts',
      'if (text.length < 8 || text.charCodeAt(4) !== 45) return undefined',
      change,
    ),
  ),
  ...(
    [
      ["documentHead: () => '',", `'' → "Stryker was here!"`],
      ["documentHead: () => '',", "() => '' → () => undefined"],
      ["documentFoot: () => '',", `'' → "Stryker was here!"`],
      ["documentFoot: () => '',", "() => '' → () => undefined"],
      ['headLength: () => 0,', '() => 0 → () => undefined'],
    ] as const
  ).map(([line, change]) => because('who reads without comments asks for none')('comment-sink.ts', line, change)),
  because('nobody asks for the style of what is no scalar')(
    'scan-directive.ts',
    "directive = token('tag-directive', start, handle, '', scanUri(cursor, '', start))",
    `'' → "Stryker was here!"`,
  ),
  because('nobody asks for the text, style or suffix of tokens that are given none')(
    'token.ts',
    "export const token = (type: TokenType, start: Mark, value = '', style: NodeStyle = '', suffix = ''): Token => ({",
    `'' → "Stryker was here!"`,
  ),
  because('nothing was broken off before the first line')(
    'scan-block-scalar.ts',
    'let afterBlank = false',
    'false → true',
  ),
  ...[
    ["first: '',", `'' → "Stryker was here!"`] as const,
    ["rest: '',", `'' → "Stryker was here!"`] as const,
    ['broke: false,', 'false → true'] as const,
  ].map(([line, change]) =>
    because('a plain text begins with a character, and no gap is before it')('scan-gap.ts', line, change),
  ),
  because('it is only used after a first break, which sets it')(
    'scan-gap.ts',
    "let first = ''",
    `'' → "Stryker was here!"`,
  ),
  because('nobody asks for the style of what is no scalar')(
    'scan-tag.ts',
    "return token('tag', start, handle, '', suffix)",
    `'' → "Stryker was here!"`,
  ),
  ...[`'g' → ""`, '-1 → +1'].map(change =>
    because('what is not finite has no digits')(
      'to-json.ts',
      "if (typeof value === 'number') return Number.isFinite(value) ? undefined : `value: ${formatFloat(value, 'g', -1)}`",
      change,
    ),
  ),
  because('spares most documents a walk in which nothing is found')(
    'to-json.ts',
    'unsupported = false',
    'false → true',
  ),
  ...[
    "typeof value === 'number' && !Number.isFinite(value) → true",
    "typeof value === 'number' && !Number.isFinite(value) → typeof value === 'number' || !Number.isFinite(value)",
    "typeof value === 'number' → true",
  ].map(change =>
    because('spares most documents a walk in which nothing is found')(
      'to-json.ts',
      "if (typeof value === 'number' && !Number.isFinite(value)) this.unsupported = true",
      change,
    ),
  ),
]
