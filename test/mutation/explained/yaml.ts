import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('yaml')
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

const hasBreak = 'const hasBreak = /[\\n\\r\\x85\\u2028\\u2029]/.test(text)'
const fits = 'if (!hasBreak && (isKey || start + quote + text.length <= width)) return text'

export const explained: readonly Explanation[] = [
  quickWay('write-scalar.ts', hasBreak, '/[\\n\\r\\x85\\u2028\\u2029]/ → /[^\\n\\r\\x85\\u2028\\u2029]/'),
  ...[
    '!hasBreak && (isKey || start + quote + text.length <= width) → false',
    'isKey || start + quote + text.length <= width → isKey && start + quote + text.length <= width',
    'start + quote + text.length <= width → false',
    'start + quote + text.length <= width → start + quote + text.length < width',
    'start + quote → start - quote',
  ].map(change => quickWay('write-scalar.ts', fits, change)),
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
]
