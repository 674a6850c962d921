import { type Trees, tree } from './tree.ts'

const OBJECTS = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: ns, labels: {l: a}}
data: {x: "1"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: b, labels: {l: a}}
data: {x: "1"}
`
const BASE = { 'base/kustomization.yaml': 'namePrefix: p-\nresources: [a.yaml]\n', 'base/a.yaml': OBJECTS }

/** What is left of objects that lost parts to patches, after `then`. */
const stripped = (operations: string, then: string) =>
  tree(`resources: [base]\npatches:\n- {target: {name: a}, patch: '${operations}'}\n${then}`, BASE)

const LATER: readonly string[] = [
  '',
  `- {target: {kind: ConfigMap}, patch: '[{"op": "add", "path": "/data", "value": {}}]'}\n`,
  `- {target: {labelSelector: l=a}, patch: '[{"op": "add", "path": "/data", "value": {}}]'}\n`,
  `- {target: {annotationSelector: "!x"}, patch: '[{"op": "add", "path": "/y", "value": 1}]'}\n`,
  '- {target: {namespace: ns}, patch: "{apiVersion: v1, kind: ConfigMap, metadata: {name: z}, data: {z: z}}"}\n',
  'namespace: other\n',
  'namePrefix: q-\n',
  'labels: [{pairs: {a: b}}]\n',
  'commonAnnotations: {a: b}\n',
  'images: [{name: x, newName: why}]\n',
  'buildMetadata: [originAnnotations, managedByLabel]\n',
  'sortOptions: {order: legacy}\n',
  'configMapGenerator: [{name: a, behavior: merge, namespace: ns, literals: [k=v]}]\n',
  'replacements: [{source: {kind: ConfigMap, fieldPath: kind}, targets: [{select: {kind: ConfigMap}, fieldPaths: [data.x]}]}]\n',
  'vars: [{name: V, objref: {apiVersion: v1, kind: ConfigMap, name: a}}]\n',
]
const after = (operations: string) => LATER.map(then => stripped(operations, then))
/** Kustomize breaks down when it puts a prefix before no name. */
const afterNaming = (operations: string) =>
  LATER.filter(then => !then.startsWith('namePrefix')).map(then => stripped(operations, then))

export const trees: Trees = {
  'an object may lose its metadata to a patch': after('[{"op": "remove", "path": "/metadata"}]'),
  'an object may have other things than metadata there': [
    ...['5', 'null', '[]', '{}', '""'].flatMap(value =>
      after(`[{"op": "replace", "path": "/metadata", "value": ${value}}]`),
    ),
  ],
  'an object may lose its name or namespace': [
    ...['null', '""', '5'].flatMap(value =>
      afterNaming(`[{"op": "replace", "path": "/metadata/name", "value": ${value}}]`),
    ),
    ...after('[{"op": "remove", "path": "/metadata/name"}]'),
    ...after('[{"op": "remove", "path": "/metadata/namespace"}]'),
    ...after('[{"op": "replace", "path": "/metadata/namespace", "value": null}]'),
  ],
  'an object may lose its kind, or its version': [
    ...after('[{"op": "remove", "path": "/kind"}]'),
    ...after('[{"op": "remove", "path": "/apiVersion"}]'),
    ...after('[{"op": "replace", "path": "/kind", "value": null}]'),
    ...after('[{"op": "replace", "path": "/kind", "value": ""}]'),
  ],
  'an object may lose all there is of it': [
    ...['{}', 'null', '7', '[]', '"x"'].flatMap(value => after(`[{"op": "replace", "path": "", "value": ${value}}]`)),
    ...after('[{"op": "remove", "path": ""}]'),
    ...after('{$patch: delete, apiVersion: v1, kind: ConfigMap, metadata: {name: a}}'),
    ...after('{apiVersion: null, kind: null, metadata: null, data: null}'),
  ],
  'metadata may go with a patch that may change names': [
    'metadata: {name: x, $patch: delete}',
    'metadata: {name: x, $patch: replace}',
    'metadata: {name: null}',
  ].flatMap(patch =>
    ['', `- {target: {kind: ConfigMap}, patch: '[{"op": "remove", "path": "/data"}]'}\n`].map(then =>
      tree(
        `resources: [base]
patches:
- target: {kind: ConfigMap}
  options: {allowNameChange: true}
  patch: "{apiVersion: v1, kind: ConfigMap, ${patch}}"
${then}`,
        BASE,
      ),
    ),
  ),
  'of things that are no data the first that has no name in JSON at all is told': [
    'a: {~: b}\nc: {? {d: e} : f}',
    'a: {5: b}\nc: {? [d] : f}',
    'c: {? {d: e} : f}\na: {~: b}',
    'a: {b: }\nc: {? {d: e} : f}',
    'c: {? {5: e} : f}',
    'c: {? [e, {5: e, a: }] : f}',
  ].map(data =>
    tree('resources: [a.yaml]\nnamePrefix: p-\n', {
      'a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${data}\n`,
    }),
  ),
}
