import { type Trees, tree } from './tree.ts'

const files = {
  'all.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: source
  labels: {app: web}
data:
  host: example.com:8080/path
  empty: ""
  list: a,b,c
  nothing: null
  no-map: {}
  no-list: []
  map: {a: 1, host: x}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: app
        image: nginx:1.0
        env:
        - name: HOST
          value: none
      - name: side
        image: busybox
`,
}

/** A kustomization with replacements, each an entry of the list. */
const replacements = (...entries: readonly string[]) =>
  tree(`resources: [all.yaml]\nreplacements:\n${entries.map(entry => `- ${entry}\n`).join('')}`, files)

const IMAGE = 'spec.template.spec.containers.[name=app].image'
const intoImage = `{select: {kind: Deployment}, fieldPaths: ["${IMAGE}"]}`

/** A kustomization with one replacement, of `data.host` unless `source` names another. */
const replacement = (target: string, source = 'kind: ConfigMap, name: source, fieldPath: data.host') =>
  replacements(`{source: {${source}}, targets: [${target}]}`)
const from = (path: string, options = '') =>
  replacement(intoImage, `kind: ConfigMap, fieldPath: "${path}", options: {${options}}`)
const withOptions = (options: string, path = IMAGE) =>
  replacement(`{select: {kind: Deployment}, fieldPaths: ["${path}"], options: {${options}}}`)

const entry = (into = IMAGE) =>
  `source: {kind: ConfigMap, fieldPath: metadata.name}\ntargets: [{select: {kind: Deployment}, fieldPaths: ["${into}"]}]\n`
const listed = (into = IMAGE) => `- ${entry(into).replace('\n', '\n  ')}`
const inFile = (text: string, more = '') =>
  tree(`resources: [all.yaml]\nreplacements: [{path: r.yaml${more}}]\n`, { ...files, 'r.yaml': text })

const jsonPatch = (kind: string): string =>
  `patches: [{target: {kind: ${kind}}, patch: '[{"op": "add", "path": "/spec/more", "value": {"none": {}, "x": []}}]'}]\n`

export const trees: Trees = {
  'a replacement goes to fields of lists by their keys, indexes and wildcards': [
    replacement('{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.0.image]}'),
    replacement('{select: {kind: Deployment}, fieldPaths: [spec.template.spec.containers.*.image]}'),
    replacement(
      '{select: {kind: Deployment}, fieldPaths: ["spec.template.spec.containers.[name=app].env.[name=HOST].value"]}',
    ),
  ],
  'takes the value of a field, or what is given': [
    from('data.map'),
    from('data.empty'),
    from('data.nothing'),
    from('data.no-map'),
    from('data.no-list'),
    from('data.missing'),
    from('data.host.x'),
    from('data.*'),
    from('data. host'),
    from('metadata.labels.[app]'),
    from(''),
    replacement(intoImage, 'kind: ConfigMap'),
    replacement('{select: {kind: Deployment}}'),
    replacement('{select: {kind: Deployment}, fieldPaths: []}'),
    replacements(`{sourceValue: given, targets: [${intoImage}]}`),
    replacements(`{sourceValue: "", targets: [${intoImage}]}`),
    replacements(`{sourceValue: given, source: {kind: ConfigMap}, targets: [${intoImage}]}`),
  ],
  'refuses a replacement without source or targets': [
    replacements(`{targets: [${intoImage}]}`),
    replacements('{source: {kind: ConfigMap}}'),
    replacements('{source: {kind: ConfigMap}, targets: []}'),
    replacements('{source: {kind: ConfigMap}, targets: [{fieldPaths: [metadata.name]}]}'),
    replacements('{source: {kind: Nobody}, targets: []}'),
  ],
  'shows the source that it does not find, or finds twice': [
    replacement(intoImage, 'kind: Nobody'),
    replacement(intoImage, 'kind: Nobody, name: nn, namespace: s, group: g, version: v, fieldPath: data.x'),
    replacement(intoImage, 'kind: Nobody, options: {}'),
    replacement(intoImage, 'kind: Nobody, options: {index: 2}'),
    replacement(intoImage, 'kind: Nobody, options: {delimiter: "/"}'),
    replacement(intoImage, 'kind: Nobody, options: {delimiter: "/", index: 2}, fieldPath: a.b'),
    replacement(intoImage, 'kind: Nobody, options: {create: true}'),
    replacement(intoImage, 'kind: Nobody, options: {create: true, index: 1, delimiter: ","}'),
    replacement(intoImage, 'version: v1'),
    replacement(intoImage, 'fieldPath: metadata.name'),
    replacement(intoImage, 'kind: ConfigMap, version: v2'),
    replacement(intoImage, 'kind: ConfigMap, group: apps'),
    replacement(intoImage, 'kind: ConfigMap, name: sour'),
  ],
  'takes a part of the value': [
    from('data.list', 'delimiter: ",", index: 2'),
    from('data.list', 'delimiter: ","'),
    from('data.list', 'delimiter: ",", index: 3'),
    from('data.list', 'delimiter: ",", index: 4'),
    from('data.list', 'delimiter: ",", index: -1'),
    from('data.list', 'delimiter: ";", index: 0'),
    from('data.list', 'index: 5'),
    from('data.map', 'delimiter: ","'),
    from('data.map', 'index: 1'),
  ],
  'puts the value in the place of a part, before the first or behind the last': [
    withOptions('delimiter: ":"'),
    withOptions('delimiter: ":", index: 1'),
    withOptions('delimiter: ":", index: 2'),
    withOptions('delimiter: ":", index: 7'),
    withOptions('delimiter: ":", index: -1'),
    withOptions('index: 1'),
    withOptions('delimiter: ":"', 'spec.template.spec'),
    withOptions('delimiter: ":", create: true', 'spec.new'),
    withOptions('delimiter: ":", index: 1, create: true', 'spec.new'),
    withOptions('create: true', 'spec.template.spec.new.[name=x].y'),
    withOptions('create: true', 'spec.template.spec.containers.7.y'),
    withOptions('create: false', 'spec.new'),
  ],
  'reads replacements from files': [
    inFile(entry()),
    inFile(listed() + listed('spec.template.spec.containers.[name=side].image')),
    inFile('[]'),
    inFile(''),
    inFile('text'),
    inFile('true'),
    inFile('7'),
    inFile('7.5'),
    inFile('null'),
    inFile('{}'),
    inFile('odd: 1'),
    inFile('[text]'),
    inFile('- null'),
    inFile('- {source: {kind: ConfigMap}, targets: []}'),
    inFile('path: other.yaml'),
    inFile(`${entry()}---\n${entry('spec.nobody')}`),
    inFile(entry(), ', source: {kind: ConfigMap}'),
    inFile(entry(), `, targets: [${intoImage}]`),
    inFile(entry(), ', targets: []'),
    inFile(entry(), ', sourceValue: x'),
    tree(`resources: [all.yaml]\nreplacements: [{path: ""}]\n`, files),
  ],
  'what stood in brackets keeps them, and an empty text in them stays a text': [
    ...['', jsonPatch('Deployment'), jsonPatch('Widget')].flatMap(patches =>
      ['spec.braces.a.b', 'spec.brackets.0', 'spec.template.spec.new.a', 'spec.braces.list.[name=x].y'].flatMap(path =>
        ['empty', 'lines', 'host'].map(key =>
          tree(
            `resources: [sub]\nreplacements: [{source: {kind: ConfigMap, name: source, fieldPath: data.${key}}, targets: [{select: {kind: Deployment}, fieldPaths: [${path}], options: {create: true}}]}]\n`,
            {
              'sub/all.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: source}
data:
  host: example.com
  empty: ""
  lines: |
    a
      b
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  braces: {}
  brackets: []
  template: {spec: {a: b}}
`,
              'sub/kustomization.yaml': `resources: [all.yaml]\n${patches}`,
            },
          ),
        ),
      ),
    ),
  ],
}
