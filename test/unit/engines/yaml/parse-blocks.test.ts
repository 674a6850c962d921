import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseBlocks } from '../../../../lib/engines/yaml/parse-blocks.ts'
import { Parser } from '../../../../lib/engines/yaml/parser.ts'
import { Budget, BudgetExceeded } from '../../../../lib/foundations/budget/budget.ts'
import { yamlTexts } from '../../../differential/yaml-texts.ts'
import { texts } from './go-yaml-texts.ts'
import { texts as rareData } from './rare-data.ts'
import { texts as rareTexts } from './rare-texts.ts'

/** The only document of a text, as the Parser reads it; its words where it is refused. */
const parsed = (text: string): unknown => {
  try {
    const parser = new Parser(text)
    const root = parser.next()?.root
    return parser.next() ? 'several documents' : root
  } catch (error) {
    return (error as Error).message
  }
}

const agrees = (text: string): boolean => {
  const blocks = parseBlocks(text)
  if (blocks) assert.deepEqual(blocks, parsed(text), JSON.stringify(text))
  return blocks !== undefined
}

const taken: Readonly<Record<string, readonly string[]>> = {
  'mappings and lists': [
    'a: b\n',
    'a:\n  b:\n    c: 1\n  d: 2\ne: 3\n',
    '- a\n- b\n',
    'a:\n- b\n- c: d\n  e: f\ng: h\n',
    'a:\n  - b\n  -   c: d\n      e:\n      - f\n',
    '- - a\n  - b\n-\n  - c\n-\n- d:\n- e: f\n',
    'a:\nb: \nc:\n  d:\n',
  ],
  keys: ['a.b/c-d_e$: 1\n', '"a b": 1\n\'c d\': 2\n"<<": 3\n', '$ref: a\n.a: b\n/b: c\n_: d\n'],
  'plain texts': [
    'a: b c d\n',
    'a: b\n  c\n\n  d\ne: f\n',
    'a: b:c\n',
    'a: -b\nb: -1\nc: a#b\nd: x{}[]&*!\n',
    '- a b\n  c\n- d\n',
    'a: true\nb: null\nc: ~\nd: 1.5\ne: 0x1f\nf: 2020-01-01\ng: yes\n',
  ],
  'quoted texts': [
    'a: "b: c # d"\nb: \'c "d"\'\nc: ""\n',
    "a: \"b\\n\\\"c\"\nb: 'it''s'\n",
    'a: "b\n  c"\nd: \'e\n\n  f\' # g\n',
    '- "a"\n- \'b\'\n',
  ],
  'blocks of text': [
    'a: |\n  b\n   c\n\n  d\ne: f\n',
    'a: |-\n  b\nc: >\n  d\n  e\n\n  f\ng: >-\n  h\n',
    'a:\n- |\n  b\n- >2\n    c\n',
    'a: |+\n  b\n\nc: d\n',
    'a: | # b\n  c\n',
    'a: |\nb: c\n',
  ],
  'brackets with nothing in them': ['a: {}\nb: []\nc:\n- {}\n- [] # d\n'],
  'brackets on one line': [
    'a: [b]\nc: {d: e}\nf: g\n',
    "a:\n  verbs: [\"*\", get, 'it''s'] # b\n  c: d\n",
    '- [a, [b, {c: d}], "]", \'}\']\n- {a: , b, "c": [1, ~, true, 0x1f]}\n',
    'a: [b c, d-e, -f, g:h, {i: j}, k: l]\nm: [ ]\nn: { }\n',
    'a: [&b c, *b, !d e, !!str 1]\n',
    'a: {<<: {b: c}, d: "\\n"}\n\ne: |\n  [f\n',
  ],
  comments: ['# a\na: b # c\n# d\n\nc: # d\n  e: f\n  # g\n', 'a:\n# b\n- c\n  # d\n- e\n# f\n', '---\n# a\nb: c'],
}

for (const [title, group] of Object.entries(taken))
  test(`${title} are read as the Parser reads them`, () => {
    for (const text of group) assert.ok(agrees(text), JSON.stringify(text))
  })

test('what is written otherwise is left to the Parser', () => {
  const left = [
    ...['', '# a\n', 'a\n', '"a"\n', '[a]\n', '{a: b}\n', '? a\n: b\n', 'a: &b c\n', 'a: !b c\n'],
    ...['a: b\n---\nc: d\n', 'a: b\n...\n', '%YAML 1.1\n---\na: b\n', '<<: {}\n', 'a: b: c\n', 'a: b:\n', 'a:\tb\n'],
    ...[
      'a: b\r\n',
      '  a: b\n c: d\n',
      'a:\n  b: c\n d: e\n',
      'a: b\n  c: d\n',
      'a: "b" c\n',
      'a: "b"#c\n',
      'a: @b\n',
      'a: %b\n',
    ],
    ...[
      'a: [b,\n  c]\n',
      'a: [b\n',
      'a: [b]: c\n',
      'a: [b] c\n',
      'a: [b]#c\n',
      'a: [b}\n',
      'a: [b # c\n]\n',
      "a: [it's]\n",
    ],
    ...['a: [&b c]\nd: *b\n', 'a: [*b]\n', 'a: [b]]\n', 'a: {b: c: d}\n', 'a: ["\\"]\n', '[a]: b\n', 'a:\n  [b]\n'],
    ...['a: - b\n', '- a\nb: c\n', 'a: "b\n', 'a: |x\n  b\n', 'a:b\n', 'a: b\n# c\n  d\n', `${'- '.repeat(300)}a\n`],
    ...[
      `a: ${'b'.repeat(4_000_000)}\n`,
      '--- a\n',
      '1: a\n',
      'a b: c\n',
      `${'a'.repeat(300)}: b\n`,
      'a:\n  b\n',
      '-\n  a\n',
    ],
  ]
  for (const text of left) assert.equal(parseBlocks(text), undefined, JSON.stringify(text.slice(0, 80)))
})

test('whatever it reads of texts of every kind, the Parser reads alike', () => {
  let read = 0
  for (const text of Object.values({ ...texts, ...rareTexts, ...rareData }).flat()) if (agrees(text)) read++
  assert.ok(read > 100, `only ${read}`)
})

test('whatever it reads of texts made by chance, the Parser reads alike', () => {
  for (const text of yamlTexts)
    fc.assert(
      fc.property(text, text => void agrees(text)),
      { seed: 26, numRuns: 1500 },
    )
})

test('pays for its nodes like the Parser', () => {
  const text = 'a: {}\nb: [] # c\nc:\n- d: |\n    e\n- f:\ng: [h, {i: , j: k}]\n'
  const [ours, theirs] = [new Budget(), new Budget()]
  parseBlocks(text, ours)
  new Parser(text, { budget: theirs }).next()
  assert.equal(ours.used.nodes, theirs.used.nodes)
  assert.throws(() => parseBlocks(text, new Budget({ nodes: 3 })), BudgetExceeded)
})
