import { type Trees, tree } from './tree.ts'

const A = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n'

/** A configuration of a kind that kustomize has built in. */
const config = (kind: string, body = '', metadata = 'name: t') =>
  `apiVersion: builtin\nkind: ${kind}\nmetadata: {${metadata}}\n${body}\n`

const prefix = (text: string, name = 't') =>
  config('PrefixTransformer', `prefix: ${text}\nfieldSpecs: [{path: metadata/name}]`, `name: ${name}`)

/** Lists of a kustomization, as texts to be written as they are. */
const listing = (
  lists: Partial<Record<'generators' | 'transformers' | 'validators', readonly string[]>>,
  files: Record<string, string> = {},
  more = '',
) =>
  tree(
    `resources: [a.yaml]\n${more}${Object.entries(lists)
      .map(([list, entries]) => `${list}: ${JSON.stringify(entries)}\n`)
      .join('')}`,
    { 'a.yaml': A, ...files },
  )

const transforming = (...configs: string[]) =>
  listing({ transformers: ['t.yaml'] }, { 't.yaml': configs.join('---\n') })
const generating = (...configs: string[]) => listing({ generators: ['t.yaml'] }, { 't.yaml': configs.join('---\n') })

const withOrigin = (origin: string) => `name: t, annotations: {config.kubernetes.io/origin: ${JSON.stringify(origin)}}`

const origins = ['a: b: c', '5', '[x]', 'path: [x]', 'path: x\nrepo: r\nref: main', '', 'other: 5', 'path: 5', '~', '{']

const patching = (patch: string) =>
  listing(
    { transformers: ['t.yaml'], generators: ['g.yaml'] },
    {
      't.yaml': prefix('p-'),
      'g.yaml': config('ConfigMapGenerator', 'name: g\nliterals: [a=b]', 'name: g'),
    },
    `patches: [${patch}]\n`,
  )

export const trees: Trees = {
  'patches change no configurations of what is built in': [
    patching(`{patch: '[{"op": "replace", "path": "/prefix", "value": "q-"}]', target: {name: t}}`),
    patching(`{patch: '[{"op": "replace", "path": "/name", "value": "q"}]', target: {kind: ConfigMapGenerator}}`),
    patching(`{patch: "${prefix('q-').replaceAll('\n', '\\n')}"}`),
  ],
  'field specs without a path are at the object itself': [
    transforming(config('PrefixTransformer', 'prefix: p-\nfieldSpecs: [{kind: ConfigMap}]')),
    transforming(config('AnnotationsTransformer', 'annotations: {a: b}\nfieldSpecs: [{create: true}]')),
    transforming(config('AnnotationsTransformer', 'annotations: {a: b}\nfieldSpecs: [{}]')),
  ],
  'what is generated takes its name from the metadata when nothing else tells it': [
    generating(config('ConfigMapGenerator', 'literals: [a=b]', 'name: c, namespace: n')),
    generating(config('SecretGenerator', 'literals: [a=b]', 'name: c, namespace: n')),
    generating(config('ConfigMapGenerator', 'name: d\nnamespace: m\nliterals: [a=b]', 'name: c, namespace: n')),
    generating(config('ConfigMapGenerator', 'literals: [a=b]', 'name: 5, namespace: 7')),
    generating(config('SecretGenerator', 'literals: [a=b]', 'name: [c]')),
  ],
  'a policy may leave out any of its parts': [
    'kubernetesService: {name: m}',
    'kubernetesService: {namespace: n}',
    'serviceAccount: {name: s}',
    'serviceAccount: {projectId: p}',
    'kubernetesService: {name: m}\nserviceAccount: {projectId: p}',
    'kubernetesService: {name: m, namespace: n}\nserviceAccount: {name: s}',
    'kubernetesService: {name: "5", namespace: ""}\nserviceAccount: {name: s, projectId: "x: y"}',
  ].map(body => generating(config('IAMPolicyGenerator', `cloud: gke\n${body}`))),
  'a chart is refused before its configuration is read': [
    generating(config('HelmChartInflationGenerator', 'name: [x]')),
    transforming(config('HelmChartInflationGenerator', 'name: [x]')),
  ],
  'configurations may tell where they are from': [
    ...['repo', 'ref', 'configuredIn', 'configuredBy'].map(field =>
      transforming(config('PrefixTransformer', 'fieldSpecs: []', withOrigin(`${field}: [x]`))),
    ),
    ...['apiVersion', 'kind', 'name', 'namespace'].map(field =>
      transforming(config('PrefixTransformer', 'fieldSpecs: []', withOrigin(`configuredBy: {${field}: [x]}`))),
    ),
    ...origins.flatMap(origin => [
      transforming(config('PrefixTransformer', 'fieldSpecs: []', withOrigin(origin))),
      generating(config('ConfigMapGenerator', 'name: g', withOrigin(origin))),
      listing(
        { validators: ['t.yaml'] },
        { 't.yaml': config('PrefixTransformer', 'fieldSpecs: []', withOrigin(origin)) },
      ),
    ]),
    ...origins.map(origin =>
      listing(
        { generators: ['g.yaml'], transformers: ['t.yaml'] },
        {
          'g.yaml': config('ConfigMapGenerator', 'name: g', withOrigin(origin)),
          't.yaml': config('PrefixTransformer', 'fieldSpecs: []', withOrigin(origin)),
        },
        'buildMetadata: [originAnnotations, transformerAnnotations]\n',
      ),
    ),
  ],
  'configurations written in place are each their own': [
    listing({ transformers: [prefix('a-', 'one'), prefix('b-', 'two')] }),
    listing({ transformers: [prefix('a-'), prefix('b-')] }),
    listing({ generators: [prefix('a-'), prefix('b-')] }),
    listing({ validators: [prefix('a-'), prefix('b-')] }),
    listing(
      { transformers: [`${prefix('a-', 'one')}---\n${prefix('b-', 'two')}`, 't.yaml'] },
      { 't.yaml': prefix('c-') },
    ),
    listing({ transformers: [prefix('a-'), 't.yaml'] }, { 't.yaml': prefix('c-') }),
    listing({ transformers: ['t.yaml', 'u.yaml'] }, { 't.yaml': prefix('c-'), 'u.yaml': prefix('c-') }),
    listing({ transformers: ['t.yaml'] }, { 't.yaml': '' }),
    listing({ transformers: ['t.yaml'] }, { 't.yaml': '# nothing\n' }),
    listing({ transformers: ['# nothing\n'] }),
    listing({ transformers: [''] }),
    listing({ transformers: ['{}'] }),
    listing({ transformers: ['[]'] }),
    listing({ transformers: ['{apiVersion: builtin, kind: No, metadata: {name: t}}'] }),
    listing({ generators: ['{apiVersion: builtin, kind: No, metadata: {name: t}}'] }),
    listing({ generators: ['t.yaml'] }, { 't.yaml': 'apiVersion: builtin\nkind: No\n' }),
  ],
}
