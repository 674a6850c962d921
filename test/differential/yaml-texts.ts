import fc from 'fast-check'
import { bracketed, typed } from './yaml-corners.ts'

const pieces = fc.constantFrom(
  ...[
    'a',
    'b: ',
    'c:\n  ',
    '- ',
    '-\n',
    '? ',
    ': ',
    '[',
    ']',
    '{',
    '}',
    ',',
    ', ',
    '"',
    "'",
    '\n',
    '\n',
    '\n  ',
    '\n    ',
  ],
  ...[
    ' ',
    '\t',
    '# x',
    '\n# y\n',
    '|\n',
    '|-\n  ',
    '>\n ',
    '>+2\n  ',
    '&x ',
    '*x ',
    '!t ',
    '!!str ',
    '!',
    '1',
    '~',
    '0x1f',
  ],
  ...[
    '1.5',
    '2001-01-01',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '<<: ',
    "'it''s'",
    '"a\\tb\\\n c"',
    '"\\x41"',
    'true',
    'yes',
  ],
  ...['\r\n', 'long words to fold '],
)

const anyText = fc.array(pieces, { minLength: 2, maxLength: 9 }).map(chosen => chosen.join(''))

const line = fc
  .tuple(
    fc.constantFrom('', '', '  ', '    '),
    fc.constantFrom('', '', '', '- ', '- ', '- - ', '? ', ': '),
    fc.constantFrom('', '', 'a: ', 'b: ', '"c": ', '&x d: ', '<<: ', '!!str e: ', "'f g': ", 'h:', '*x : '),
    fc.constantFrom(
      ...[
        '',
        '',
        '1',
        'word',
        'two words',
        '"q\\n\\u00e9"',
        "'it''s'",
        '[1, b]',
        '{a: 1, b}',
        '&x',
        '&x y',
        '*x',
        '*x',
        '~',
      ],
      ...[
        '|\n      text\n\n      more\n',
        '>-\n      fold\n      ed\n\n       x\n',
        '|+1\n  a\n',
        '!!int 3',
        '!t z',
        '[\n',
        ']',
        '{',
        '}',
      ],
      ...['- ', 'a: b', '0o17', '1e3', '.inf', 'no', '2001-02-03', '"a', "'b", '"\n', '# none', '? k'],
    ),
    fc.constantFrom('', '', '', ' # line', '#no', '\n# head', '\n\n  # foot\n', ' '),
  )
  .map(parts => parts.join(''))

const linesOfText = fc
  .tuple(fc.array(line, { minLength: 1, maxLength: 6 }), fc.constantFrom('\n', '\n', '\n', '\r\n', '\n\n', '\n---\n'))
  .map(([lines, end]) => lines.join(end) + end)

const scalar = fc.constantFrom(
  ...[
    '1',
    'word',
    'two words',
    "'it''s'",
    '"q\\n\\u00e9"',
    '~',
    'no',
    '2001-02-03',
    '0o17',
    '1e3',
    '.inf',
    '!t z',
    '!!str 3',
    '-x',
    '&x y',
  ],
  ...[
    '[1, b]',
    '{a: 1, b: [c]}',
    '[]',
    '{}',
    '""',
    '[a, # c\n\n b]',
    '{"a b": c d, e: "f\\\n    g"}',
    "'a\n\n      b'",
  ],
)
const comment = fc.constantFrom('', '', '', ' # line', '\n# head', '\n\n      # foot\n', '\n')

/** Blocks of that indentation, each of lines that end. */
const block = (indent: number): fc.Arbitrary<string> => {
  const pad = ' '.repeat(indent)
  const ended = fc.tuple(scalar, comment).map(([value, said]) => `${value}${said}\n`)
  const long = fc
    .tuple(fc.constantFrom('|', '>', '|-', '>+'), comment)
    .map(([style]) => `${style}\n${pad}   text\n\n${pad}     more\n${pad}   end\n`)
  const below = indent > 4 ? ended : fc.oneof(block(indent + 2), block(indent + 4)).map(text => `\n${text}`)
  const value = fc.oneof(
    { weight: 3, arbitrary: ended },
    { weight: 1, arbitrary: long },
    { weight: 2, arbitrary: below },
  )
  const fields = fc.uniqueArray(fc.constantFrom('a', 'b', '"c"', "'d e'", '1', `? f\n${pad}`, '!t g'), {
    minLength: 1,
    maxLength: 3,
  })
  const map = fc
    .tuple(fields, fc.array(value, { minLength: 3, maxLength: 3 }))
    .map(([names, values]) => names.map((name, at) => `${pad}${name}: ${values[at]}`).join(''))
  const list = fc
    .array(value, { minLength: 1, maxLength: 3 })
    .map(items => items.map(item => `${pad}- ${item}`).join(''))
  return fc.oneof(map, list)
}

/** YAML and what looks like it, from mere signs to whole documents. */
export const yamlTexts: readonly fc.Arbitrary<string>[] = [anyText, linesOfText, block(0), bracketed, typed]
