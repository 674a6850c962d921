import assert from 'node:assert/strict'
import { test } from 'node:test'
import { build } from '../../../lib/kustomize/build.ts'
import { KustomizeError, located, placeOf } from '../../../lib/kustomize/kustomize-error.ts'
import { memoryTree } from '../../conformance/memory-tree.ts'

const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n'
const TWO = `${CONFIG_MAP}---\n${CONFIG_MAP}  namespace: n\n`
const NO_TARGET = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: other\n'

const VARS = 'vars: [{name: A, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]\n'

const config = (kind: string, more = '', metadata = 'name: t') => ({
  't.yaml': `apiVersion: builtin\nkind: ${kind}\nmetadata: {${metadata}}\n${more}`,
})

/** Makes a second resource of the id that the first one has. */
const COLLIDING = `target: {name: b}
options: {allowNameChange: true}
patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
`
const A_AND_B = { 'a.yaml': `${CONFIG_MAP}---\n${CONFIG_MAP.replace('name: a', 'name: b')}` }
const JSON_PATCH = `patch: '[{"op": "remove", "path": "/data"}]'\n`

const ODD_ORIGIN = 'name: t, annotations: {config.kubernetes.io/origin: "a: b: c"}'

const component = (lines: string) => ({
  'c/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${lines}\n`,
  'c/p.yaml': 'a: [',
})

