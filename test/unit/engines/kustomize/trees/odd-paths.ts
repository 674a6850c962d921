import { type Trees, tree } from './tree.ts'

const object = (apiVersion: string, kind: string, name: string, more = '') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const WIDGET = object(
  'v1',
  'Widget',
  'w',
  [
    'spec:',
    '  ref: a',
    '  list: [{ref: a}, {ref: b}, {ref: a}]',
    '  lists: [[{ref: a}], [{ref: a}]]',
    '  texts: [a, b, a]',
    '  none: null',
    '  empty: []',
    '  "0": {ref: a}',
    '  "-": {ref: a}',
    '  "*": {ref: a}',
    '  "[": {ref: a}',
    '  "[x": {ref: a}',
    '  "x]": {ref: a}',
    '  "a b": {ref: a}',
    '  " ": {ref: a}',
    '  1x: {ref: a}',
    '  x1: {ref: a}',
    '  "1e1": {ref: a}',
    '  "0x10": {ref: a}',
    '',
  ].join('\n'),
)
/** Beyond what Go counts in one integer. */
const BIG = '9223372036854775808'
const widget = (path: string) =>
  path.includes(BIG)
    ? object('v1', 'Widget', 'w', `spec:\n  list: [{ref: a}]\n  texts: [a]\n  "${BIG}": {ref: a}\n`)
    : WIDGET

const files = { 'w.yaml': WIDGET, 'a.yaml': object('v1', 'ConfigMap', 'a') }

const PATHS = [
  ...['spec/ref', 'spec', 'spec/none/ref', 'spec/empty/ref', 'spec/list/ref', 'spec/list[]/ref', 'spec/lists/ref'],
  ...['spec/texts', 'spec/texts[]', 'spec/0/ref', 'spec/list/0/ref', 'spec/list/-1/ref', 'spec/list/+1/ref'],
  ...['spec/-/ref', 'spec/list/-/ref', 'spec/*/ref', 'spec/[/ref', 'spec/[x/ref', 'spec/x]/ref', 'spec/a b/ref'],
  ...[' spec/ref', 'spec /ref', 'spec/ /ref', 'spec//ref', '/spec/ref', 'spec/ref/', 'spec/1x/ref', 'spec/x1/ref'],
  ...['spec/1e1/ref', 'spec/0x10/ref', 'spec/9223372036854775807/ref', 'spec/9223372036854775808/ref'],
  ...['spec/list/[ref=b]/ref', 'spec/texts/[=b]', 'spec/ref/deeper', 'spec/ref[]', 'spec/list[]/ref[]', 'spec[]/ref'],
  ...['spec/lists[]/ref', 'spec/list/9223372036854775807/ref', 'spec/list/9223372036854775808/ref'],
]

const referring = (...paths: readonly string[]) =>
  tree('resources: [w.yaml, a.yaml]\nnamePrefix: p-\nconfigurations: [c.yaml]\n', {
    ...files,
    'w.yaml': widget(paths.join()),
    'c.yaml': `nameReference:\n- kind: ConfigMap\n  fieldSpecs:\n${paths.map(path => `  - {kind: Widget, path: ${JSON.stringify(path)}}\n`).join('')}`,
  })

const adding = (path: string, more = '') =>
  tree('resources: [w.yaml]\ntransformers: [t.yaml]\n', {
    ...files,
    'w.yaml': widget(path),
    't.yaml': `${object('builtin', 'ValueAddTransformer', 't')}value: v\ntargets: [{fieldPath: ${JSON.stringify(path)}${more}}]\n`,
  })

const DOTTED = [
  ...['spec.ref', 'spec.missing.ref', 'spec.list.7.ref', 'spec.list.0.ref', 'spec.list.-.ref'],
  ...[
    'spec.texts.-',

    'spec.list.[ref=b].ref',
    'spec.texts.[=b]',
    'spec.texts.[=c]',
    'spec.list.[ref=c]',
  ],
  ...[
    'spec.[x.ref',
    'spec.x].ref',
    'spec.[x]',
    'spec.1e1.ref',
    'spec.0x10.ref',
    'spec.1x.ref',
    'spec.x1.ref',
    'spec. ref ',
    'spec..ref',
  ],
  ...[
    'spec.9223372036854775807.ref',
    'spec.9223372036854775808.ref',
    'spec.texts.9223372036854775807',
    'spec.list.[ref]',
  ],
  ...['spec.texts.9223372036854775808', 'spec.texts.-1', 'spec.texts.-0', 'spec.texts.+1', 'spec.*', 'spec.0.ref'],
]

