import { type Trees, tree } from './tree.ts'

/** A file of the kind that kustomize has built in, listed in one way or another. */
const listed = (list: string, kind: string, body = '') =>
  tree(`resources: [a.yaml]\n${list}: [t.yaml]\n`, {
    'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n',
    't.yaml': `apiVersion: builtin\nkind: ${kind}\nmetadata: {name: t}\n${body}\n`,
  })

const all = (list: string, ...configs: readonly (readonly [kind: string, body: string])[]) =>
  configs.map(([kind, body]) => listed(list, kind, body))

const annotations = (...values: readonly string[]) =>
  values.map(value =>
    listed(
      'transformers',
      'AnnotationsTransformer',
      `annotations: ${value}\nfieldSpecs: [{path: metadata/annotations, create: true}]`,
    ),
  )

/** Places where a value is to be added, from a file of their own. */
const places = (text: string) => {
  const { files, ...rest } = listed('transformers', 'ValueAddTransformer', 'value: v\ntargetFilePath: places.yaml')
  return { files: { ...files, 'places.yaml': text }, ...rest }
}

export const trees: Trees = {
  'a file of places is held to its fields': [
    ...['targets: 5', 'targets: [{fieldPath: []}]', '', '{}', 'targets: []', 'targets: [{selector: 5}]'],
    ...['targets: [{fieldPath: data/x}]', 'targets: [{fieldPath: 5}]', 'Targets: [{FieldPath: data/x}]\nother: 5', '{'],
  ].map(places),
  'files of built-in transformers are held to their fields': all(
    'transformers',
    ['AnnotationsTransformer', 'annotations: 5'],
    [
      'AnnotationsTransformer',
      'annotations: {a: 5, b: true, c: 1.5, d: 1e3, e: 1e21, f: 12345678901234567890, g: 2024-01-01, h: .inf, i: 0x10, j: 0644}\nfieldSpecs: [{path: metadata/annotations, create: true}]',
    ],
    ['AnnotationsTransformer', 'annotations: {a: [x]}'],
    ['AnnotationsTransformer', 'fieldSpecs: 5'],
    ['AnnotationsTransformer', 'fieldSpecs: [{create: 5}]'],
    ['AnnotationsTransformer', 'fieldSpecs: [{group: [5]}]'],
    ['AnnotationsTransformer', 'foo: 1\nannotations: {}\nfieldSpecs: []'],
    ['AnnotationsTransformer', 'annotations: {c: d}'],
    ['LabelTransformer', 'labels: [x]'],
    ['PrefixTransformer', 'prefix: a-'],
    ['PrefixTransformer', 'prefix: a-\nfieldSpecs: []'],
    ['PrefixTransformer', 'prefix: 5\nfieldSpecs: [{path: metadata/name}]'],
    ['PrefixTransformer', 'fieldSpecs: null'],
    ['SuffixTransformer', 'suffix: true\nfieldSpecs: [{path: metadata/name}]'],
    ['SuffixTransformer', 'suffix: true'],
    ['PrefixSuffixTransformer', 'suffix: true\nprefix: 4\nfieldSpecs: [{path: metadata/name}]'],
    ['NamespaceTransformer', 'unsetOnly: 1'],
    ['NamespaceTransformer', 'setRoleBindingSubjects: 1'],
    ['NamespaceTransformer', 'setRoleBindingSubjects: {}'],
    ['NamespaceTransformer', 'setRoleBindingSubjects: foo'],
    ['NamespaceTransformer', 'setRoleBindingSubjects: ""'],
    ['ImageTagTransformer', 'imageTag: 4'],
    ['ImageTagTransformer', 'imageTag: {name: [4]}'],
    ['ReplicaCountTransformer', 'replica: {count: x}'],
    ['ReplicaCountTransformer', 'replica: {count: 1.5}'],
    ['ReplicaCountTransformer', 'replica: {name: a}'],
    ['ReplacementTransformer', 'replacements: 5'],
    ['ReplacementTransformer', 'replacements: [{source: {name: []}}]'],
    ['ReplacementTransformer', 'replacements: []'],
    ['ReplacementTransformer', ''],
    ['PatchTransformer', ''],
    ['PatchTransformer', 'path: a\npatch: b'],
    ['PatchTransformer', 'path: []'],
    ['PatchTransformer', 'target: {name: []}'],
    ['PatchTransformer', 'options: {allowNameChange: 1}'],
    ['PatchStrategicMergeTransformer', ''],
    ['PatchStrategicMergeTransformer', 'paths: 5'],
    ['PatchStrategicMergeTransformer', 'paths: [{}]'],
    ['PatchStrategicMergeTransformer', 'patches: [5]'],
    ['PatchStrategicMergeTransformer', 'paths: [missing.yaml]'],
    ['PatchJson6902Transformer', 'target: {name: a}'],
    ['PatchJson6902Transformer', 'target: {name: a}\npath: b\njsonOp: c'],
    ['PatchJson6902Transformer', 'jsonOp: {}'],
    ['PatchJson6902Transformer', 'target: {kind: []}'],
    ['PatchJson6902Transformer', 'target: {name: a}\njsonOp: "[]"'],
    [
      'PatchJson6902Transformer',
      'target: {name: a, kind: ConfigMap}\njsonOp: "- op: add\\n  path: /data\\n  value: {a: b}"',
    ],
    ['HashTransformer', 'foo: 1'],
    ['ValueAddTransformer', 'value: x'],
    ['ValueAddTransformer', 'targets: 5'],
    ['ValueAddTransformer', 'targets: [5]'],
    ['ValueAddTransformer', 'targets: [{filePathPosition: a}]'],
    ['ValueAddTransformer', 'targets: [{selector: {name: []}}]'],
    ['ValueAddTransformer', 'targets: [{fieldPath: []}]'],
    ['ValueAddTransformer', 'targetFilePath: missing.yaml'],
    ['ValueAddTransformer', 'value: 5\ntargets: [{selector: {kind: ConfigMap}, fieldPath: data/x}]'],
    ['SortOrderTransformer', ''],
    ['SortOrderTransformer', 'sortOptions: {order: legacy}'],
    ['SortOrderTransformer', 'sortOptions: {order: fifo}'],
    ['ConfigMapGenerator', ''],
    ['Nothing', ''],
    ['', ''],
  ),
  'files of built-in generators are held to their fields': all(
    'generators',
    ['ConfigMapGenerator', 'name: [x]'],
    ['ConfigMapGenerator', 'literals: 5'],
    ['ConfigMapGenerator', 'literals: [5]'],
    ['ConfigMapGenerator', 'literals: [a=5]'],
    ['ConfigMapGenerator', 'options: {labels: {a: 5}, immutable: true}'],
    ['ConfigMapGenerator', 'options: {immutable: 5}'],
    ['ConfigMapGenerator', 'name: 5'],
    ['ConfigMapGenerator', 'env: 5'],
    ['ConfigMapGenerator', 'namespace: n\nname: m'],
    ['ConfigMapGenerator', 'behavior: merge\nname: a\nliterals: [a=b]'],
    ['SecretGenerator', 'type: [x]'],
    ['SecretGenerator', 'type: 5\nliterals: [a=5]'],
    ['SecretGenerator', 'name: {}'],
    ['SecretGenerator', 'literals: [x]'],
    ['HelmChartInflationGenerator', ''],
    ['IAMPolicyGenerator', ''],
    ['IAMPolicyGenerator', 'cloud: 5'],
    ['IAMPolicyGenerator', 'cloud: []'],
    ['IAMPolicyGenerator', 'cloud: gke'],
    [
      'IAMPolicyGenerator',
      'cloud: gke\nkubernetesService: {namespace: n, name: m}\nserviceAccount: {name: s, projectId: 5}',
    ],
    ['IAMPolicyGenerator', 'cloud: gke\nkubernetesService: 5'],
    ['IAMPolicyGenerator', 'cloud: gke\nkubernetesService: {name: [5]}'],
    ['IAMPolicyGenerator', 'cloud: gke\nserviceAccount: {name: [5]}'],
    ['PrefixTransformer', ''],
    ['SortOrderTransformer', ''],
    ['Nothing', ''],
    ['', ''],
  ),
  'scalars are taken for texts where texts are wanted': annotations(
    '{a: 5, b: true, c: 1.5, d: 1e3, e: 1e21, f: 12345678901234567890, g: 2024-01-01, i: 0x10, j: 0644, k: -0.0, l: 1e20, m: 0.000001, n: 123456.789, o: 1234567.5, p: 99999999999999999999, q: 1e-7, r: 9007199254740993, s: null, t: ~}',
    '{1: 2}',
    '{a: !!int x}',
    '{a: 1, a: 2}',
    '{a: .nan}',
    '{? [x] : b}',
    '{? {x: y} : b}',
  ),
  'validators may be transformers, and are held to be ones': all(
    'validators',
    ['PrefixTransformer', 'fieldSpecs: []'],
    ['Nothing', ''],
    ['ConfigMapGenerator', ''],
  ),
}