/** What is wrong with a kustomization: its lines, the file and field to look at, and further files. */
const faults: readonly (readonly [lines: string, file: string, field: string, files?: Record<string, string>])[] = [
  ['namePrefixx: p-', 'kustomization.yaml', 'namePrefixx'],
  ['namespace: [a]', 'kustomization.yaml', 'namespace'],
  ['resources: [missing.yaml]', 'missing.yaml', 'resources'],
  ['resources: [{a: 1}]', 'kustomization.yaml', 'resources'],
  ['components: [missing]', 'missing', 'components'],
  ['crds: [missing.json]', 'missing.json', 'crds'],
  ['configurations: [missing.yaml]', 'missing.yaml', 'configurations'],
  ['openapi: {path: missing.json}', 'missing.json', 'openapi'],
  ['configurations: [c.yaml]', 'c.yaml', 'other', { 'c.yaml': 'other: []' }],
  ['configurations: [c.yaml]', 'c.yaml', 'configurations', { 'c.yaml': 'a: b: c' }],
  ['components: [c]', 'c/x.yaml', 'other', { ...component('configurations: [x.yaml]'), 'c/x.yaml': 'other: []' }],
  [
    'resources: [b]',
    'b/kustomization.yaml',
    'openapi',
    { 'b/kustomization.yaml': 'openapi: {version: v, path: x}', 'b/x': '{}' },
  ],
  [
    'patchesStrategicMerge: [p.yaml]',
    'p.yaml',
    'items',
    { 'p.yaml': `${CONFIG_MAP}---\nkind: FooList\nitems: text\n` },
  ],
  ['patchesStrategicMerge: [p.yaml]', 'p.yaml', 'kind', { 'p.yaml': 'apiVersion: v1\nmetadata: {name: a}\n' }],
  ['patchesStrategicMerge: [p.yaml]', 'p.yaml', 'metadata.name', { 'p.yaml': 'apiVersion: v1\nkind: ConfigMap\n' }],
  ['namePrefix: p-', 'a.yaml', 'key', { 'a.yaml': `${CONFIG_MAP}data: {key: 1, key: 2}\n` }],
  ['crds: [c.yaml]', 'c.yaml', 'crds', { 'c.yaml': '[]' }],
  ['vars: [{name: A}, {name: A}]', 'kustomization.yaml', 'vars'],
  [
    'resources: [b, c]',
    'kustomization.yaml',
    'vars',
    { 'b/kustomization.yaml': `resources: [../a.yaml]\n${VARS}`, 'c/kustomization.yaml': `namePrefix: p-\n${VARS}` },
  ],
  [
    'vars: [{name: A, objref: {kind: ConfigMap, version: v1, name: a}}]',
    'kustomization.yaml',
    'vars',
    { 'a.yaml': TWO },
  ],
  ['crds: [c.yaml]', 'c.yaml', 'crds', { 'c.yaml': 'a: b: c' }],
  ['components: [c]', 'c/x.yaml', 'crds', { ...component('crds: [x.yaml]'), 'c/x.yaml': '[]' }],
  [
    'configurations: [c.yaml]',
    'kustomization.yaml',
    'spec/x',
    { 'c.yaml': 'images: [{path: spec/x, kind: A}, {path: spec/x, kind: A, create: true}]' },
  ],
  ...['a: &x 1\nd: {<<: *x}', 'd: {<<: text}', 'd: {<<: [[]]}', 'd: {<<: {a: b}, <<: {c: d}}'].map(
    (merge): (typeof faults)[number] => [
      'patchesStrategicMerge: [p.yaml]',
      'p.yaml',
      '<<',
      { 'p.yaml': CONFIG_MAP + merge },
    ],
  ),
  [
    'secretGenerator: [{name: a, behavior: merge}]',
    'a.yaml',
    'stringData',
    { 'a.yaml': `${CONFIG_MAP.replace('ConfigMap', 'Secret')}stringData: {k: [x]}\n` },
  ],
  ['openapi: {version: v1}', 'kustomization.yaml', 'openapi.version'],
  ['openapi: {version: v1, path: a.yaml}', 'kustomization.yaml', 'openapi'],
  ['openapi: {path: s.json}', 'kustomization.yaml', 'openapi.path', { 's.json': 'a: [' }],
  [
    'sortOptions: {order: fifo, legacySortOptions: {orderFirst: [Pod]}}',
    'kustomization.yaml',
    'sortOptions.legacySortOptions',
  ],
  ['sortOptions: {order: other}', 'kustomization.yaml', 'sortOptions.order'],
  ['patches: [{patch: "no patch"}]', 'kustomization.yaml', 'patch'],
  ['patches: [{path: patch.yaml}]', 'patch.yaml', 'patches', { 'patch.yaml': NO_TARGET }],
  [`patches: [{patch: '[{"op": "remove", "path": "/x"}]', target: {name: a}}]`, 'a.yaml', '/x'],
  ['patchesStrategicMerge: [patch.yaml]', 'patch.yaml', 'patchesStrategicMerge', { 'patch.yaml': NO_TARGET }],
  [
    `patches: [{target: {kind: ConfigMap}, patch: '[{"op": "remove", "path": "/metadata"}]'}]`,
    'a.yaml',
    'metadata.name',
  ],
  ['patchesJson6902: [{patch: "[]"}]', 'kustomization.yaml', 'target.name'],
  ['patches: [{path: p.yaml}]', 'p.yaml', 'patches[0]', { 'p.yaml': 'no patch' }],
  [`patches: [{patch: '[{"op": "remove", "path": "/x"}]'}]`, 'kustomization.yaml', 'patches.target'],
  ['patches: [{path: p.yaml, target: {name: a}}]', 'kustomization.yaml', 'patches.target', { 'p.yaml': TWO }],
  [
    'patches: [{path: p.yaml, target: {kind: ConfigMap}, options: {allowNameChange: true}}]',
    'p.yaml',
    'patches[0]',
    { 'p.yaml': NO_TARGET, 'a.yaml': TWO.replace('  namespace: n', '').replace('a\n---', 'b\n---') },
  ],
  [`patches: [{patch: '[{"op": "add", "path": 5}]', target: {name: a}}]`, 'a.yaml', 'patches[0]'],
  [
    'patches: [{path: p.yaml}]',
    'kustomization.yaml',
    '$patch',
    { 'p.yaml': `${CONFIG_MAP}data: {$patch: other}\n`, 'a.yaml': `${CONFIG_MAP}data: {}\n` },
  ],
  ['patchesStrategicMerge: [p.yaml]', 'p.yaml', 'patchesStrategicMerge', { 'p.yaml': 'a: [' }],
  ['patchesStrategicMerge: [q.yaml]', 'q.yaml', 'patchesStrategicMerge', { 'q.yaml': 'a: b' }],
  ['components: [c]', 'c/p.yaml', 'patches[0]', { ...component('patches: [{path: p.yaml}]'), 'c/p.yaml': 'no' }],
  ['components: [c]', 'c/p.yaml', 'patchesStrategicMerge', component('patchesStrategicMerge: [p.yaml]')],
  [
    'components: [c]',
    'c/kustomization.yaml',
    'patchesJson6902[0]',
    component('patchesJson6902: [{target: {name: a}, patch: "a: b"}]'),
  ],
  ['patchesStrategicMerge: ["# nothing"]', 'kustomization.yaml', 'patchesStrategicMerge'],
  ['patchesJson6902: [{target: {name: a}}]', 'kustomization.yaml', 'path'],
  ['patchesJson6902: [{target: {name: a}, path: p.yaml, patch: "[]"}]', 'kustomization.yaml', 'path'],
  ['patchesJson6902: [{target: {name: a}, path: p.yaml}]', 'p.yaml', 'patchesJson6902[0]', { 'p.yaml': '' }],
  ['patchesJson6902: [{target: {name: a}, path: p.json}]', 'p.json', 'patchesJson6902[0]', { 'p.json': 'a: b' }],
  ['patchesJson6902: [{target: {name: a}, path: q.json}]', 'q.json', 'patchesJson6902[0]', { 'q.json': '[]' }],
  ['patchesJson6902: [{target: {name: a}, patch: "a: b"}]', 'kustomization.yaml', 'patchesJson6902[0]'],
  ['commonLabels: {a: b}', 'a.yaml', 'metadata/labels', { 'a.yaml': `${CONFIG_MAP}  labels: 5\n` }],
  ['namespace: new', 'a.yaml', 'metadata.namespace', { 'a.yaml': TWO }],
  ['transformers: [t.yaml]', 't.yaml', 'paths', config('PatchStrategicMergeTransformer')],
  ['transformers: [t.yaml]', 't.yaml', 'targets', config('ValueAddTransformer')],
  ['transformers: [t.yaml]', 't.yaml', 'targets.fieldPath', config('ValueAddTransformer', 'targets: [{}]')],
  [
    'transformers: [t.yaml]',
    't.yaml',
    'targets.filePathPosition',
    config('ValueAddTransformer', 'targets: [{fieldPath: x, filePathPosition: -1}]'),
  ],
  ['transformers: [t.yaml]', 't.yaml', 'fieldSpecs', config('PrefixTransformer')],
  [
    'transformers: [t.yaml]',
    't.yaml',
    'setRoleBindingSubjects',
    config('NamespaceTransformer', 'setRoleBindingSubjects: all'),
  ],
  ['transformers: [t.yaml]', 't.yaml', 'prefix', config('PrefixTransformer', 'prefix: a\nprefix: b')],
  ['transformers: [t.yaml]', 't.yaml', 'transformers', config('HelmChartInflationGenerator')],
  ['transformers: [t.yaml]', 't.yaml', 'patches.target', config('PatchTransformer', JSON_PATCH)],
  ['transformers: [t.yaml]', 't.yaml', 'transformers', { ...config('PatchTransformer', COLLIDING), ...A_AND_B }],
  ["transformers: ['{apiVersion: builtin, kind: No, metadata: {name: t}}']", 'kustomization.yaml', 'kind'],
  ['validators: [t.yaml]', 't.yaml', 'validators', config('HelmChartInflationGenerator')],
  ['validators: [t.yaml]', 't.yaml', 'patches.target', config('PatchTransformer', JSON_PATCH)],
  ['validators: [t.yaml]', 't.yaml', 'validators', { ...config('PatchTransformer', COLLIDING), ...A_AND_B }],
  ['generators: [t.yaml]', 't.yaml', 'generators', config('HelmChartInflationGenerator')],
  ['generators: [t.yaml]', 't.yaml', 'cloud', config('IAMPolicyGenerator', 'cloud: aws')],
  ['generators: [t.yaml]', 't.yaml', 'generators', config('IAMPolicyGenerator', 'cloud: gke')],
  ['generators: [t.yaml]', 't.yaml', 'literals', config('ConfigMapGenerator', 'literals: [no-pair]')],
  ['generators: [t.yaml]', 't.yaml', 'behavior', config('ConfigMapGenerator', 'behavior: merge')],
  ['generators: [t.yaml]', 't.yaml', 'behavior', config('SecretGenerator', 'behavior: merge')],
  ...['generators', 'transformers', 'validators'].map((list): (typeof faults)[number] => [
    `${list}: [t.yaml]`,
    't.yaml',
    list,
    config(list === 'generators' ? 'ConfigMapGenerator' : 'HashTransformer', '', ODD_ORIGIN),
  ]),
  ['replicas: [{name: nobody, count: 1}]', 'kustomization.yaml', 'replicas'],
  ['replacements: [{targets: []}]', 'kustomization.yaml', 'replacements'],
  ['replacements: [{source: {kind: ConfigMap}, sourceValue: v, targets: [{}]}]', 'kustomization.yaml', 'replacements'],
  ['replacements: [{source: {kind: Nobody}, targets: [{}]}]', 'kustomization.yaml', 'replacements.source'],
  ['replacements: [{sourceValue: v, targets: [{}]}]', 'kustomization.yaml', 'replacements.targets'],
  ['replacements: [{source: {fieldPath: x.y}, targets: [{}]}]', 'a.yaml', 'x.y'],
  ['replacements: [{source: {fieldPath: kind.y}, targets: [{}]}]', 'a.yaml', 'kind.y'],
  ['replacements: [{sourceValue: v, targets: [{select: {}, fieldPaths: [x.y]}]}]', 'a.yaml', 'x.y'],
  ['replacements: [{path: r.yaml, source: {}}]', 'kustomization.yaml', 'replacements', { 'r.yaml': '[]' }],
  ['replacements: [{path: r.yaml}]', 'kustomization.yaml', 'replacements', { 'r.yaml': '7' }],
  [
    'namePrefix: p-\nresources: [b.yaml]',
    'b.yaml',
    'subjects',
    {
      'b.yaml':
        'apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nsubjects: [{kind: ServiceAccount, name: a, namespace: 5}]\n',
    },
  ],
  [
    'namePrefix: p-\nresources: [b.yaml]',
    'b.yaml',
    'spec/volumes/configMap/name',
    { 'b.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: b}\nspec: {volumes: [{configMap: text}]}\n' },
  ],
  ['transformers: [t.yaml]', 't.yaml', 'kind', { 't.yaml': 'apiVersion: builtin\nkind: No\nmetadata: {name: t}\n' }],
  ['generators: [t.yaml]', 't.yaml', 'kind', { 't.yaml': 'apiVersion: x/v1\nkind: No\nmetadata: {name: t}\n' }],
  ['configMapGenerator: [{name: c, files: [missing.txt]}]', 'missing.txt', 'configMapGenerator[0]'],
  ['configMapGenerator: [{name: c, literals: [no-pair]}]', 'kustomization.yaml', 'literals'],
  ['configMapGenerator: [{literals: [a=b]}]', 'kustomization.yaml', 'name'],
  ['secretGenerator: [{name: c, literals: [key=1, key=2]}]', 'kustomization.yaml', 'key'],
  ['secretGenerator: [{name: c, files: [a=b=c]}]', 'kustomization.yaml', 'files'],
  ['configMapGenerator: [{name: c, files: [=a.yaml]}]', 'kustomization.yaml', 'files'],
  ['configMapGenerator: [{name: c, files: [a=]}]', 'kustomization.yaml', 'files'],
  ['configMapGenerator: [{name: none, behavior: merge}]', 'kustomization.yaml', 'behavior'],
  ['configMapGenerator: [{name: a}]', 'kustomization.yaml', 'behavior'],
  ['images: [{newTag: {}}]', 'kustomization.yaml', 'images.newTag'],
  ['replacements: [{source: {name: 1}}]', 'kustomization.yaml', 'replacements.source.name'],
  ['patches: [{target: {some: 1}}]', 'kustomization.yaml', 'patches.target.some'],
  ['kind: Other', 'kustomization.yaml', 'kind'],
  ['apiVersion: v1', 'kustomization.yaml', 'apiVersion'],
  ['helmCharts: [{name: c}]', 'kustomization.yaml', 'helmCharts[0]'],
  ['vars: [{name: V, objref: {kind: ConfigMap, name: nobody, apiVersion: v1}}]', 'kustomization.yaml', 'vars'],
  ['resources: [broken.yaml]', 'broken.yaml', 'resources', { 'broken.yaml': 'a: [\n' }],
  ['resources: [c]', 'c/kustomization.yaml', 'kind', component('namePrefix: p-')],
  ['components: [b]', 'b/kustomization.yaml', 'kind', { 'b/kustomization.yaml': 'namePrefix: p-\n' }],
  ['resources: [a.yaml]\nnamePrefix: p-\nconfigMapGenerator: [{name: a}]', 'kustomization.yaml', 'behavior'],
  ['components: [p.yaml]', 'p.yaml', 'components', { 'p.yaml': CONFIG_MAP }],
  ['resources: [b]', 'b', 'resources', { 'b/kustomization.yaml': 'resources: [../b]\n' }],
  ['resources: [b/c]', 'b', 'resources', { 'b/c/kustomization.yaml': 'resources: [../../b]\n' }],
  ['patches: [{path: b}]', 'b', 'patches[0]', { 'b/x': '' }],
  ['patches: [{path: https://files.example/p.yaml}]', 'https://files.example/p.yaml', 'patches[0]'],
  ['secretGenerator: [{name: c, files: [missing.txt]}]', 'missing.txt', 'secretGenerator[0]'],
  ['generators: [missing.yaml]', 'missing.yaml', 'generators'],
  ['vars: [{name: V, objref: {apiVersion: v1, kind: ConfigMap, name: a}, fieldref: {fieldpath: x}}]', 'a.yaml', 'x'],
  ['commonAnnotations: {}', 'a.yaml', 'metadata.annotations', { 'a.yaml': `${CONFIG_MAP}  annotations: [x]\n` }],
  [
    'validators: [v.yaml]',
    'kustomization.yaml',
    'validators',
    {
      'v.yaml':
        'apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: v}\npatch: "{kind: ConfigMap, apiVersion: v1, metadata: {name: a}, data: {k: w}}"\n',
    },
  ],
]

