import { type Trees, tree } from './tree.ts'

/** A kustomization whose transformers have configurations, each of a kind with further lines. */
const transformers = (files: Record<string, string>, configs: readonly string[], more = '') =>
  tree(`resources: [all.yaml]\ntransformers: [t.yaml]\n${more}`, {
    ...files,
    't.yaml': configs
      .map((config, i) => `apiVersion: builtin\nmetadata: {name: t${i}}\nkind: ${config}\n`)
      .join('---\n'),
  })

const object = (kind: string, name: string, apiVersion = 'v1', more = '') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const objects = {
  'all.yaml': [
    object(
      'ConfigMap',
      'config',
      'v1',
      'data: {path: /a/b, relative: a/b/, root: /, empty: "", number: 5, none: null}\n',
    ),
    object(
      'Widget',
      'config',
      'example.com/v1',
      '  namespace: there\nspec:\n  list: [{name: a, path: x}, text]\n  "a/b": {c: d}\n',
    ),
    object('Namespace', 'config'),
    object('Namespace', 'config', 'example.com/v1'),
    object('CustomResourceDefinition', 'config', 'apiextensions.k8s.io/v1'),
    object('APIService', 'config', 'apiregistration.k8s.io/v1'),
    object('APIService', 'config', 'example.com/v1'),
    object('Other', 'config', 'apiregistration.k8s.io/v1'),
  ].join('---\n'),
}

/** Copies what a build remembers, so that it is seen. */
const shown = `PatchTransformer
target: {kind: ConfigMap|Widget|Namespace}
patch: '[{"op": "copy", "from": "/metadata", "path": "/remembered"}]'`

const specs = (...list: string[]) => `fieldSpecs:\n${list.map(spec => `- {${spec}}\n`).join('')}`
const NAME = 'path: metadata/name'

const value = (lines: string, path = '') => {
  const made = transformers(objects, [`ValueAddTransformer\n${lines}`])
  const below = path === '' ? '' : `${path}/`
  return { path, files: Object.fromEntries(Object.entries(made.files).map(([name, text]) => [below + name, text])) }
}

const targets = (...list: string[]) => `targets:\n${list.map(target => `- {${target}}\n`).join('')}`
const CONFIG = 'selector: {kind: ConfigMap}'
const WIDGET = 'selector: {kind: Widget}'

const at = (position: number) =>
  ['path', 'relative', 'root', 'empty', 'number', 'none', 'new'].map(
    key => `${CONFIG}, fieldPath: data/${key}, filePathPosition: ${position}`,
  )

const replicated = {
  'all.yaml': [
    object('Deployment', 'web', 'apps/v1', 'spec: {replicas: 1}\n'),
    object('Deployment', 'other', 'apps/v1', 'spec: {replicas: 1}\n'),
    object('StatefulSet', 'web', 'apps/v1', 'spec: {replicas: "1", other: x}\n'),
    object('ReplicaSet', 'web', 'apps/v1', 'spec: {replicas: null}\n'),
    object('ReplicationController', 'web', 'v1', 'spec: {}\n'),
    object('Widget', 'web', 'example.com/v1', ''),
  ].join('---\n'),
}
const replicas = (...entries: string[]) =>
  tree(
    `resources: [all.yaml]\nnamePrefix: p-\nreplicas:\n${entries.map(entry => `- {${entry}}\n`).join('')}`,
    replicated,
  )

