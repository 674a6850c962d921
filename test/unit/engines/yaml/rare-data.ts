/** Data that is rare in manifests, and how it is written and shown. */
/** Each key beside each other one, in both orders: what a sort would make of all at once says little. */
const pairs = (keys: readonly string[]): string[] =>
  keys.map(key =>
    keys
      .filter(other => other !== key)
      .map(other => `- {${JSON.stringify(key)}: 1, ${JSON.stringify(other)}: 2}\n`)
      .join(''),
  )

/** Lists of aliases of the list before, or mappings that merge the one before: so many in each, with other nodes behind them. */
const bomb = (form: 'list' | 'map' | 'merge', counts: readonly number[], others: number): string => {
  const held = (items: readonly string[]): string =>
    ({
      list: () => `[${items.join(', ')}]`,
      map: () => `{${items.map((item, at) => `k${at}: ${item}`).join(', ')}}`,
      merge: () => `{<<: [${items.join(', ')}]}`,
    })[form]()
  const first = form === 'merge' ? '{k: 1}' : held(['1', '1'])
  const levels = counts.map((count, at) => `x${at + 1}: &x${at + 1} ${held(Array<string>(count).fill(`*x${at}`))}\n`)
  return `${'1, '.repeat(others).replace(/.+/, 'e: [$&]\n')}x0: &x0 ${first}\n${levels.join('')}`
}