for (const [lines, file, field, files = {}] of faults)
  test(`names ${file} and ${field} as what is wrong with ${lines}`, async () => {
    const base = lines.includes('resources') ? '' : 'resources: [a.yaml]\n'
    const tree = memoryTree({ 'kustomization.yaml': `${base}${lines}\n`, 'a.yaml': CONFIG_MAP, ...files })
    const error = await build(tree, '').then(
      () => assert.fail('was built'),
      (error: unknown) => error,
    )
    assert.ok(error instanceof KustomizeError, String(error))
    assert.deepEqual({ file: error.file, field: error.field }, { file, field }, error.message)
  })

test('names the directory that has no kustomization, or two', async () => {
  const two = { 'app/kustomization.yaml': '', 'app/Kustomization': '' }
  for (const files of [{ 'app/x.yaml': '' }, two])
    await assert.rejects(build(memoryTree(files), 'app'), { name: 'KustomizeError', file: 'app' })
  const atRoot: readonly Record<string, string>[] = [
    { 'x.yaml': '' },
    { 'kustomization.yaml': '', 'kustomization.yml': '' },
  ]
  for (const files of atRoot) await assert.rejects(build(memoryTree(files), ''), { name: 'KustomizeError', file: '.' })
})

test('names the file of a kustomization that says nothing, or has two things wrong', async () => {
  for (const [text, field] of [
    ['', undefined],
    ['apiVersion: v1\nkind: Other\nresources: []\n', 'kind'],
    ['resources: [', undefined],
  ] as const)
    await assert.rejects(build(memoryTree({ 'kustomization.yaml': text }), ''), { file: 'kustomization.yaml', field })
})