const replacing = (path: string) =>
  tree(
    `resources: [w.yaml]\nreplacements:\n- source: {kind: Widget, fieldPath: "${path}"}\n  targets: [{select: {kind: Widget}, fieldPaths: [metadata.annotations.x], options: {create: true}}]\n`,
    { ...files, 'w.yaml': widget(path) },
  )

const hashed = (apiVersion: string, kind: string, name: string, more: string) =>
  object(apiVersion, kind, name, `  annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}\n${more}`)

const sorted = (...all: readonly string[]) =>
  tree('resources: [all.yaml]\n', { 'all.yaml': all.join('---\n') }, { legacy: true })

export const trees: Trees = {
  'names are updated at whatever path a configuration gives': [
    ...PATHS.map(path => referring(path)),
    referring('spec/ref', 'spec/list/ref', 'spec/lists/ref'),
    referring('spec/ref', 'spec/ref/deeper'),
    referring('spec/list[]/ref', 'spec/ref', 'spec/0/ref'),
  ],
  'values are put at whatever path a transformer gives': [
    ...PATHS.map(path => adding(path)),
    ...['spec/empty/[=x]', 'spec/empty/[a=x]/b', 'spec/empty/[a=x]', 'spec/empty/0', 'spec/new/0', 'spec/new/-'].map(
      path => adding(path),
    ),
    ...['spec/empty/7/0', 'spec/none/deep', 'spec/none/deep/[x]', 'spec/none/7/[x]'].map(path => adding(path)),
    ...['spec/none/[=x]', 'spec/none/[a=b]/c', 'spec/empty/[x', 'spec/none/deep/*'].map(path => adding(path)),
    ...['spec/new/[=x]', 'spec/new/deep/er', 'spec/new/*', 'spec/empty/x'].map(path => adding(path)),
  ],
  'values are taken from whatever path a replacement gives': DOTTED.map(replacing),
  'values are put at whatever path a replacement gives': DOTTED.filter(
    path => !path.endsWith('texts.9223372036854775807'),
  ).flatMap(path =>
    ['', ', options: {create: true}'].map(options =>
      tree(
        `resources: [w.yaml]\nreplacements: [{source: {kind: Widget}, targets: [{select: {kind: Widget}, fieldPaths: ["${path}"]${options}}]}]\n`,
        { ...files, 'w.yaml': widget(path) },
      ),
    ),
  ),
  'a name gets the hash of what is in the object, whatever it is': [
    ...[
      hashed('v1', 'ConfigMap', 'c', 'data: {a: b, n: 1, x: null}\n'),
      hashed('v1', 'ConfigMap', 'c', 'data: text\nbinaryData: more\n'),
      hashed('v1', 'ConfigMap', 'c', 'data: 5\nbinaryData: {b: YQ==}\n'),
      hashed('v1', 'ConfigMap', 'c', 'data: [a, 1, 010, 1.0]\nbinaryData: null\nimmutable: true\n'),
      hashed('v1', 'ConfigMap', 'c', 'data: null\nbinaryData: {}\n'),
      hashed('v1', 'ConfigMap', 'c', 'data: {on: yes, y: 1.50, o: 0o17, d: 2024-01-01}\n'),
      hashed('v1', 'Secret', 's', ''),
      hashed('v1', 'Secret', 's', 'type: null\nstringData: {a: b}\n'),
      hashed('v1', 'Secret', 's', 'type: Opaque\ndata: {a: YQ==}\nstringData: text\n'),
      hashed('v1', 'ConfigMap', 'c', 'data: [[a]]\nbinaryData: []\n'),
      hashed('v1', 'Secret', 's', 'type: [a]\ndata: [a]\nstringData: [a]\n'),
      hashed('v1', 'Secret', 's', 'type: {a: b}\ndata: {a: YQ==}\n'),
    ].map(text => tree('resources: [a.yaml]\n', { 'a.yaml': text })),
  ],
  'objects without a namespace or a version are sorted as if they had odd ones': [
    sorted(
      object('v1', 'Service', 'b'),
      object('v1', 'Service', 'a', '  namespace: "~A"\n'),
      object('v1', 'Service', 'a', '  namespace: "~Z"\n'),
      object('v1', 'Service', 'c', '  namespace: x\n'),
    ),
    sorted(
      object('example.com/v1', 'Widget', 'a'),
      object('example.com/', 'Widget', 'a'),
      object('example.com/~A', 'Widget', 'b'),
      object('example.com/~Z', 'Widget', 'b'),
    ),
    sorted(object('example.com/v1', 'Namespace', 'a'), object('a.com/v1', 'Namespace', 'a')),
    sorted(object('v1', 'Service', 'a'), object('', 'Service', 'a'), object('~A/v1', 'Service', 'a')),
  ],
}