export const trees: Trees = {
  'prefixes and suffixes go where a configuration says, and are remembered': [
    transformers(objects, [
      `PrefixTransformer\nprefix: a-\n${specs(NAME)}`,
      `SuffixTransformer\nsuffix: -z\n${specs(NAME)}`,
      shown,
    ]),
    transformers(objects, [
      `PrefixTransformer\nprefix: ""\n${specs(NAME)}`,
      `SuffixTransformer\n${specs(NAME)}`,
      shown,
    ]),
    transformers(objects, [
      `PrefixSuffixTransformer\nprefix: a-\nsuffix: -z\n${specs(`${NAME}, kind: Widget`)}`,
      shown,
    ]),
    transformers(objects, [
      `PrefixTransformer\nprefix: a-\n${specs('path: data/path', 'path: data/new, create: true', 'path: spec/new, create: true', 'path: data/none, create: true')}`,
      shown,
    ]),
    transformers(objects, [
      `SuffixTransformer\nsuffix: -z\n${specs(NAME, `${NAME}, kind: ConfigMap`, `${NAME}, version: v2`, `${NAME}, group: example.com`)}`,
      shown,
    ]),
    transformers(objects, [`PrefixTransformer\nprefix: a-\n${specs('path: spec/list')}`]),
    transformers(objects, [`PrefixTransformer\nprefix: a-\n`]),
    transformers(objects, [`PrefixTransformer\nprefix: a-\n${specs(NAME)}`], 'namePrefix: b-\nnameSuffix: -y\n'),
  ],
  'a value is put at the places that are meant': [
    value(`value: " new "\n${targets(`${CONFIG}, fieldPath: data/path`, `${WIDGET}, fieldPath: spec/list/0/path`)}`),
    value(`value: new\n${targets(...at(0))}`),
    value(`value: new\n${targets(...at(1))}`),
    value(`value: newer\n${targets(...at(2))}`),
    value(`value: new\n${targets(...at(3))}`),
    value(`value: new\n${targets(...at(9999))}`),
    value(`value: a/b\n${targets(...at(1))}`),
    value(`value: "5"\n${targets(`${CONFIG}, fieldPath: data/path`, `${CONFIG}, fieldPath: data/number`)}`),
    value(`value: "true"\n${targets(`${CONFIG}, fieldPath: data/new`, `${CONFIG}, fieldPath: data/empty`)}`),
    value(targets(`${CONFIG}, fieldPath: data/path`), 'some/deep/overlay'),
    value(targets(`${CONFIG}, fieldPath: data/path`, `${WIDGET}, fieldPath: spec/new`)),
    value(`value: " "\n${targets(`${CONFIG}, fieldPath: data/path, filePathPosition: 1`)}`, 'some/deep/overlay'),
    value(`value: new\n${targets('fieldPath: metadata/namespace')}`),
    value(`value: new\n${targets('fieldPath: metadata/namespace, filePathPosition: 2, selector: {name: conf.*}')}`),
    value(`value: new\n${targets('fieldPath: metadata/annotations/new')}`),
    value(
      `value: new\n${targets(`${WIDGET}, fieldPath: 'spec/list/[name=a]/path'`, `${WIDGET}, fieldPath: spec/list/-/new`)}`,
    ),
    value(
      `value: new\n${targets(`${WIDGET}, fieldPath: 'spec/list/[name=new]/path'`, `${WIDGET}, fieldPath: 'spec/a\\/b/c'`)}`,
    ),
    value(`value: new\n${targets(`${WIDGET}, fieldPath: spec/list/5`)}`),
    value(`value: new\n${targets(`${WIDGET}, fieldPath: spec/list/5/path`)}`),
    value(`value: new\n${targets(`${WIDGET}, fieldPath: spec/list`)}`),
    value(`value: new\n${targets(`${WIDGET}, fieldPath: spec/list/path`)}`),
    value(`value: new\n${targets(`${WIDGET}, fieldPath: kind/path`)}`),
    value(`value: new\n${targets(`${CONFIG}, fieldPath: /data/path`)}`),
    value(`value: new\n${targets(`${CONFIG}, fieldPath: data/*`)}`),
  ],
  'a value without places to go to is refused': [
    value('value: new\n'),
    value('value: new\ntargets: []\n'),
    value(`value: new\n${targets(CONFIG)}`),
    value(`value: new\n${targets(`${CONFIG}, fieldPath: data/path`, `${CONFIG}, fieldPath: ""`)}`),
    value(`value: new\n${targets(`${CONFIG}, fieldPath: data/path, filePathPosition: -1`)}`),
  ],
  'places for a value may stand in a file of their own': [
    ...[
      targets(`${CONFIG}, fieldPath: data/path`),
      'targets: []\n',
      'targets:\n',
      'other: [1]\n',
      '',
      'targets: [{fieldPath: ""}]\n',
    ].map(file => {
      const { files, path } = value(`value: new\ntargetFilePath: targets.yaml\n${targets('fieldPath: data/own')}`)
      return { path, files: { ...files, 'targets.yaml': file } }
    }),
    { ...value('value: new\ntargetFilePath: ""\n') },
  ],
  'replicas are set of all that is called so, now or before': [
    replicas('name: web, count: 3'),
    replicas('name: web, count: 4'),
    replicas('name: p-web, count: 3'),
    replicas('name: web'),
    replicas('name: web, count: 0', 'name: other, count: 2147483648'),
    replicas('name: web, count: 9007199254740993'),
    replicas('name: web, count: 1e3'),
    replicas('name: nobody, count: 1'),
    replicas('count: 1'),
    transformers(replicated, [
      'ReplicaCountTransformer\nreplica: {name: web, count: 2}\nfieldSpecs: [{path: spec/new, create: true}, {path: spec/other}]\n',
    ]),
    transformers(replicated, [
      'ReplicaCountTransformer\nreplica: {name: web, count: 2}\nfieldSpecs: [{path: spec/replicas, kind: A, group: b, version: c}, {path: x, kind: B}]\n',
    ]),
    transformers(replicated, [
      'ReplicaCountTransformer\nreplica: {name: web, count: 2}\nfieldSpecs: [{path: spec, kind: Deployment}]\n',
    ]),
    transformers(replicated, ['ReplicaCountTransformer\nreplica: {name: web, count: 2}\n']),
    transformers(replicated, ['ReplicaCountTransformer\n']),
  ],
  'replicas are not set of what was called so only as another kind': [
    tree('resources: [base]\nreplicas: [{name: web, count: 3}]\n', {
      'base/kustomization.yaml':
        'resources: [w.yaml]\npatches: [{path: p.yaml, target: {kind: Widget}, options: {allowNameChange: true, allowKindChange: true}}]\n',
      'base/w.yaml': object('Widget', 'web', 'apps/v1'),
      'base/p.yaml': object('Deployment', 'other', 'apps/v1'),
    }),
  ],
  'labels and annotations are set in the order of their keys, wherever a configuration says': [
    transformers(objects, [
      `LabelTransformer\nlabels: {b: "1", a: "2", c: null}\n${specs('path: metadata/labels, create: true', 'path: spec/new/labels, create: true', 'path: data/none, create: true')}`,
    ]),
    transformers(objects, [
      `AnnotationsTransformer\nannotations: {b: "1", a: "2"}\n${specs('path: metadata/annotations, create: true')}`,
    ]),
    transformers(objects, [`AnnotationsTransformer\nannotations: {b: "1"}\n${specs('path: spec/list, create: true')}`]),
    transformers(objects, [`AnnotationsTransformer\nannotations: {b: "1"}\n${specs('path: data/path, create: true')}`]),
    transformers(objects, ['AnnotationsTransformer\nannotations: {}\n']),
    transformers(objects, [
      `LabelTransformer\nlabels: {b: "1", a: "2"}\n${specs('path: spec/new, create: true')}`,
      `PrefixTransformer\nprefix: a-\n${specs('path: spec/new')}`,
    ]),
  ],
}
