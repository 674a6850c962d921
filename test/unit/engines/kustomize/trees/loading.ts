import type { KustomizeTree } from '../../../../bed/kustomize-oracle.ts'
import { type Trees, tree } from './tree.ts'

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`
const component = (lines: string): string => `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${lines}\n`

const files = {
  'a.yaml': configMap('a'),
  'broken.yaml': 'a: [\n',
  'text.txt': 'text\n',
  'empty.yaml': '',
  'base/kustomization.yaml': 'resources: [b.yaml]\n',
  'base/b.yaml': configMap('b'),
  'deep/er/kustomization.yml': 'resources: [../../a.yaml, c.yaml]\n',
  'deep/er/c.yaml': configMap('c'),
  'old/Kustomization': 'resources: [d.yaml]\n',
  'old/d.yaml': configMap('d'),
  'none/x.yaml': configMap('x'),
  'two/kustomization.yaml': 'resources: []\n',
  'two/kustomization.yml': 'resources: []\n',
  'wrong/kustomization.yaml': 'resource: []\n',
  'nowhere/kustomization.yaml': 'resources: [missing.yaml]\n',
  'brokenly/kustomization.yaml': 'resources: [../broken.yaml]\n',
  'part/kustomization.yaml': component('namePrefix: p-'),
  'adding/kustomization.yaml': component('resources: [e.yaml]\nnameSuffix: -s'),
  'adding/e.yaml': configMap('e'),
  'again/kustomization.yaml': component('resources: [../a.yaml]'),
  'patching/kustomization.yaml': component(
    'patches: [{target: {kind: ConfigMap}, patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {p: q}}"}]',
  ),
  'renaming/kustomization.yaml': component('components: [../part, ../adding]'),
  'circle/kustomization.yaml': 'resources: [../circle]\n',
  'here/kustomization.yaml': 'resources: [.]\n',
  'up/kustomization.yaml': 'resources: [..]\n',
  'one/kustomization.yaml': 'resources: [../other]\n',
  'other/kustomization.yaml': 'resources: [../one]\n',
  'above/kustomization.yaml': 'resources: [below]\n',
  'above/below/kustomization.yaml': 'resources: [../../above]\n',
  'looping/kustomization.yaml': component('components: [../looping]'),
}

/** A kustomization in `app` with each of these lists. */
const apps = (...fields: readonly string[]): KustomizeTree[] =>
  fields.map(lines =>
    tree('resources: []\n', { ...files, 'app/kustomization.yaml': `${lines}\n` }, { path: 'app', onDisk: true }),
  )

const resources = (...entries: readonly string[]): KustomizeTree[] =>
  apps(...entries.map(entry => `resources: [${entry}]`))

export const trees: Trees = {
  'resources are files, or directories with a kustomization of any of its three names': [
    ...resources(
      '../a.yaml, ../base',
      '../base, ../a.yaml',
      '../deep/er, ../old',
      '../base/, ./../old',
      '../base/../old',
    ),
    ...resources('../deep/er/../../base/b.yaml', '../base/./'),
    ...resources('../part/../a.yaml', '../base//b.yaml', './/../a.yaml'),
  ],
  'what is no resource is told both as a file and as a directory': resources(
    ...['../missing.yaml', '../missing/deep/file.yaml', '../a.yaml/x', '../base/missing', '../broken.yaml'],
    ...['../text.txt', '../none', '../wrong', '../nowhere', '../brokenly', '../part', '/missing'],
    ...[
      '""',
      '"../base - ../old"',
      'a..b',
      '../base/a..b/c',
      '...',
      '../..b',
      'b../c',
      './a..b/',
      '../a..b/..',
      'x/../a..b//',
      '../../../a..b/..',
      'a..b/../../.',
      'a..b/../../x',
      '" "',
      '../empty.yaml',
    ],
    ...[
      '../a.yaml, ../a.yaml',
      '../a.yaml, ../deep/er',
      '../base, ../base',
      '../a.yaml, ../missing',
      '.',
      './.',
      '../app',
    ],
    ...['../circle', '../here', '../up', '..', '../one', '../above', '../above/below', '../looping'],
  ),
  'components work on what was gathered, and only components do': apps(
    ...['[../part]', '[../adding]', '[../part, ../adding]', '[../adding, ../part]', '[../renaming]', '[../again]'].map(
      list => `resources: [../a.yaml, ../base]\ncomponents: ${list}\nconfigMapGenerator: [{name: made}]`,
    ),
    ...[
      '[../base]',
      '[../missing]',
      '[../a.yaml]',
      '[../none]',
      '[../two]',
      '[../wrong]',
      '[""]',
      '[/part]',
      '[..]',
    ].map(list => `resources: [../a.yaml]\ncomponents: ${list}`),
    ...['[../patching, ../again]', '[../patching, ../adding, ../adding]'].map(
      list => `resources: [../a.yaml]\ncomponents: ${list}`,
    ),
    ...['[../part, ../part]', '[../adding, ../adding]', '[../looping]', '[../part, ../base]', '[a..b]'].map(
      list => `resources: [../a.yaml]\ncomponents: ${list}`,
    ),
    'components: [../part]',
    'components: [../adding]',
  ),
  'the directory that is built must have one kustomization': [
    ...['base', 'deep/er', 'old', 'none', 'wrong', 'nowhere', 'a.yaml', 'missing', 'part', 'looping', 'up'].map(path =>
      tree('resources: [a.yaml]\n', files, { path, onDisk: true }),
    ),
    tree('resources: [a.yaml]\n', files, { path: 'two' }),
    tree('resources: [a.yaml]\n', files, { path: 'base/../old', onDisk: true }),
    { files, path: '', onDisk: true },
  ],
  'files of other fields are told as missing in their own words': apps(
    ...['missing.json', '../base', '../text.txt'].flatMap(path => [
      `patches: [{path: ${path}}]\nresources: [../a.yaml]`,
      `patchesStrategicMerge: [${path}]\nresources: [../a.yaml]`,
      `patchesJson6902: [{path: ${path}, target: {version: v1, kind: ConfigMap, name: a}}]\nresources: [../a.yaml]`,
      `generators: [${path}]`,
      `transformers: [${path}]`,
      `validators: [${path}]`,
    ]),
    'openapi: {path: missing.json}',
    'configurations: [missing.yaml]',
    'crds: [missing.json]',
  ),
}
