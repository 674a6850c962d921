import fc from 'fast-check'

const oneOf = (...texts: string[]): fc.Arbitrary<string> => fc.constantFrom(...texts)
const joined = (...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map(texts => texts.join(''))
const several = (text: fc.Arbitrary<string>, minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.array(text, { minLength, maxLength }).map(texts => texts.join(''))

const space = oneOf('', '', '', ' ', ' # c1\n ', '\n ', '\n # c2\n ', ' # c3\n\n # c4\n ', '\n\n # c5\n\n ')
const atom = oneOf('a', 'b', '"q"', '*x', '', '1', '!t', '!t z', '&x', '&x v', "''")
const property = oneOf('', '&x ', '!t ')

/** Lists and mappings in brackets, with comments wherever one may stand. */
const { flow } = fc.letrec<{ flow: string }>(again => {
  const inner = again('flow')
  const item = joined(inner, space, oneOf(',', ',', ': '), space)
  const field = joined(inner, space, oneOf(' : ', ': ', ' :\n '), space, inner, space, oneOf(','), space)
  return {
    flow: fc.oneof(
      { weight: 3, arbitrary: atom },
      { weight: 1, arbitrary: joined(property, oneOf('['), space, several(item, 0, 4), inner, space, oneOf(']')) },
      {
        weight: 2,
        arbitrary: joined(property, oneOf('{'), space, several(field, 0, 3), oneOf('', 'k: v', 'k'), space, oneOf('}')),
      },
    ),
  }
})

const comment = oneOf('', '', '', ' # l', '\n# h', '\n\n# f\n', '\n  # i', '\n\n  # j\n\n')
const below = oneOf(
  '\n  k: v',
  '\n  - v',
  '\n  - - v\n    # n\n',
  '|\n  t',
  '\n  ? [a]\n  : b',
  '\n  # k\n  k: v\n  # z',
)
const value = fc.oneof(flow, atom, below)
const simpleKey = oneOf('a', 'b', '"a"', '? |\n  t\n')
const listKey = oneOf('? [k]\n', '? {k: v} # kk\n', '? - k\n', '? k: v\n  # kf\n\n# kg\n', '? # kh\n  - k\n  # kl\n')
const end = oneOf('\n')

export const bracketed: fc.Arbitrary<string> = fc.oneof(
  joined(comment, end, oneOf('? '), flow, comment, oneOf('\n: '), value, comment, end),
  joined(comment, end, flow, comment, end),
  several(joined(comment, end, fc.oneof(simpleKey, listKey), comment, oneOf(': '), value, comment, end), 1, 3),
  several(joined(comment, end, oneOf('- '), value, comment, end), 1, 3),
)

/** No two of them have the same name and another type: which of those is kept is left to chance. */
const key = oneOf(
  ...[
    'a',
    'b',
    '<<',
    '!!str <<',
    '! <<',
    '!!merge <<',
    '!!map <<',
    '"<<"',
    '!!merge x',
    '""',
    '',
    '!!str',
    '! ""',
    '~',
    '1',
  ],
  ...[
    '"2"',
    '!!int "3"',
    '!!float 4',
    '! 5',
    '1.5',
    '!!str 2.5',
    '!!float "3.5"',
    '.inf',
    '!!float .inf',
    '1e400',
    'true',
  ],
  ...[
    '9223372036854775807',
    '9223372036854775808',
    '!!float 9223372036854775809',
    '18446744073709551616',
    '!!bool true',
  ],
  ...[
    '2001-01-01',
    '!!timestamp 2001-01-02',
    '!!binary aGk=',
    '!t w',
    '!t 6',
    '*x',
    '*y',
    '[q]',
    '{q: 1}',
    '-1e39',
    '.nan',
    'é',
  ],
)
const typedValue = oneOf(
  ...[
    '1',
    '*x',
    '*y',
    '*z',
    '~',
    '',
    '!!str',
    '! ""',
    '""',
    '[*x]',
    '[*x, *y]',
    '{c: *x}',
    '[{a: 1}, {b: 2}]',
    '{a: 1, 7: 3}',
  ],
  ...[
    '{<<: *x}',
    '{d: 4}',
    'w',
    '!!int 3',
    '!!int x',
    '!!float 3',
    '!!float 9223372036854775808',
    '!!float x',
    '!!timestamp 3',
  ],
  ...[
    '!!timestamp "x"',
    '!!timestamp 2001-01-01',
    '!!bool 1',
    '!!null x',
    '!!merge x',
    '!!merge <<',
    '!!str 4',
    '! 4',
    '! "4"',
  ],
  ...[
    '.inf',
    '.nan',
    '!!binary aGk=',
    '!!float 2001-01-01',
    '!!int 2001-01-01',
    '1e400',
    '{.nan: 1}',
    '{~: 1}',
    '{"": 1}',
  ],
  ...['{: 1}', '{<<: 1}', '{? [a] : b}', '!t 1', '!t {a: }', '!!map {a: 1}', '!!seq [1]', '"\\U00010000"', '😀', "'x'"],
)
const anchor = oneOf('', '', '', '&x ', '&y ', '&z ')
const head = oneOf('', '', '', '', '# h\n', '\n# h\n\n')
const lineEnd = oneOf('\n', '\n', '\n', ' # l\n', '\n\n# f\n\n')
const entry = fc.oneof(
  joined(head, anchor, key, oneOf(': '), anchor, typedValue, lineEnd),
  joined(head, oneOf('? '), anchor, key, oneOf('\n: '), anchor, typedValue, lineEnd),
)
const fields = several(entry, 1, 4)
const inBrackets = joined(
  oneOf('{'),
  several(joined(anchor, key, oneOf(' : '), anchor, typedValue, oneOf(', ', ', # c\n')), 1, 3),
  oneOf('}'),
)
const deeper = (text: fc.Arbitrary<string>): fc.Arbitrary<string> => text.map(lines => lines.replace(/^(?=.)/gm, '  '))

/** Keys, tags, merges and anchors of every kind. */
export const typed: fc.Arbitrary<string> = fc.oneof(
  fields,
  joined(oneOf('x: '), anchor, end, deeper(fields), fields),
  joined(oneOf('x: '), anchor, inBrackets, end, fields),
  joined(oneOf('-\n'), deeper(fields), oneOf('- '), inBrackets, end),
  several(joined(oneOf('- '), anchor, typedValue, lineEnd), 1, 4),
)
