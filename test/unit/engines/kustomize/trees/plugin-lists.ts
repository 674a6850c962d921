import { type Trees, tree } from './tree.ts'

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`
const labels = (name: string, more = ''): string =>
  `apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: ${name}${more}}\nlabels: {by: ${name}}\nfieldSpecs: [{path: metadata/labels, create: true}]\n`
const maker = (name: string, more = ''): string =>
  `apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: ${name}}\nliterals: [by=${name}]\n${more}`

const files = {
  'a.yaml': configMap('a'),
  'l.yaml': labels('l'),
  'm.yaml': labels('m', ', namespace: ns1'),
  'both.yaml': `${labels('l')}---\n${labels('m')}`,
  'g.yaml': maker('g'),
  'h.yaml': maker('h', 'behavior: create\n'),
  'merging.yaml': maker('a', 'behavior: merge\noptions: {labels: {x: "y"}}\n'),
  'broken.yaml': 'a: [\n',
  'plugins/kustomization.yaml': 'resources: [l.yaml]\nnamePrefix: p-\n',
  'plugins/l.yaml': labels('l'),
  'makers/kustomization.yaml': 'resources: [g.yaml]\nnameSuffix: -s\nbuildMetadata: [originAnnotations]\n',
  'makers/g.yaml': maker('g'),
  'other.yaml': 'apiVersion: example.com/v1\nkind: Own\nmetadata: {name: o}\n',
  'none.yaml': 'apiVersion: example.com/v1\nkind: Own\n',
  'failing.yaml':
    'apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: f}\npatch: "[{op: remove, path: /none}]"\ntarget: {name: a}\n',
  'unmatched.yaml': `apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: f}\npatch: |\n  ${configMap('zzz').trim().replaceAll('\n', '\n  ')}\n`,
}

const inline = (text: string): string => `- |-\n  ${text.trim().replaceAll('\n', '\n  ')}`

const lists = (...kustomizations: readonly string[]) =>
  kustomizations.flatMap(lines => [
    tree(`resources: [a.yaml]\n${lines}\n`, files, { onDisk: true }),
    tree(`resources: [a.yaml]\nbuildMetadata: [originAnnotations, transformerAnnotations]\n${lines}\n`, files, {
      onDisk: true,
    }),
  ])

export const trees: Trees = {
  'plugins are files, directories, or written in place, and work in the order of the list': lists(
    'transformers: [l.yaml, m.yaml]',
    'transformers: [m.yaml, l.yaml]',
    'transformers: [both.yaml]',
    'transformers: [plugins]',
    'transformers: [plugins, m.yaml]',
    `transformers:\n${inline(labels('in'))}\n- l.yaml`,
    `transformers:\n- l.yaml\n${inline(`${labels('in')}---\n${labels('also')}`)}`,
    'generators: [g.yaml, h.yaml]',
    'generators: [h.yaml, makers]',
    `generators:\n- g.yaml\n${inline(maker('in'))}`,
    'generators: [merging.yaml]',
    'generators: [g.yaml]\nconfigMapGenerator: [{name: c}]\nsecretGenerator: [{name: s}]\nnamePrefix: x-\ntransformers: [l.yaml]',
    'validators: [l.yaml]',
    'generators: [g.yaml]\nvalidators: []\ntransformers: []',
  ),
  'what is wrong with a list of plugins is told': lists(
    'transformers: [l.yaml, l.yaml]',
    'transformers: [l.yaml, plugins/l.yaml]',
    'transformers: [broken.yaml]',
    'generators: [broken.yaml]',
    'transformers: [other.yaml]',
    'generators: [other.yaml]',
    'validators: [other.yaml]',
    'transformers: [none.yaml]',
    'generators: [g.yaml, g.yaml]',
    'generators: [l.yaml]',
    'transformers: [g.yaml]',
    'transformers: [failing.yaml]',
    'transformers: [unmatched.yaml]',
    'validators: [failing.yaml]',
    'generators: [g.yaml]\nconfigMapGenerator: [{name: g}]',
    'transformers: [""]',
    'transformers: [null]',
    'generators: ["a: ["]',
    'generators: ["a: b"]',
    `generators:\n${inline(configMap('x'))}`,
    `transformers:\n${inline('kind: X')}`,
  ),
  'vars are taken from what is there, and refused otherwise': lists(
    'vars: [{name: A, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]\nconfigMapGenerator: [{name: c, literals: [x=$(A)]}]',
    'vars: [{name: A, objref: {apiVersion: v1, kind: ConfigMap, name: none}}]',
    'vars: [{name: A, objref: {apiVersion: v1, kind: ConfigMap, name: a}}, {name: A, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]',
    'vars: [{name: "", objref: {apiVersion: v1, kind: ConfigMap, name: a}}]',
    'vars: [{name: A}]',
    'vars: [{}]',
    'vars: [{name: A, objref: {apiVersion: v1, kind: ConfigMap, name: a}, fieldref: {fieldPath: data.none}}]',
  ),
}
