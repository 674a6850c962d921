import { type Trees, tree } from './tree.ts'

const object = (apiVersion: string, kind: string, name: string, more = '') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const KINDS = [
  ['v1', 'Service', 'b'],
  ['v1', 'Service', 'a'],
  ['v1', 'Service', 'a', '  namespace: z\n'],
  ['v1', 'Service', 'b', '  namespace: default\n'.replace('default', 'm')],
  ['apps/v1', 'Deployment', 'd'],
  ['example.com/v1', 'Namespace', 'n'],
  ['v1', 'Namespace', 'n'],
  ['v1', 'Namespace', 'm'],
  ['a.com/v1', 'Namespace', 'n'],
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'w'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration', 'w'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'c'],
  ['v1', 'ServiceAccount', 's'],
  ['rbac.authorization.k8s.io/v1', 'Role', 'r'],
  ['v1', 'Secret', 's'],
  ['v1', 'ConfigMap', 'c'],
  ['example.com/v2', 'Widget', 'w'],
  ['example.com/v1', 'Widget', 'x'],
  ['example.com/v1', 'Widget', 'w'],
  ['b.com/v1', 'Widget', 'w'],
  ['v1', 'Widget', 'w'],
  ['example.com/v1', 'Gadget', 'g'],
] as const

const all = {
  'all.yaml': KINDS.map(([apiVersion, kind, name, more]) => object(apiVersion, kind, name, more)).join('---\n'),
}
/** Without Namespaces of other groups: by their special place, not every order of kinds is one. */
const ordered = (lines: string) =>
  tree(`resources: [all.yaml]\nsortOptions: {order: legacy, legacySortOptions: {${lines}}}\n`, {
    'all.yaml': all['all.yaml']
      .split('---\n')
      .filter(text => !/com\/v1\nkind: Namespace/.test(text))
      .join('---\n'),
  })
const sorted = (lines: string, legacy = false) => tree(`resources: [all.yaml]\n${lines}`, all, { legacy })

const config = object('v1', 'ConfigMap', 'c', 'data: {a: b}\n')
const metadata = (what: string) => `buildMetadata: [${what}]\n`
const layers = (what: string) =>
  tree(
    `resources: [../base, own.yaml, "./../base2/"]\nnamePrefix: "5-"\ncomponents: [part]\n${metadata(what)}
configMapGenerator: [{name: made, literals: [a=b], options: {disableNameSuffixHash: true}}]
secretGenerator: [{name: made}]
transformers: [t.yaml]
`,
    {
      'own.yaml': object('v1', 'ConfigMap', 'own'),
      't.yaml': `${object('builtin', 'LabelTransformer', 'label', '  namespace: "yes"\n')}labels: {l: "1"}\nfieldSpecs: [{path: metadata/labels, create: true}]\n`,
      'part/kustomization.yaml':
        'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nresources: [c.yaml]\nnameSuffix: -part\n',
      'part/c.yaml': object('v1', 'ConfigMap', 'part'),
    },
    { path: 'top' },
  )

const inTop = (what: string) => {
  const { files, path } = layers(what)
  return {
    path,
    files: {
      ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`top/${name}`, text])),
      'base/kustomization.yaml': 'resources: [deep/../c.yaml, sub]\ncommonAnnotations: {x: "1"}\n',
      'base/c.yaml': config,
      'base/sub/kustomization.yml': 'resources: [s.yaml]\nnamespace: ns\n',
      'base/sub/s.yaml': `${object('v1', 'Secret', 's')}---\n${object('v1', 'Service', 'true', '  annotations: {config.kubernetes.io/origin: "path: else\\n"}\n')}`,
      'base2/Kustomization': 'resources: [d.yaml]\nimages: [{name: a, newTag: b}]\n',
      'base2/d.yaml': object('apps/v1', 'Deployment', 'd'),
    },
  }
}

const validated = (lines: string, transformer: string, more: Record<string, string> = {}) =>
  tree(`resources: [c.yaml]\nvalidators: [v.yaml]\n${lines}`, {
    'c.yaml': config,
    'v.yaml': transformer,
    ...more,
  })
const labelled = (labels: string) =>
  `${object('builtin', 'LabelTransformer', 'v')}labels: ${labels}\nfieldSpecs: [{path: metadata/labels, create: true}]\n`

const anchored = (text: string) => tree('resources: [c.yaml]\n', { 'c.yaml': object('v1', 'Any', 'c', text) })

