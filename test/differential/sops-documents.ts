import fc from 'fast-check'
import type { SopsRequest } from '../bed/sops-oracle.ts'

/** Generated documents of every format that sops knows, with the rules they are encrypted by. */

const key = fc.constantFrom(
  ...['a', 'b', 'password', 'data', 'x_secret', 'x_unencrypted', 'kind', 'y', 'on', '"1"', "'two words'", '<key>', 'é'],
)

const scalar = fc.constantFrom(
  ...[
    'text',
    'two words',
    '""',
    "''",
    '42',
    '-7',
    '0x1f',
    '0o17',
    '0644',
    '1_000',
    '9223372036854775807',
    '1.5',
    '-0.0',
  ],
  ...['1e3', '1.0', '123456789.25', '1e-7', '6.02e23', '.5', 'true', 'False', 'yes', 'on', 'null', '~', '2024-01-01'],
  ...['2024-01-01T10:20:30.5+02:00', '12:30', '0b11', '.inf', '"12"', "'true'", '"tab\\there"', '"new\\nline"', 'a:b'],
  ...[
    '"# no comment"',
    '"trailing "',
    '" leading"',
    'é€😀',
    '"\\u0007bell"',
    '!!str 12',
    '"\\x85next"',
    '- dash'.slice(2),
  ],
  ...[
    '"a: b"',
    '"{x}"',
    '"[x]"',
    '"*x"',
    '"&x"',
    '"!x"',
    '"%x"',
    '"@x"',
    '"`x`"',
    '"|"',
    '">"',
    '"?"',
    '"- x"',
    '"--- x"',
  ],
)

const block = fc.constantFrom(
  ...['|\nl1\nl2\n', '|-\nl1\n\nl2', '|+\nl1\n\n', '>-\nfolded\ntext', '|\n  indented\nless', '|-\n#hash\nx'],
)

const comment = fc.constantFrom(null, null, null, '# one', '# two\n# three', '#', '#sops', '# encrypt this', '# plain')

type Lines = readonly string[]
const indented = (lines: Lines): string[] => lines.map(line => (line === '' ? '' : `  ${line}`))
const above = (text: string | null): string[] => text?.split('\n') ?? []
const behind = (text: string | null): string => (text ? ` ${text.split('\n')[0]}` : '')

const blockLines = (lead: string, text: string): string[] => {
  const [header, ...rest] = text.split('\n')
  return [`${lead} ${header}`, ...indented(rest)]
}

/** The lines of a value behind `lead`. */
type Written = (lead: string, trailing: string) => Lines

const values = fc.letrec<{ value: Written; mapping: Lines; list: Lines }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar.map<Written>(text => (lead, trailing) => [`${lead} ${text}${trailing}`]),
    block.map<Written>(text => lead => blockLines(lead, text)),
    fc
      .constantFrom('{}', '[]', '{a: 1, b: [x, "y"]}', '[1, two, {c: d}]')
      .map<Written>(text => lead => [`${lead} ${text}`]),
    tie('mapping').map<Written>(lines => lead => [lead, ...indented(lines)]),
    tie('list').map<Written>(lines => lead => [lead, ...indented(lines)]),
  ),
  mapping: fc
    .uniqueArray(fc.tuple(comment, key, tie('value'), comment, comment), {
      selector: ([, k]) => k,
      minLength: 1,
      maxLength: 4,
    })
    .map(fields =>
      fields.flatMap(([head, k, value, inline, foot]) => [
        ...above(head),
        ...value(`${k}:`, behind(inline)),
        ...(foot ? [...above(foot), ''] : []),
      ]),
    ),
  list: fc
    .array(fc.tuple(comment, tie('value'), comment), { minLength: 1, maxLength: 3 })
    .map(items => items.flatMap(([head, value, inline]) => [...above(head), ...value('-', behind(inline))])),
}))

const yaml = fc
  .array(values.mapping, { minLength: 1, maxLength: 2 })
  .map(documents => documents.map(lines => `${lines.join('\n')}\n`).join('---\n'))

const text = fc.constantFrom(
  '',
  'a',
  'two words',
  'x=y',
  '#x',
  'é',
  '"quoted"',
  "'single'",
  'a\\nb',
  ' lead',
  'tail ',
  'a;b',
)
const plainKey = fc.constantFrom('A', 'B', 'C_unencrypted', 'D_secret', 'PASSWORD', 'data')

const dotenv = fc
  .uniqueArray(fc.tuple(comment, plainKey, text), { selector: ([, k]) => k, minLength: 1, maxLength: 5 })
  .map(lines => lines.flatMap(([head, k, v]) => [...above(head), `${k}=${v}`]).join('\n'))

const iniKeys = fc.uniqueArray(fc.tuple(comment, plainKey, text), { selector: ([, k]) => k, maxLength: 4 })
const iniLines = iniKeys.map(keys => keys.flatMap(([head, k, v]) => [...above(head), `${k} = ${v}`]))
const ini = fc
  .tuple(iniLines, fc.array(fc.tuple(comment, fc.constantFrom('one', 'two', 'data'), iniLines), { maxLength: 3 }))
  .map(([top, sections]) =>
    [...top, ...sections.flatMap(([head, name, lines]) => [...above(head), `[${name}]`, ...lines])].join('\n'),
  )

const json = fc
  .dictionary(fc.constantFrom('a', 'data', '1', '0', 'x_unencrypted', '<&>'), fc.jsonValue({ maxDepth: 3 }), {
    maxKeys: 5,
  })
  .map(value => JSON.stringify(value))

const rules = fc.constantFrom<Readonly<Record<string, string | boolean>>>(
  {},
  { unencryptedSuffix: '_unencrypted' },
  { encryptedSuffix: '_secret' },
  { encryptedRegex: '^(data|password)$' },
  { unencryptedRegex: '^kind$' },
  { encryptedSuffix: '_secret', macOnlyEncrypted: true },
  { encryptedRegex: '^data$', macOnlyEncrypted: true },
  { encryptedCommentRegex: 'encrypt this' },
  { unencryptedCommentRegex: '^ plain' },
)

const bytes = (content: fc.Arbitrary<string>) => content.map(text => Buffer.from(text))

const documents = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(fc.constant('yaml' as const), bytes(yaml)) },
  fc.tuple(fc.constant('json' as const), bytes(json)),
  fc.tuple(fc.constant('dotenv' as const), bytes(dotenv)),
  fc.tuple(fc.constant('ini' as const), bytes(ini)),
  fc.tuple(fc.constant('binary' as const), fc.uint8Array({ maxLength: 40 }).map(Buffer.from)),
)

/** Requests to encrypt for one of some groupings of age recipients. */
export const sopsRequests = (recipients: readonly string[]): fc.Arbitrary<SopsRequest> => {
  const [first = '', second = ''] = recipients
  const groups = fc.constantFrom(
    { groups: [[first]] },
    { groups: [[first, second]] },
    { groups: [[first], [second], [first, second]], threshold: 2 },
    { groups: [[first], [second]], threshold: 2 },
  )
  return fc
    .tuple(documents, rules, groups)
    .map(([[format, content], rule, grouping]) => ({ format, text: content, rules: rule, ...grouping }))
}