test('adds the place to an error as far as it has none, and leaves faults of the program alone', () => {
  const place = { file: 'a.yaml', field: 'data' }
  const complete = new KustomizeError('no', { file: 'b.yaml', field: 'kind' })
  assert.equal(located(complete, place), complete)
  const fault = new TypeError('no')
  assert.equal(located(fault, place), fault)
  const { file, field } = located(new KustomizeError('no', { file: 'b.yaml' }), place) as KustomizeError
  assert.deepEqual({ file, field }, { file: 'b.yaml', field: 'data' })
  assert.equal('cause' in complete, false)
})

test('says what the message leaves out, and nothing twice', () => {
  const place = { file: 'app/kustomization.yaml', field: 'patches' }
  assert.equal(placeOf(new KustomizeError('no', place)), ' (file: app/kustomization.yaml, field: patches)')
  assert.equal(placeOf(new KustomizeError('bad patches', place), '/'), ' (file: /app/kustomization.yaml)')
  assert.equal(placeOf(new KustomizeError('app/kustomization.yaml: patches', place)), '')
  assert.equal(placeOf(new KustomizeError('no', { file: 'https://x/a' }), '/'), ' (file: https://x/a)')
})

test('shows nothing of what a Secret holds', async () => {
  const secret =
    'apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\ndata:\n  password: aHVudGVyMg==\n  1: x\ndataset: 5\n'
  const error = await build(memoryTree({ 'kustomization.yaml': 'resources: [s.yaml]\n', 's.yaml': secret }), '').then(
    () => assert.fail('was built'),
    (error: KustomizeError) => error,
  )
  assert.equal(
    error.message,
    'map[string]interface {}{"apiVersion":"v1", "data":"**", "dataset":5, "kind":"Secret", "metadata":"**"}: json: unsupported type: map[interface {}]interface {}',
  )
  assert.equal(error.field, 'data')
})

test('shows nothing of what Secrets hold that a reference could mean', async () => {
  const secret = (value: string) =>
    `apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nimmutable: true\ndata:\n  password: ${value}\nstringData:\n  word: hunter2\n`
  const pod = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  volumes: [{secret: {secretName: s}}]\n'
  const tree = memoryTree({
    'kustomization.yaml': 'resources: [one, two, p.yaml]\nnamePrefix: x-\n',
    'p.yaml': pod,
    'one/kustomization.yaml': 'resources: [s.yaml]\nnamePrefix: one-\n',
    'one/s.yaml': secret('aHVudGVyMQ=='),
    'two/kustomization.yaml': 'resources: [s.yaml]\nnamePrefix: two-\n',
    'two/s.yaml': secret('aHVudGVyMg=='),
  })
  await assert.rejects(build(tree, ''), ({ message }: Error) => {
    assert.match(message, /found multiple possible referrals: .*x-one-s.*x-two-s/)
    assert.match(message, /immutable: true/)
    assert.doesNotMatch(message, /hunter|aHVudGVy|password|word/)
    return true
  })
})
