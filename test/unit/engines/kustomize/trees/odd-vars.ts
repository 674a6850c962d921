import { type Trees, tree } from './tree.ts'

/** A field of a widget in two fields of another: as all of one, and inside of text. */
const fieldOf = (value: string, path = 'spec.v') =>
  tree(
    `resources: [w.yaml, p.yaml]
vars: [{name: V, objref: {apiVersion: example.com/v1, kind: Widget, name: w}, fieldref: {fieldPath: "${path}"}}]
`,
    {
      'w.yaml': `apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec: {v: ${value}}\n`,
      'p.yaml': `apiVersion: v1
kind: Pod
metadata: {name: p, annotations: {whole: $(V), inside: "a $(V) b"}}
spec:
  containers:
  - {name: c, args: [$(V), "-$(V)-", "$(", "$()", ""], env: [{name: E, value: !!str $(V)}, {name: F, value: !!str "$(V)"}]}
`,
    },
  )

const into = (annotations: string) =>
  tree(
    `resources: [p.yaml]
vars: [{name: V, objref: {apiVersion: v1, kind: Pod, name: p}, fieldref: {fieldPath: spec.n}}]
configurations: [c.yaml]
`,
    {
      'p.yaml': `apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {n: 5, x: ${annotations}}\n`,
      'c.yaml': 'varReference: [{kind: Pod, path: spec/x}]\n',
    },
  )

export const trees: Trees = {
  'a whole number of 64 bits is a value, in decimal digits': [
    ...['0', '-0', '+5', '-5', '0x10', '0X1F', '-0x10', '0o17', '017', '0b11', '1_000', '-1_0', '9223372036854775807'],
    ...['9223372036854775808', '-9223372036854775808', '-9223372036854775809', '18446744073709551615'],
    ...[
      '18446744073709551616',
      '!!int 0x10',
      '!!int x5',
      '!!int "5"',
      '!!int 5x',
      '!!int ""',
      '!!int 1_0',
      '!!int "5 "',
    ],
  ].map(value => fieldOf(value)),
  'a number with a point is a value in its shortest digits': [
    ...['0.0', '-0.0', '.5', '5.', '+.5', '1.50', '1e3', '1e21', '1e20', '123456789012345678901.5', '1e-7', '1.5e-5'],
    ...[
      '1e400',
      '-1e400',
      '.inf',
      '-.Inf',
      '+.INF',
      '.nan',
      '.NaN',
      '1_0.5',
      '0x1p4',
      '1e1_0',
      '1.7976931348623157e308',
    ],
    ...['!!float 5', '!!float -0', '!!float x', '!!float .inf', '!!float 0x10', '!!float 1e21', '!!float ""', '5e-324'],
  ].map(value => fieldOf(value)),
  'a boolean is a value as JSON writes it': [
    'True',
    'TRUE',
    'yes',
    'on',
    '!!bool yes',
    '!!bool "true"',
    '!!bool x',
  ].map(value => fieldOf(value)),
  'texts are values whatever their tag': [
    ...[
      '!!str 5',
      '!!str {a: b}',
      '!!str [a]',
      '!custom 5',
      '!!binary aGk=',
      '2001-01-01',
      '!!timestamp x',
      '!!null x',
    ],
    ...['"$(V)"', '"a$(V)"', '"$$"', '! 5', '!!null ""', '"0x10"', '"1e3"'],
  ].map(value => fieldOf(value)),
  'paths of vars count items of lists with any number of digits': [
    fieldOf('[a, b, c, d, e, f, g, h, i, j, k]', 'spec.v[10]'),
    fieldOf('[a, b, c, d, e, f, g, h, i, j, k]', 'spec.v[1]'),
    fieldOf('[a]', 'spec.v[0]b'),
    fieldOf('[[a, b], [c, d]]', 'spec.v[1][0]'),
    fieldOf('[[a, b], [c, d]]', 'spec.v[1].0'),
    fieldOf('{"[0]": x}', 'spec.v.[0]'),
    fieldOf('[a]', 'spec.v[]'),
    fieldOf('[a]', 'spec.v[-1]'),
    fieldOf('[a]', 'spec.v[1]'),
    fieldOf('[{a: {b: c}}]', 'spec.v[0].a.b'),
    fieldOf('[{a: {b: c}}]', 'spec.v[0].a\\\\.b'),
    fieldOf('{"x\\ny[0]": 1}', 'spec.v.x\\ny[0]'),
    fieldOf('{a.b: [c]}', 'spec.v.a\\\\.b[0]'),
  ],
  'fields that may have vars hold texts, or maps and lists of them': [
    ...['~', 'null', '!!str {a: $(V)}', '!!str [$(V)]', '!!null $(V)', '!!int $(V)', '!custom $(V)', '! $(V)'],
    ...[
      '[!!str {a: $(V)}]',
      '{a: !!str [$(V)]}',
      '{a: !!str $(V), b: "x$(V)", c: 5, d: {e: $(V)}}',
      '{5: $(V)}',
      '{}',
      '[]',
    ],
    ...[
      '{~: $(V)}',
      '{!!str 5: $(V)}',
      '{$(V): $(V)}',
      '[a, 5]',
      '[a, ~]',
      '[a, [b]]',
      '[a, $(V), "$(V)$(V)"]',
      '"$(V)\\n$(V)"',
    ],
    ...['&a $(V)', '[&a $(V), *a]', '|\n  $(V)\n  x\n '].map(text => text),
  ].map(into),
  'what vars say stands in messages as it was written': [
    ...[
      '{}',
      '{name: V}',
      '{name: V, objref: {}}',
      '{name: V, objref: {kind: Pod}}',
      '{objref: {group: g, kind: Pod, name: p}}',
    ],
    ...[
      '{name: V, objref: {version: v1}}',
      '{name: V, objref: {group: g, version: v1}}',
      '{name: V, objref: {apiVersion: g/v1}}',
    ],
    ...[
      '{name: V, fieldref: {}}',
      '{name: V, fieldref: {fieldPath: a.b}, objref: {namespace: n}}',
      '{name: V, fieldref: {fieldPath: ""}}',
    ],
  ].flatMap(entry => [
    tree(`resources: [p.yaml]\nvars: [${entry}, ${entry}]\n`, {
      'p.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n',
    }),
    tree(`resources: [p.yaml]\nvars: [${entry}]\n`, { 'p.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n' }),
  ]),
}
