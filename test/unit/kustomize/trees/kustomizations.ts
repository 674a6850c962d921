import { type Trees, tree } from './tree.ts'

const configMap = (name: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`
const files = { 'a.yaml': configMap('a'), 'b.yaml': configMap('b') }

const texts = (...kustomizations: readonly string[]) => kustomizations.map(text => tree(text, files))

export const trees: Trees = {
  'every field is held to its type, and a mistake is told in words of Go': texts(
'apiVersion: [1]', 'kind: 5', 'metadata: 5', 'metadata: {labels: {a: 1}}', 'metadata: {name: 1}', 'openapi: {path: 1}', 'namePrefix: 1.5', 'namespace: true', 'commonLabels: [a]', 'commonLabels: {a: 1}',
 'labels: [5]', 'labels: {a: b}', 'labels: [{pairs: {a: 1}}]', 'labels: [{includeSelectors: "true"}]', 'labels: [{fields: [{group: 1}]}]', 'labels: [{fields: [{path: 1}]}]', 'labels: [{fields: [{create: 1}]}]', 'labels: [{fields: 1}]',
 'patchesStrategicMerge: [1]', 'patchesJson6902: [{target: {group: 1}}]','patches: [{target: {name: 1}}]','patches: [{target: {labelSelector: 1}}]','patches: [{options: {allowNameChange: x}}]', 'patches: [{path: {}}]',
 'images: [{newTag: 1}]', 'imageTags: [5]', 'replacements: [{path: 1}]', 'replacements: [{source: {kind: 1}}]', 'replacements: [{source: {name: 1}}]', 'replacements: [{source: {fieldPath: 1}}]', 'replacements: [{source: {options: {index: 1.5}}}]', 'replacements: [{source: {options: {index: a}}}]','replacements: [{source: {options: {index: 12345678901234567890}}}]','replacements: [{sourceValue: 1}]', 'replacements: [{targets: [{select: {version: 1}}]}]', 'replacements: [{targets: [{reject: [1]}]}]', 'replacements: [{targets: [{fieldPaths: [1]}]}]', 'replacements: [{targets: [{options: {create: 1}}]}]', 'replacements: 5', 'replacements: [{targets: 5}]',
 'replicas: [{count: x}]', 'replicas: [{count: 1.5}]', 'replicas: [{count: 1e3}]', 'replicas: [{count: 99999999999999999999}]', 'replicas: [{name: 1}]', 'replicas: [{name: d, count: 9007199254740993}]', 'replicas: [{name: d, count: -9223372036854775808}]', 'replicas: [{name: d, count: 9223372036854775808}]', 'vars: [{name: 1}]', 'vars: [{objref: {kind: 1}}]', 'vars: [{objref: {name: 1}}]', 'vars: [{objref: {apiVersion: 1}}]', 'vars: [{fieldref: {fieldPath: 1}}]', 'sortOptions: {order: 1}', 'sortOptions: {legacySortOptions: {orderFirst: 1}}', 'sortOptions: x',
 'resources: a', 'resources: [1]', 'resources: {a: 1}', 'components: [true]', 'crds: [1.5]', 'configMapGenerator: [{name: 1}]', 'configMapGenerator: [{literals: 1}]', 'configMapGenerator: [{literals: [1]}]', 'configMapGenerator: [{env: 1}]', 'configMapGenerator: [{options: {immutable: 1}}]', 'configMapGenerator: [{options: {labels: {a: 1}}}]', 'configMapGenerator: [{type: a}]', 'secretGenerator: [{type: 1}]', 'secretGenerator: [{name: 1}]', 'secretGenerator: a', 
 'helmGlobals: {chartHome: 1}', 'helmCharts: [{name: 1}]', 'helmCharts: [{valuesInline: 1}]', 'helmCharts: [{valuesInline: [1]}]', 'helmCharts: [{includeCRDs: 1}]', 'helmChartInflationGenerator: [{chartName: 1}]', 'generatorOptions: {labels: 1}', 'buildMetadata: a', 'buildMetadata: [1]', 'openapi: a', 'openapi: {a: null}', 'openapi: [1]',
  ),
  'fields that nobody knows are refused, and of many mistakes the first in order of the alphabet is told': texts(
'foo: 1', 'images: [{foo: 1}]', 'images: [{foo: 1}, {name: 1}]\nfoo: 1', 'zzz: 1\naaa: 1', 'zzz: 1\nnamePrefix: 1', 'namePrefix: 1\nzzz: 1', 'namePrefix: 1\nnameSuffix: 1', 'patches: [{target: {foo: 1}}]', '"a\\"b\\n\\u00e9<>&": 1', 'metadata: {foo: 1}', '1: 2', 'true: 2', 'null: 2',
  ),
  'a kustomization that says nothing, or what it is wrongly, is refused': texts(
'', '{}', '[]', 'a', '5', 'true', 'null', '---', '--- {}\n---\nresources: []', 'apiVersion: x', 'kind: x', 'apiVersion: ""', 'kind: Component', 'kind: Kustomization', 'namePrefix: ""', 'namePrefix: null', 'namePrefix: ""\nresources: null', 'resources: []', 'bases: []', 'imageTags: []', 'labels: []', 'commonLabels: {}', 'metadata: {}', 'metadata: null', 'sortOptions: {}', 'openapi: {}', 'helmGlobals: {}', 'helmCharts: []', 'helmChartInflationGenerator: []', 'generatorOptions: {}', 'configMapGenerator: []', 'buildMetadata: []', 'vars: []', 'patchesJson6902: []', 'bases: null\nkind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1', 
 'kind: x\nresources: []', 'kind: Component\nresources: []','kind: Component\napiVersion: kustomize.config.k8s.io/v1beta1\nresources: []','kind: Component\napiVersion: kustomize.config.k8s.io/v1alpha1\nresources: []','apiVersion: v1\nresources: []', 'apiVersion: v1\nkind: y\nresources: []', 'kind: ""\napiVersion: ""\nresources: []', 'apiVersion: kustomize.config.k8s.io/v1beta1\nresources: []',
  ),
  'a kustomization is read as YAML that becomes JSON, with its fields in any case': texts(
'RESOURCES: [a.yaml]', 'Resources: [a.yaml]\nresources: [b.yaml]', 'resources: [b.yaml]\nResources: [a.yaml]', 'namePREFIX: a\nresources: [a.yaml]\nnamePrefix: b', 'namePrefix: b\nresources: [a.yaml]\nnamePREFIX: a', 'kınd: a', 'IMAGES: [{NAME: x, NEWTAG: y}]\nresources: [a.yaml]', 'resources: [a.yaml]\nresourceſ: [b.yaml]',
 'resources: [a.yaml]\nresources: [b.yaml]', 'resources: [a.yaml]\ncomponents: [null]', 'commonLabels: {a: null}\nresources: [a.yaml]', 'images: [null]\nresources: [a.yaml]', 'images: null\nresources: [a.yaml]', 'replicas: [{name: x, count: null}]\nresources: [a.yaml]', 'a: [', 'a: b: c', '{a: 1, a: 2}', '- a\n- b', '"x', 'resources: [a.yaml]\n...\n---\nnamePrefix: b', '? [a]\n: b', '? {a: 1}\n: b', '\ufeffresources: [a.yaml]', '\tresources: []',
 'resources: &r [a.yaml]\npatchesStrategicMerge: *r', '<<: {resources: [a.yaml]}', 'namePrefix: !!str 5\nresources: [a.yaml]', 'namePrefix: !!int "5"', 'namePrefix: 2024-01-01\nresources: [a.yaml]', 'nameSuffix: !!binary aGk=\nresources: [a.yaml]', 'nameSuffix: .inf', 'helmCharts: [{valuesInline: {a: .inf}}]', 'helmCharts: [{valuesInline: {a: .nan}}]','helmCharts: [{valuesInline: {1: {2: 3}}}]',
  ),
}
