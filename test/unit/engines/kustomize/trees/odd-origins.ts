import { type Trees, tree } from './tree.ts'

const object = (kind: string, name: string, more = '') =>
  `apiVersion: v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const NAMES = [
  'true',
  '5',
  '0x1F',
  '1_000',
  'null',
  '~',
  'on',
  '1e3',
  '.5',
  '0o17',
  '0b1',
  '+1',
  '.inf',
  '.nan',
  '2024-01-01',
  '12:30',
  'é',
  'a b',
  ' a',
  'a ',
  '-',
  '- a',
]
const ODD = [
  "it's",
  '"q"',
  'a: b',
  'a:',
  '#c',
  'x #y',
  '&a',
  '*a',
  '!t',
  '%p',
  '@a',
  '`a',
  '{a',
  '[a',
  'a,b',
  '|',
  '>',
  '?',
  '? a',
  '=',
  '<<',
]
const LONG = ['long '.repeat(40).trim(), 'x'.repeat(200), 'tab\there']

const METADATA = 'buildMetadata: [originAnnotations, transformerAnnotations]\n'

/** Files and directories of these names; what comes of them tells where it is from. */
const from = (names: readonly string[]) =>
  tree(
    `resources: ${JSON.stringify(names.flatMap((name, i) => [`d${i}/${name}.yaml`, `./e${i}/../e${i}/${name}`]))}\n${METADATA}`,
    {
      ...Object.fromEntries(
        names.flatMap((name, i) => [
          [`d${i}/${name}.yaml`, object('ConfigMap', `f${i}`)],
          [
            `e${i}/${name}/kustomization.yaml`,
            `namePrefix: p-\nconfigMapGenerator: [{name: g${i}, options: {disableNameSuffixHash: true}}]\nresources: [a.yaml]\n`,
          ],
          [`e${i}/${name}/a.yaml`, object('ConfigMap', `a${i}`)],
        ]),
      ),
    },
    { onDisk: true },
  )

/** A transformer of these names, in the namespace that is called so. */
const by = (name: string) =>
  tree(`resources: [a.yaml]\ntransformers: [t.yaml]\ngenerators: [g.yaml]\n${METADATA}`, {
    'a.yaml': object('ConfigMap', 'a'),
    't.yaml': `apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: ${JSON.stringify(name)}, namespace: ${JSON.stringify(name)}}\nlabels: {l: "1"}\nfieldSpecs: [{path: metadata/labels, create: true}]\n`,
    'g.yaml': `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: ${JSON.stringify(name)}}\n`,
  })

const annotated = (annotations: string) => object('ConfigMap', 'c', `  annotations: ${annotations}\n`)
const internal = (annotations: Record<string, string>) =>
  annotated(
    JSON.stringify(
      Object.fromEntries(
        Object.entries(annotations).map(([key, value]) => [`internal.config.kubernetes.io/${key}`, value]),
      ),
    ),
  )

/** What files may say that a build remembers: shown by a patch that copies it, and by what it changes. */
const remembered = (annotations: Readonly<Record<string, string>>) => [
  tree('resources: [c.yaml, p.yaml]\nnamePrefix: p-\nnamespace: ns\n', {
    'c.yaml': internal(annotations),
    'p.yaml': object(
      'Pod',
      'p',
      'spec: {volumes: [{configMap: {name: c}}, {configMap: {name: old}}, {configMap: {name: older}}]}\n',
    ),
  }),
  tree(
    'resources: [c.yaml]\npatches:\n- target: {}\n  patch: \'[{"op": "copy", "from": "/metadata", "path": "/remembered"}]\'\n',
    {
      'c.yaml': internal(annotations),
    },
  ),
]

