import { type Trees, tree } from './tree.ts'

const object = (kind: string, name: string, more = '', apiVersion = 'v1') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const all = [object('ConfigMap', 'a', 'data: {x: y}\n'), object('ConfigMap', 'b'), object('Secret', 'a')].join('---\n')

const patched = (lines: string, files: Record<string, string> = {}) =>
  tree(`resources: [all.yaml]\n${lines}\n`, { 'all.yaml': all, ...files })

/** The same fields, in a configuration of the transformer. */
const transformer = (kind: string, lines: string, files: Record<string, string> = {}) =>
  patched('transformers: [t.yaml]', {
    't.yaml': `apiVersion: builtin\nkind: ${kind}\nmetadata: {name: t}\n${lines}\n`,
    ...files,
  })

const inline = (text: string) => JSON.stringify(text)
const one = object('ConfigMap', 'a', 'data: {one: "1"}\n')
const two = object('ConfigMap', 'b', 'data: {two: "2"}\n')

const strategic = (entries: string, files: Record<string, string> = {}) =>
  patched(`patchesStrategicMerge: [${entries}]`, files)
const inTransformer = (lines: string, files: Record<string, string> = {}) =>
  transformer('PatchStrategicMergeTransformer', lines, files)

const operations = (entry: string, files: Record<string, string> = {}) =>
  patched(`patchesJson6902:\n- {${entry}}`, files)
const asTransformer = (lines: string, files: Record<string, string> = {}) =>
  transformer('PatchJson6902Transformer', lines, files)

const TARGET = 'target: {kind: ConfigMap, name: a}'
const operation = (op: string, path: string, more: object) => JSON.stringify({ op, path, ...more })
const ADD = operation('add', '/data/new', { value: '1' })
const SHOW = operation('copy', '/data/remembered', { from: '/metadata' })

export const trees: Trees = {
  'patchesStrategicMerge are patches, or files with patches': [
    strategic(inline(one)),
    strategic(inline(one.replace('"1"', '"3"'))),
    strategic(`p.yaml, ${inline(two)}`, { 'p.yaml': one }),
    strategic('p.yaml', { 'p.yaml': `${one}---\n${two}` }),
    strategic('p.yaml', { 'p.yaml': `${two}---\n${one}` }),
    strategic('p.yaml', { 'p.yaml': '# nothing\n' }),
    strategic(inline('# nothing\n')),
    strategic(`${inline('# nothing\n')}, p.yaml, ""`, { 'p.yaml': '' }),
    strategic('p.yaml', { 'p.yaml': 'a: [' }),
    strategic('sub/p.yaml', { 'sub/p.yaml': 'a: b' }),
    strategic('p.yaml', { 'p.yaml': object('ConfigMap', 'nobody') }),
    strategic(inline(object('ConfigMap', 'nobody'))),
    strategic(inline(object('ConfigMap', 'a', '$patch: delete\n'))),
    strategic(`${inline(object('ConfigMap', 'a', '$patch: delete\n'))}, ${inline(one)}`),
    strategic(inline(object('ConfigMap', 'c', '  namespace: else\n'))),
    strategic(inline(one.replace('v1', 'v2'))),
  ],
  'a configuration of a transformer may hold patches, and files with patches': [
    inTransformer(''),
    inTransformer('paths: []\npatches: ""'),
    inTransformer(`patches: ${inline(one)}`),
    inTransformer(`patches: ${inline(`${one}---\n${two}`)}`),
    inTransformer(`paths: [p.yaml]\npatches: ${inline(one)}`, { 'p.yaml': two }),
    inTransformer(`paths: [p.yaml]\npatches: ${inline(two)}`, { 'p.yaml': two.replace('two: "2"', 'two: "1"') }),
    inTransformer('paths: [p.yaml, q.yaml]', { 'p.yaml': '# nothing\n', 'q.yaml': '' }),
    inTransformer('patches: "# nothing"'),
    inTransformer(`paths: [p.yaml]\npatches: "# nothing"`, { 'p.yaml': '' }),
    inTransformer('patches: "a: ["'),
    inTransformer('patches: "a: b"'),
  ],
  'patchesJson6902 change what their target names': [
    operations(`${TARGET}, patch: '[${ADD}]'`),
    operations(`${TARGET}, patch: '[${ADD.replace('1', '2')}]'`),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': `- ${ADD}\n` }),
    operations(`${TARGET}, path: p.json`, { 'p.json': '[{"op": "remove", "path": "/data"}]' }),
    operations(`target: {name: a, kind: .*}, patch: '[${ADD.replace('/data', '')}]'`),
    operations(`target: {name: nobody}, patch: '[${ADD}]'`),
    operations(`target: {kind: ConfigMap}, patch: '[${ADD}]'`),
    operations(`${TARGET}, patch: '[${operation('test', '/data/x', { value: 'z' })}]'`),
    operations(`${TARGET}, patch: '[${SHOW}]'`),
    patched(`namePrefix: p-\npatchesJson6902:\n- {target: {kind: ConfigMap, name: p-a}, patch: '[${SHOW}]'}`),
  ],
  'what is wrong with patchesJson6902 is told': [
    operations(TARGET),
    operations(`${TARGET}, patch: '', path: ''`),
    operations(`${TARGET}, patch: '[]', path: p.yaml`, { 'p.yaml': '[]' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': 'a: b\n' }),
    operations(`${TARGET}, path: p.yaml`, {
      'p.yaml': '- {op: add, op: remove, path: /data}\n- {path: /x, path: /y}\n',
    }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': 'a: [\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '# nothing\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': 'text\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': 'null\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '[]' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '---\n[]\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '- a\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '[1]' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '- true\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '- [a]\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '9007199254740993\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '- {op: 5}\n' }),
    operations(`${TARGET}, path: p.yaml`, { 'p.yaml': '{"a": [1, 2.5, "x["], "b": null}' }),
    operations(`${TARGET}, patch: 'a: b'`),
    operations(`${TARGET}, patch: 'text['`),
    operations(`${TARGET}, patch: '[]'`),
    operations(`${TARGET}, patch: ' []'`),
    operations("target: {name: ''}, patch: '[]'"),
    operations('target: {kind: ConfigMap}'),
    asTransformer(`${TARGET}\njsonOp: '[]'\npath: p.yaml`, { 'p.yaml': '[]' }),
    asTransformer(`${TARGET}\njsonOp: '[${ADD}]'`),
    asTransformer(`${TARGET}`),
  ],
}
