import { type Trees, tree } from './tree.ts'

const annotated = (name: string, annotations: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  annotations: ${annotations}\n`

const local = 'config.kubernetes.io/local-config'
const files = {
  'all.yaml': [
    annotated('plain', '{z: 1, a: true, m: x, n: 1.50, d: 2024-01-01, e: "", q: "5"}'),
    annotated('empty', '{}'),
    annotated('none', 'null'),
    annotated('null-value', '{a: null, b: ~}'),
    annotated('traced', '{config.kubernetes.io/origin: mine, alpha.config.kubernetes.io/transformations: "", b: c}'),
    annotated('only-traced', '{config.kubernetes.io/origin: mine, alpha.config.kubernetes.io/transformations: ""}'),
  ].join('---\n'),
  'base/kustomization.yaml':
    'resources: [one.yaml]\nnamePrefix: b-\nconfigMapGenerator: [{name: made, literals: [a=b]}]\n',
  'base/one.yaml': annotated('one', '{k: "1"}'),
}

const localConfig = (...values: readonly string[]) =>
  values.map(value =>
    tree('resources: [all.yaml]\nconfigMapGenerator: [{name: c}]\n', {
      'all.yaml': `${annotated('local', `{${local}: ${value}}`)}---\n${annotated('kept', '{}')}`,
    }),
  )

const rename = (to: string): string =>
  `patches:\n- {target: {name: two}, patch: '[{"op": "replace", "path": "/metadata/name", "value": "${to}"}]'}\n`

export const trees: Trees = {
  'annotations come out as texts, without those that kustomize put there unasked': [
    ...['', 'buildMetadata: []', 'buildMetadata: [originAnnotations]', 'buildMetadata: [transformerAnnotations]'],
    ...[
      'buildMetadata: [managedByLabel]',
      'buildMetadata: [managedByLabel, originAnnotations, transformerAnnotations]',
    ],
    ...['buildMetadata: [other]', 'buildMetadata: [originAnnotations, originAnnotations]'],
  ].flatMap(lines => [
    tree(`resources: [all.yaml]\n${lines}\n`, files),
    tree(`resources: [base]\nnameSuffix: -s\n${lines}\nsecretGenerator: [{name: s}]\n`, files),
    tree(`resources: [all.yaml, base]\ncommonAnnotations: {new: x}\n${lines}\n`, files),
    tree('resources: [base]\n', {
      ...files,
      'base/kustomization.yaml': `${files['base/kustomization.yaml']}${lines}\n`,
    }),
  ]),
  'what only configures the build stays behind, unless it says that it is none': [
    ...localConfig('"true"', '"false"', 'false', 'true', '""', 'null', 'other', '{a: b}', '[]'),
  ],
  'what only configures the build stays in it once it has the id of what is built': [
    ...['one', 'three'].map(to =>
      tree(`resources: [all.yaml]\n${rename(to)}`, {
        'all.yaml': `${annotated('one', '{}')}---\n${annotated('two', `{${local}: "true"}`)}`,
      }),
    ),
  ],
  'output is sorted as the kustomization says': [
    ...['legacy', 'fifo', 'other', '""'].flatMap(order => [
      tree(`resources: [all.yaml, base]\nsortOptions: {order: ${order}}\n`, files),
      tree(`resources: [all.yaml, base]\nsortOptions: {order: ${order}}\n`, files, { legacy: true }),
    ]),
    tree('resources: [base]\nsortOptions: {legacySortOptions: {orderFirst: [ConfigMap]}}\n', files),
    tree('resources: [base]\nsortOptions: {order: fifo, legacySortOptions: {orderFirst: [ConfigMap]}}\n', files),
    tree('resources: [base]\nsortOptions: {order: legacy, legacySortOptions: {orderLast: [ConfigMap]}}\n', files),
    tree('resources: [base]\nsortOptions: {}\n', files),
  ],
}