export const trees: Trees = {
  'objects are put in the order that is asked for': [
    sorted(''),
    sorted('', true),
    sorted('sortOptions: {order: legacy}\n'),
    sorted('sortOptions: {order: fifo}\n', true),
    ordered('orderFirst: [Widget, Service], orderLast: [Namespace, Secret]'),
    ordered('orderFirst: [Gadget]'),
    ordered('orderLast: [ConfigMap, Widget]'),
    ordered(''),
    ordered('orderFirst: [Widget], orderLast: [Widget]'),
    sorted('sortOptions: {order: fifo, legacySortOptions: {orderFirst: [Widget]}}\n'),
    sorted('sortOptions: {order: other}\n'),
    sorted('sortOptions: {}\n'),
    sorted('sortOptions: {}\n', true),
    sorted('sortOptions: {legacySortOptions: {}}\n'),
  ],
  'objects tell where they come from, and what changed them': [
    inTop(''),
    inTop('originAnnotations'),
    inTop('transformerAnnotations'),
    inTop('originAnnotations, transformerAnnotations'),
  ],
  'an object whose origin was taken off it comes from what did that': [
    ...['originAnnotations', 'transformerAnnotations', 'originAnnotations, transformerAnnotations'].flatMap(what => [
      tree(
        `resources: [c.yaml]\nnamePrefix: p-\npatches:\n- {target: {}, patch: '[{"op": "remove", "path": "/metadata/annotations"}]'}\n${metadata(what)}`,
        { 'c.yaml': config },
      ),
      tree(
        `configMapGenerator: [{name: g, options: {annotations: {config.kubernetes.io/origin: "path: mine"}}}]\nnamePrefix: p-\n${metadata(what)}`,
      ),
    ]),
  ],
  'validators may change nothing but a label that says so': [
    validated('', labelled('{validated-by: me}')),
    validated('', labelled('{validated-by: me, other: x}')),
    validated('', labelled('{other: x}')),
    validated('commonLabels: {validated-by: me}\n', labelled('{validated-by: other}')),
    validated('commonLabels: {other: x}\n', labelled('{validated-by: other}')),
    validated('', `${object('builtin', 'PrefixTransformer', 'v')}prefix: p-\nfieldSpecs: [{path: metadata/name}]\n`),
    validated(
      '',
      `${object('builtin', 'PatchTransformer', 'v')}target: {kind: ConfigMap}\npatch: '[{"op": "test", "path": "/data/a", "value": "c"}]'\n`,
    ),
    validated(
      '',
      `${object('builtin', 'PatchTransformer', 'v')}patch: |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  $patch: delete\n`,
    ),
    validated('', object('builtin', 'Nothing', 'v')),
    validated('namePrefix: p-\nnameSuffix: -s\nnamespace: new\n', labelled('{other: x}')),
    validated('namePrefix: p-\n', labelled('{validated-by: x}')),
  ],
  'aliases are written out, and merges carried out': [
    anchored('a: &x {b: 1, c: [2]}\nd: *x\ne: [*x, *x]\n*x : 5\n'.replace('*x : 5\n', '')),
    anchored('a: &x {b: 1, c: &y [2]}\nd: {<<: *x, c: 3, e: *y}\nf: {<<: [*x, {g: 4, b: 5}], h: *y}\n'),
    anchored('a: &x {b: 1}\nd:\n  e: 1\n  <<: *x\n  b: 2\n'),
    anchored('a: &x {b: {c: 1}}\nd: {<<: {b: {e: 2}, ~: 5}}\nf: {null: 1, g: 2}\n'.replace(', ~: 5', '')),
    anchored('a: &x {b: &y {c: 1}}\nd: {<<: *x}\ne: {<<: *y, <<: *x}\n'),
    anchored('a: &x [1]\nd: {<<: *x}\n'),
    anchored('a: &x 1\nd: {<<: *x}\n'),
    anchored('a: &x 1\nd: {<<: [{b: 1}, *x]}\n'),
    anchored('a: &x {b: 1}\nd: {<<: [*x, 5]}\n'),
    anchored('a: &x [[1]]\nd: {<<: [[1]]}\n'),
    anchored('d: {<<: text}\n'),
    anchored('d: {<<: null}\n'),
    anchored('d: {<<: []}\n'),
    anchored('d: {<<: {}}\n'),
    anchored('a: &x b\n*x : c\nd: [*x]\n'),
    anchored('a: &x {b: 1}\nd: {<<: *x, ? : 5}\n'),
    anchored('a: &x {b: 1}\nd: {<<: *x, ~: 5}\n'),
    anchored('a: &x {b: &y [{c: &z 1}]}\nd: *x\ne: *y\nf: *z\n'),
  ],
  'messages show no anchors': ['spec.a.0', 'spec.0', 'spec.c.0', 'spec.e.x', 'spec.b.0'].map(path =>
    tree(
      `resources: [w.yaml]\nreplacements: [{source: {fieldPath: ${path}}, targets: [{select: {}, fieldPaths: [kind]}]}]\n`,
      { 'w.yaml': object('v1', 'Widget', 'w', 'spec: {a: &x 1, b: *x, c: &y {d: &z 2}, e: [*y, *z]}\n') },
    ),
  ),
  'what a build remembers may stand in files, and comes to no output': [
    tree('resources: [c.yaml]\nnamePrefix: p-\n', {
      'c.yaml': [
        object(
          'v1',
          'ConfigMap',
          'a',
          '  annotations:\n    internal.config.kubernetes.io/previousNames: one,two\n    internal.config.kubernetes.io/previousNamespaces: x,y\n    internal.config.kubernetes.io/previousKinds: ConfigMap,ConfigMap\n    kept: "1"\n',
        ),
        object(
          'v1',
          'ConfigMap',
          'b',
          '  annotations:\n    internal.config.kubernetes.io/prefixes: q-\n    internal.config.kubernetes.io/suffixes: -r\n    internal.config.kubernetes.io/refBy: x\n    config.kubernetes.io/path: a\n    config.kubernetes.io/index: "1"\n    config.k8s.io/id: "2"\n    internal.config.kubernetes.io/id: "3"\n',
        ),
        object(
          'v1',
          'ConfigMap',
          'c',
          '  annotations:\n    internal.config.kubernetes.io/needsHashSuffix: enabled\ndata: {a: b}\n',
        ),
        object(
          'v1',
          'ConfigMap',
          'd',
          '  annotations:\n    internal.config.kubernetes.io/needsHashSuffix: other\n    internal.config.kubernetes.io/generatorBehavior: merge\n    internal.config.kubernetes.io/helm-generated: "true"\n',
        ),
        object('v1', 'ConfigMap', 'e', '  annotations: {}\n'),
        object('v1', 'ConfigMap', 'f', '  annotations: null\n'),
        object(
          'v1',
          'ConfigMap',
          'g',
          '  annotations: {internal.config.kubernetes.io/path: x, internal.config.kubernetes.io/index: "0", internal.config.kubernetes.io/seqindent: wide, internal.config.kubernetes.io/annotations-migration-resource-id: "1"}\n',
        ),
        object(
          'v1',
          'ConfigMap',
          'h',
          '  annotations: {internal.config.kubernetes.io/allowNameChange: enabled, internal.config.kubernetes.io/allowKindChange: enabled, config.kubernetes.io/other: x}\n',
        ),
      ].join('---\n'),
    }),
    ...[
      'prefixes: ""',
      'suffixes: a,b',
      'generatorBehavior: create',
      'helm-generated: "true"',
      'needsHashSuffix: enabled',
    ].map(annotation =>
      tree(
        `resources: [c.yaml]\nnamespace: new\npatches:\n- {target: {kind: ConfigMap}, patch: '[{"op": "copy", "from": "/metadata", "path": "/remembered"}]'}\nnamePrefix: p-\n`,
        {
          'c.yaml': object(
            'v1',
            'ConfigMap',
            'c',
            `  annotations:\n    internal.config.kubernetes.io/${annotation}\n    other: x\ndata: {a: b}\n`,
          ),
        },
      ),
    ),
    tree('resources: [c.yaml]\nnamespace: new\n', {
      'c.yaml': object(
        'v1',
        'ConfigMap',
        'c',
        '  namespace: own\n  annotations: {internal.config.kubernetes.io/helm-generated: "true"}\n',
      ),
    }),
    tree(
      'resources: [base]\npatches:\n- {target: {}, patch: \'[{"op": "copy", "from": "/metadata", "path": "/remembered"}]\'}\n',
      {
        'base/kustomization.yaml':
          'configMapGenerator: [{name: a, literals: [x=y], behavior: create}, {name: b, behavior: create, options: {disableNameSuffixHash: true}}]\nnamePrefix: p-\nnameSuffix: -s\nnamespace: new\n',
      },
    ),
  ],
}
