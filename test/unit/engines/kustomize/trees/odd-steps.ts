import type { KustomizeTree } from '../../../../bed/kustomize-oracle.ts'
import { type Trees, tree } from './tree.ts'

const configMap = (name: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n${more}`

/** One object, with these lines of a kustomization. */
const over = (lines: string, object: string, more: Readonly<Record<string, string>> = {}): KustomizeTree =>
  tree(`resources: [a.yaml]\n${lines}\n`, { 'a.yaml': object, ...more })

const claiming = `apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: a
spec:
  template: {}
  volumeClaimTemplates:
  - metadata: {name: one}
  - {}
`

const replacing = (entry: string): KustomizeTree => over(`replacements: [${entry}]`, configMap('a', 'data: {k: v}\n'))

const validator = (config: string): KustomizeTree =>
  over('validators: [v.yaml]', configMap('a', 'data:\n  k: v\n'), { 'v.yaml': config })

const patchingValidator = (patch: string): KustomizeTree =>
  validator(
    `apiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: v}\npatch: |-\n${patch.replace(/^/gm, '  ')}\n`,
  )

export const trees: Trees = {
  'annotations that are no map stay or fall as in kustomize': [
    '[x, y]',
    '[]',
    'text',
    '""',
    '5',
    '{a: {b: c}, d: [e], f: "g"}',
    '{a: !!str 5, b: !!str , c: !!int 5, d: ~}',
  ].flatMap(annotations =>
    ['', 'commonLabels: {a: b}', 'commonAnnotations: {a: b}'].map(lines =>
      over(lines, configMap('a', `  annotations: ${annotations}\n`)),
    ),
  ),
  'labels reach claims of volumes only where that is asked for': [
    'labels: [{pairs: {a: b}}]',
    'labels: [{pairs: {a: b}, includeTemplates: true}]',
    'labels: [{pairs: {a: b}, includeVolumeClaimTemplates: true}]',
    'labels: [{pairs: {a: b}, includeTemplates: true, includeVolumeClaimTemplates: true}]',
    'labels: [{pairs: {a: b}, includeSelectors: true}]',
  ].map(lines => over(lines, claiming)),
  'a validator may neither add, nor take away, nor change': [
    patchingValidator('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n$patch: delete'),
    patchingValidator('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: w}'),
    validator(
      'apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: v}\nprefix: p-\nfieldSpecs: [{path: metadata/name}]\n',
    ),
    validator('apiVersion: builtin\nkind: ConfigMapGenerator\nmetadata: {name: v}\nname: made\n'),
  ],
  'a configuration that is refused is shown without what is empty': [
    replacing('{source: {kind: ConfigMap}, sourceValue: v, targets: []}'),
    replacing('{source: {kind: ConfigMap, fieldPath: "", options: {index: 0}}, sourceValue: v, targets: [{}]}'),
    replacing(
      '{source: {options: {}}, sourceValue: v, targets: [{fieldPaths: [], reject: [], options: {index: 0, create: false}}]}',
    ),
    replacing(
      '{source: {name: a}, sourceValue: v, targets: [{fieldPaths: ["", a], reject: [{}], options: {delimiter: "", index: 1}}]}',
    ),
    replacing('{source: {}, sourceValue: "", targets: [{select: {}, options: {encoding: "", index: -1}}]}'),
    over('patches: [{path: "", patch: "", target: {kind: ""}, options: {allowNameChange: false}}]', configMap('a')),
    over('patches: [{patch: "a: [", target: {kind: ""}, options: {}}]', configMap('a')),
    over(
      'patches: [{patch: "a: [", target: {kind: ConfigMap}, options: {allowKindChange: true, allowNameChange: false}}]',
      configMap('a'),
    ),
    over('patchesJson6902: [{patch: "a: [", target: {kind: "", name: a}, options: {}}]', configMap('a')),
  ],
  'all that is listed is told when one of it is missing': [
    over('crds: [a.json, missing.json]', configMap('a'), { 'a.json': '{}' }),
    tree('resources: [a..b/.., b]\n'),
    over('components: [a..b/../.]', configMap('a')),
  ].map(one => ({ ...one, onDisk: true })),
}