export const texts: Readonly<Record<string, readonly string[]>> = {
  'keys that are no texts are shown as Go shows them': [
    '? {2: a, 10: b, x: c, 1.5: d, y: e, ~: f, 3: g, b: h}\n: v\n',
    '? {b: 1, a: "2", c: [1.5e-9, true, ~, 1e30, 12345678]}\n: v\n',
    '? [{b: "\\u00a0<", a: {1: 2}}]\n: v\n',
    '? {x: 1, 2: y}\n: v\n',
    'a: {? {3: c, 1: a, 18446744073709551615: d, 9223372036854775807: g, 9223372036854775808: h, 1.5: e, x: z, y: i, 2: 9223372036854775809} : v}\n',
    'a: {? {b: 1, a: 2} : v}\n',
    '"\\x:1"\n',
    '"\\x`1"\n',
    '"\\x@1\\xg1"\n',
  ],

  'keys stand in the order of their letters and numbers': pairs([
    ...['10', '010', '100', '0', '00', '1', '01', '001', '1a', '01a', '10a', '9', '09', '12', '1001', '2'],
    ...['a10', 'a1', 'a01', 'a001', 'a100', 'a010', 'a0', 'a00', 'a', 'a0b', 'a00b', 'a1b0', 'a1b00', 'a01b'],
  ]),

  'keys stand in the order of their letters and signs': [
    ...pairs([
      'Z',
      'z',
      'A',
      'a',
      '[',
      '`',
      '@',
      '{x',
      '_',
      'aZ',
      'az',
      'aA',
      'a_',
      'a[',
      'a@',
      'a`',
      'a{',
      'b-2',
      'b_2',
    ]),
    ...pairs(['b20a0', 'b20a00', 'b020a', 'b200', 'b2.0', 'b2.00', 'b2.10', 'b2.9', 'b2.09', '1.', '1.1.1']),
    ...pairs(['é', 'e', 'f', '×', '😀', '～', '世', 'aé', 'a😀', 'a😁', '9é']),
  ],

  'numbers in keys are those of 64 bits': pairs([
    ...['x9223372036854775807', 'x9223372036854775808', 'x18446744073709551616', 'x18446744073709551617', 'x1', 'x5'],
    ...['k1922337203685477580', 'k11000000000000000000', 'k1011000000000000000'],
  ]),

  'times are as long as their days are': [
    '- 2001-02-28\n- 2001-02-29\n- 2000-02-29\n- 2001-02-30\n- 2001-1-1\n- 2001-00-01\n- 2001-13-01\n- 2001-01-00\n- 2001-12-31\n- 2001-12-32\n- 0000-01-01\n- 9999-12-31\n',
    '- 2001-01-01 23:59:59\n- 2001-01-01 24:00:00\n- 2001-01-01 23:60:00\n- 2001-01-01 23:59:60\n- 2001-01-01 0:0:0\n- 2001-01-01 1:02:3.0400\n- 2001-1-1 1:1\n',
    '- 2001-01-01T23:59:59Z\n- 2001-01-01t01:02:03.123456789+00:00\n- 2001-01-01T1:2:3-07:30\n- 2001-01-01T01:02:03,5Z\n- 2001-01-01T24:00:00Z\n- 2001-01-01T00:60:00Z\n- 2001-01-01T00:00:60Z\n- 2001-01-01T01:02:03\n',
    '- 1234-01-01x\n- 12345-01-01\n- 123-01-01-1\n- 0a23-2001-01-01\n- 1212-2001-01-01\n- 2001-1-\n- 2001-123-1\n- 2001-1-123\n',
    'a: 2001-01-01\n2001-01-02: b\n2001-1-3 1:2:3: c\n',
  ],

  'names of anchors and keys are simple up to a length': [
    'a: &xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx b\n*xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx : c\n',
    'a: &xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx b\n*xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx : c\n',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1\n',
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1\n',
    '"1xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": 1\n"2xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx": 2\n',
    '!!str xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1\n',
    '!!str xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1\n',
    '!!str xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1\n',
    '{xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 1, xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: 2, a: {}}\n',
    '? {}\n: a\n? []\n: b\n',
    '{{}: a, []: b}\n',
    'a: !<a%09b%01> x\nb: !<tag:yaml.org,2002:x> y\n',
  ],

  'numbers are written as they are read': [
    '- -0\n- -0.0\n- 0.0\n- 1e3\n- 1e20\n- 18446744073709551615\n- 18446744073709551616\n- -9223372036854775808\n- -9223372036854775809\n',
    '- 9.223372036854775e18\n- -9.223372036854775e18\n- 1.8446744073709550e19\n- -9.223372036854776e18\n- 1.8446744073709552e19\n- 1e21\n- 123456789.0\n',
  ],

  'documents end where the text does': ['---', 'a\n---', 'a\n...', 'a: 1\n---\nb: 2\n...', '--- a', '---a', '...'],

  'characters mean what they mean where they stand': [
    'a: |+1-\n  b\n',
    'a: |-1+\n  b\n',
    'a: |+-\n  b\n',
    'a: |1-\n  b\n',
    'a: |\n  x\n  \ty\n',
    '[a{b]',
    '[a}b]',
    '[a?b]',
    '[a,b]',
    '"a\\ b\\\'c"\n',
    '%TAG ! tag:x.org,2002:\n---\na: ! x\nb: !y z\n',
    '%TAG a! b\n--- x\n',
    '[ # c\n  a,\n  b]\n',
    'x: { # c\n    a: b}\n',
    'x: [[ # c\n    a]]\n',
    '[a, ? b : c]',
    '[a, : b]',
    '{a, : b}',
    '["a", : b]',
    '[[a], : b]',
  ],

  'data has any names': [
    '{"\\U0001F600": 1, "\\uff5e": 2, a: 3, "<": "&>\\u2028\\u2029"}\n',
    '{"\\U0001F600": 1, "\\uff5e": 2}\n',
    '__proto__: 1\na: {__proto__: {b: 1}}\n',
    '__proto__: 1\n__proto__: 2\n',
  ],

  'what is merged is looked at as far as it is missing': [
    '1: a\n<<: {1: b}\n',
    'a: 1\n<<: {a: !!int x}\n',
    'a: 1\n<<: {a: !!int x, b: !!int y}\n',
    '<<: [{a: 1}, {a: !!int x}]\n',
    '<<: {<<: {a: 1, b: !!int x}, a: 2}\nb: 3\n',
    '<<: {<<: {a: !!int x}, a: 2}\nb: 3\n',
    'x: {a: 1, <<: {b: {a: 2}}}\n',
    'x: {a: 1, <<: {1: 2, a: !!int x}}\n',
    'true: 1\n<<: {true: 2, 2001-01-01: 3}\n2001-01-01: 4\n',
    '? &x a\n: 1\n<<: {*x : 2}\n',
    '!!binary aGk=: 1\n<<: {hi: 2}\n',
    'x: {<<: {a: 1, a: 2}}\n',
  ],

  'aliases may stand for 99 of 100 nodes': [
    // The last that are taken, and the first that are not; lists make just 99 of 100.
    bomb('list', [5, 3, 3, 5, 2], 0),
    bomb('map', [5, 3, 3, 5, 2], 3),
    bomb('map', [5, 3, 3, 5, 2], 2),
    bomb('merge', [3, 3, 3, 3, 3, 3, 3], 83),
    bomb('merge', [3, 3, 3, 3, 3, 3, 3], 82),
  ],

  'keys, merges and tags mean what they mean where they stand': [
    '? [a, b, a, c]\n: 1\n',
    'a: &x [b]\nc: {*x : d}\n',
    'a: &x [b]\nc: {*x : d, 1: !!int e}\n',
    'a: b\n<<: {b: 1}\n',
    '? \n: 1\n<<: {"": 2}\n',
    '<<:\n  a:\nb: 1\n',
    '16777217: a\n',
    '9223372036854775808: \n',
    'a: !!float ~\n',
    'a: !!float true\n',
    'a: !!float x\n',
    'a: !!int 0o17\n',
    'a: !!int 0b11\n',
    'a: !!int 1_000\n',
    'a: !!int 190:20:30\n',
    'a: !!bool yes\n',
    'a: !!bool y\n',
    'a: !!float 685_230.15\n',
    'a: !!float .5_0\n',
    'a: !!null ~\n',
    'a: !!timestamp 2001-01-01\n',
    'a: !!timestamp 2001-01-01x\n',
    'a: !!int 0o18\n',
    '- ? {a: }\n  : b\n',
    '! <<: {a: 1}\nb: 2\n',
    '! <<: {a: 1}\na: 2\n',
    '? {z: 1, ? z}\n: 2\n',
    '? [z: 1, z]\n: 2\n',
    '? ~\n: a\n? ~\n: b\n',
    '{? : "q", {a: 1} : b}\n',
  ],

  'comments stand where they stood, or where go-yaml puts them': [
    'a: 1\n# f\n\n? k: v\n: 2\n',
    '- ? -\n',
    '- {[a: ] : b}\n',
    '- ? - a:\n  : b\n',
    '- ? {? [a: ] : b}\n',
    '\n  , \n# y\n\t\n# y\na*x ',
    ' , # x\n\n# y\n',
    '|\n# x',
    '\n? # a\n  k: v\n\n  # b\n\n:  # l\n',
    ' # l\n&x [b ,\n  # c1\n ]\n# h\n',
    'a: 1\r\r# foot\r\rb: 2\r',
    'a:\r  b: 1\r\r# foot\r\rb: 2\r',
    'a: 1\n\r# foot\n\rb: 2\n',
    'a: 1\r\n\r# foot\r\n\rb: 2\n',
    '- a\r\r# c\r- b\r# d\r\r- c',
    '? {! << : !!map {a: 1} # c\n}\n: \n',
    '- ? "\\U00010000"\n  : ! ""\n\n- {! << : !!str 4, &z [q] : &y !!str 4\n# c\n}\n',
    '\n!t {? !t z # c3\n\n # c4\n  :\n !t [!t z # c3\n\n # c4\n ],\n # c2\n  # c1\n }\n\n  # j\n\n\n',
    '\n  # i\n? \n: [ b\n\n # c5\n\n ]\n',
    '-  # l\n',
    '\n!t\n# h\n',
    '\n? [k]\n: "q"\n# h\n\n? - k\n: b\n# h\n',
    '&x a: 1\n# f\n\n*x : 2\n',
    '? !t { # c1\n }\n: |\n  t\n',
    '\n\n# f\n\n{ # c3\n\n # c4\n ? b # c3\n\n # c4\n  :  # c1\n { # c3\n\n # c4\n } ,\n\n # c5\n\n \n }\n\n# f\n\n',
    '{? b: \n !t\n ,? {? z\n } # c1\n  : \n\n # c5\n\n !t, k\n # c2\n }\n',
    '\r\ra: 1\r\r# c\rb: 2\r\r\r# d\rc: 3\r',
    'a: 1\r\r\r# f\r\rb: 2\r',
  ],

  'brackets may be keys as far as go-yaml sees it': [
    '{? z}: 1\n',
    '[? z]: 1\n',
    '{} c: d\n',
    '[] c:\n',
    '- {} c: d\n',
    '- {? z}: 1\n',
    'a: {? z}: 1\n',
    '{a: {? z}: 1}\n',
    '? {? z}: 1\n: 2\n',
    'x: 1\n{? z}: 1\n',
    'x: 1\n{} c: d\n',
    '{{? z}: 1}: 2\n',
    '[ # c\n ]: a\n',
    '? a\n: *z\n&z d\n? c\n',
    '? a\n: &x *z\n&z !!str: c\n',
    "'it''s'[,}-\n-\n%YAML 1.1\n>\n ",
    "a: b\n'it''s'[,}-\n-\n",
    '\n# h\n? !t { }\n: b\n',
    '!t {} c: d\n',
    '<<: !!merge x\n',
    'a: !!merge x\n',
    'a: !!merge <<\nb: <<\n',
  ],
}