/** A base of which a patch changes what is remembered, seen by what refers to it. */
const patched = (operations: readonly object[], lines: string, more: object = { namePrefix: 'p-', nameSuffix: '-s' }) =>
  tree(
    '',
    {
      'base/kustomization.yaml': JSON.stringify({
        resources: ['c.yaml'],
        configMapGenerator: [{ name: 'g' }],
        ...more,
      }),
      'base/c.yaml': object('ConfigMap', 'c'),
      'top/kustomization.yaml': `resources: [../base, p.yaml]\npatches:\n- target: {kind: ConfigMap}\n  patch: '${JSON.stringify(operations)}'\n${lines}`,
      'top/p.yaml': object('Pod', 'p', 'spec: {volumes: [{configMap: {name: c}}, {configMap: {name: g}}]}\n'),
    },
    { path: 'top' },
  )

export const trees: Trees = {
  'origins are written so that they are read as what they are': [
    ...[NAMES, ODD, LONG].map(from),
    ...[
      'true',
      '5',
      "it's",
      'a: b',
      '',
      ' ',
      'x'.repeat(100),
      'a\nb',
      'a\n',
      ' a\nb\n\n',
      'a\n b\n\nc',
      '\na',
      'null',
      'é',
      '2001-01-01',
      'a\tb',
      'a\tb\nc',
    ].map(by),
  ],
  'what a build remembers is taken from files as well': (
    [
      { previousNames: 'old', previousNamespaces: 'default', previousKinds: 'ConfigMap' },
      { previousNames: 'older,old', previousNamespaces: 'a,default', previousKinds: 'Secret,ConfigMap' },
      { previousNames: '', previousNamespaces: '', previousKinds: '' },
      { prefixes: 'a-,b-', suffixes: '-c,-d' },
      { prefixes: '', suffixes: '' },
      { prefixes: 'a-' },
      { suffixes: '-a' },
      { generatorBehavior: 'merge' },
      { generatorBehavior: 'replace' },
      { generatorBehavior: 'create' },
      { needsHashSuffix: 'enabled' },
      { 'helm-generated': 'true' },
    ] as readonly Readonly<Record<string, string>>[]
  ).flatMap(remembered),
  'what is no word that a build remembers stays out of the output': [
    { generatorBehavior: 'unspecified' },
    { needsHashSuffix: 'true' },
    { 'helm-generated': 'false' },
    {
      allowNameChange: 'enabled',
      allowKindChange: 'enabled',
      refBy: 'x',
      path: 'y',
      index: '1',
      seqindent: 'wide',
      id: '7',
    },
    { other: 'kept', 'annotations-migration-resource-id': '1' },
  ].map(annotations =>
    tree('resources: [c.yaml]\nnamespace: ns\n', {
      'c.yaml': internal(annotations as unknown as Record<string, string>),
    }),
  ),
  'a patch may take away what a build remembers': [
    ...[
      [],
      [{ op: 'remove', path: '/metadata/annotations' }],
      ...['previousNames', 'previousNamespaces', 'previousKinds', 'prefixes', 'suffixes'].map(name => [
        { op: 'remove', path: `/metadata/annotations/internal.config.kubernetes.io~1${name}` },
      ]),
      ...[{}, null, { a: 'b' }].map(value => [{ op: 'replace', path: '/metadata/annotations', value }]),
      [{ op: 'replace', path: '/metadata', value: { name: 'new' } }],
    ].flatMap(operations => [patched(operations, ''), patched(operations, 'namePrefix: q-\n')]),
    patched([{ op: 'remove', path: '/metadata/annotations' }], '', { namePrefix: '' }),
    patched(
      [{ op: 'remove', path: '/metadata/annotations' }],
      'configMapGenerator: [{name: g, behavior: merge, literals: [x=y]}]\n',
    ),
  ],
  'a generator may do to what files say was generated what it does to what was': [
    'create',
    'merge',
    'replace',
    'other',
    '',
  ].flatMap(behavior =>
    ['create', 'merge', 'replace'].map(own =>
      tree(`resources: [c.yaml]\nconfigMapGenerator: [{name: c, behavior: ${own}, literals: [x=y]}]\n`, {
        'c.yaml': `${internal({ generatorBehavior: behavior, needsHashSuffix: 'enabled' })}data: {a: b}\n`,
      }),
    ),
  ),
}
