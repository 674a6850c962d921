import type { Explanation } from '../explanation.ts'

/** A text that fits is written as it is, which is faster than character by character and comes to the same. */
const quickWay = (line: string, change: string): Explanation => ({
  file: 'yaml/write-scalar.ts',
  line,
  change,
  why: 'the way by characters, or the quick one, gives the same text',
})
const hasBreak = 'const hasBreak = /[\\n\\r\\x85\\u2028\\u2029]/.test(text)'
const fits = 'if (!hasBreak && (isKey || start + quote + text.length <= width)) return text'

const emission = (line: string, change: string, why: string): Explanation => ({
  file: 'yaml/emit-node.ts',
  line,
  change,
  why,
})
const begun = 'a line has just begun, so there is white space already'

export const explained: readonly Explanation[] = [
  quickWay(hasBreak, '/[\\n\\r\\x85\\u2028\\u2029]/ → /[^\\n\\r\\x85\\u2028\\u2029]/'),
  quickWay(fits, '!hasBreak && (isKey || start + quote + text.length <= width) → false'),
  quickWay(fits, 'isKey || start + quote + text.length <= width → isKey && start + quote + text.length <= width'),
  quickWay(fits, 'start + quote + text.length <= width → false'),
  quickWay(fits, 'start + quote + text.length <= width → start + quote + text.length < width'),
  quickWay(fits, 'start + quote → start - quote'),
  emission('private inBlockItem = false', 'false → true', 'the indentation of the root comes from nothing else'),
  emission('this.footIndent = -1', '-1 → +1', 'nothing follows the foot of a document but its end, at the margin'),
  emission("this.indicator('-', false, true)", 'false → true', begun),
  emission("if (!simple) this.indicator('?', false, true)", 'false → true', begun),
  {
    file: 'yaml/parser.ts',
    line: 'if (this.anchor !== undefined) {',
    change: 'this.anchor !== undefined → true',
    why: 'what is anchored under no name is never asked for',
  },
  {
    file: 'yaml/parser.ts',
    line: "const node = new YamlNode('alias', '', next.value)",
    change: `'' → "Stryker was here!"`,
    why: 'an alias is written and read by its name: nobody asks for its tag',
  },
  ...['footIndent = -1', 'this.footIndent = -1'].map(line => ({
    file: 'yaml/line-writer.ts',
    line,
    change: '-1 → +1',
    why: 'levels are of two spaces or more, so nothing stands at the indentation of one, as nothing does at that of minus one',
  })),
  ...[
    [
      "if (c > NINE && !INITIALS.includes(text[0]!)) return { tag: '!!str', value: text }",
      'c > NINE && !INITIALS.includes(text[0]!) → false',
    ],
    [
      "text.length <= 5 ? (WORDS.get(text) ?? (schema === 'kubernetes' ? OLD_BOOLEANS.get(text) : undefined)) : undefined",
      'text.length <= 5 → true',
    ],
    ["return c > NINE ? { tag: '!!str', value: text } : resolveNumber(text, schema)", 'c > NINE → false'],
  ].map(([line, change]) => ({
    file: 'yaml/resolve.ts',
    line: line!,
    change: change!,
    why: 'most texts are neither words nor numbers: this says so sooner than the list of words and the forms of numbers do',
  })),
]
