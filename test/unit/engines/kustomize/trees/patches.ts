import { type Trees, tree } from './tree.ts'

const object = (kind: string, name: string, more = '', apiVersion = 'v1') =>
  `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${more}`

const objects = [
  object('ConfigMap', 'a', '  annotations: {z: "1"}\ndata: {x: y, list: [1]}\n'),
  object('ConfigMap', 'b', '  namespace: there\n'),
  object('Secret', 'a', 'stringData: {x: y}\n'),
].join('---\n')

interface Patched {
  readonly before?: string
  readonly after?: string
  readonly files?: Record<string, string>
}

/** Objects with such lines of a kustomization; fields may stand before and after. */
const patched = (lines: string, { before = '', after = '', files = {} }: Patched = {}) =>
  tree(`resources: [all.yaml]\n${before}${lines}${after}`, { 'all.yaml': objects, ...files })

const patches = (entry: string, more?: Patched) => patched(`patches:\n- ${entry}\n`, more)

/** Copies what a build remembers of names and kinds, as a patch of its own. */
const formerIds = `- {target: {kind: .*}, patch: '[${['Names', 'Namespaces', 'Kinds']
  .map(
    what =>
      `{"op": "copy", "from": "/metadata/annotations/internal.config.kubernetes.io~1previous${what}", "path": "/${what}"}`,
  )
  .join()}]'}\n`

/** Copies all that a build remembers. */
const remembered = '- {target: {kind: .*}, patch: \'[{"op": "copy", "from": "/metadata", "path": "/remembered"}]\'}\n'

const inline = (text: string) => JSON.stringify(text)
const toA = object('ConfigMap', 'a', 'data: {patched: "1"}\n')
const operation = '[{"op": "add", "path": "/data", "value": {"a": "b"}}]'
const INTERNAL = 'internal.config.kubernetes.io'
const component = (lines: string) => `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${lines}`

/** A component patches, and another adds an object of a name that was freed or taken by that. */
const inComponents = (lines: string, name: string, kind = 'ConfigMap') =>
  patched('components: [change, add]\n', {
    files: {
      'change/kustomization.yaml': component(lines),
      'add/kustomization.yaml': component('resources: [new.yaml]\n'),
      'add/new.yaml': object(kind, name, 'new: true\n'),
    },
  })
const rename = (to: string) =>
  `target: {kind: ConfigMap, name: a}, patch: '[{"op": "replace", "path": "/metadata/name", "value": "${to}"}]'`
const renameSame = `options: {allowNameChange: true}\n  patch: |\n    apiVersion: v1\n    kind: ConfigMap\n    metadata: {name: new}\n`

export const trees: Trees = {
  'nothing takes the place of an object, and values that lists hold are written anew': [
    ...['replace', 'merge', 'delete', 'other'].flatMap(directive =>
      ['', ', options: {allowNameChange: true, allowKindChange: true}'].map(options =>
        patches(
          `{target: {kind: .*}, patch: "{$patch: ${directive}, apiVersion: v1, kind: K, metadata: {name: n}, x: 1}"${options}}`,
          { after: remembered },
        ),
      ),
    ),
    patches('{patch: "{$patch: replace, apiVersion: v1, kind: Secret, metadata: {name: a}, x: 1}"}'),
    tree('resources: [r.yaml]\npatches: [{patch: "{apiVersion: v1, kind: Pod, metadata: {name: a}, x: !!str 1}"}]\n', {
      'r.yaml': object('Pod', 'a', '  finalizers: [!!str 1, &x !t b, !!str on, "on"]\nspec: null # why\nx: !!str 2\n'),
    }),
  ],
  'a patch is read from where it stands, or it is said what is wrong with it': [
    patches(`patch: ${inline(toA)}`),
    patches(`{path: p.yaml, patch: ${inline(toA)}}`, { files: { 'p.yaml': toA } }),
    patches('{path: p.yaml, patch: ""}', { files: { 'p.yaml': toA } }),
    patches('{path: "", patch: " "}'),
    patches('{target: {name: a}, options: {allowNameChange: true}}'),
    patches('{path: missing"ü.yaml}'),
    patches('path: p.yaml', { files: { 'p.yaml': 'no patch' } }),
    patches('path: p.yaml', { files: { 'p.yaml': '' } }),
    patches('path: p.yaml', { files: { 'p.yaml': '# nothing\n' } }),
    patches('{path: p.yaml, target: {kind: ConfigMap}}', { files: { 'p.yaml': '# nothing\n' } }),
    patches('{patch: "null", target: {kind: ConfigMap}}'),
    patches('{patch: "[]", target: {kind: ConfigMap}}'),
    patches('patch: "[]"'),
    patches('{patch: "{}", target: {kind: ConfigMap}}'),
    patches('{patch: "[null]", target: {kind: ConfigMap}}'),
    patches('{patch: "[a]", target: {kind: ConfigMap}}'),
    patches('patch: "\\r\\t \\"quoted\\" \\\\ é \\xa0\\xad \\u200b\\u2028\\ue000 😀\\U000E0001"'),
    patches(`{path: p.yaml, target: {name: a}, options: {allowNameChange: true, allowKindChange: false}, patch: x}`),
  ],
  'operations see, and change, what a build remembers in annotations': [
    patched(`patches:\n${remembered}`, { before: 'namespace: new\n' }),
    patched(`patches:\n${remembered}${remembered}`),
    ...[
      { op: 'test', path: '/metadata/annotations/z', value: '1' },
      { op: 'test', path: '/metadata/annotations', value: { z: '1' } },
      { op: 'remove', path: '/metadata/annotations' },
      { op: 'remove', path: '/metadata/annotations/z' },
      { op: 'add', path: '/metadata/annotations', value: { new: 'x' } },
      { op: 'add', path: '/metadata/annotations/b', value: 'x' },
      { op: 'add', path: '/metadata/labels', value: {} },
      { op: 'replace', path: '/metadata', value: { name: 'a' } },
      { op: 'replace', path: '', value: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' } } },
      { op: 'move', from: '/metadata/annotations', path: '/data/annotations' },
      { op: 'copy', from: '/metadata/annotations/z', path: '/data/z' },
      { op: 'add', path: `/metadata/annotations/${INTERNAL}~1previousNames`, value: 'c,d' },
      { op: 'replace', path: `/metadata/annotations/${INTERNAL}~1previousNames`, value: 'c' },
      { op: 'add', path: `/metadata/annotations/${INTERNAL}~1needsHashSuffix`, value: 'enabled' },
      { op: 'add', path: '/metadata/annotationsOfOthers', value: 'x' },
      { op: 'replace', path: '/metadata/annotations', value: { n: '5' } },
    ].flatMap(one => {
      const entry = `- {target: {kind: ConfigMap, name: a}, patch: '${JSON.stringify([one])}'}\n`
      return [patched(`patches:\n${entry}`), patched(`patches:\n${entry}${remembered}`)]
    }),
  ],
  'a patch goes to what it names, or to what its target selects': [
    patches(`{patch: ${inline(toA)}, target: {kind: ConfigMap}}`),
    patches(`{patch: ${inline(toA)}, target: {kind: ConfigMap}, options: {allowNameChange: true}}`),
    patches(`{patch: ${inline(toA)}, target: {name: a}}`),
    patches(`{patch: ${inline(toA)}, target: {name: a}, options: {allowKindChange: true}}`),
    patches(`{patch: ${inline(toA)}, target: {name: nobody}}`),
    ...['one', 'two']
      .flatMap(to => [
        patches(`patch: ${inline(toA.replace('patched', to))}`),
        patches(`{patch: ${inline(toA.replace('patched', to))}, target: {kind: ConfigMap}}`),
      ])
      .toSorted((a, b) => a.files['kustomization.yaml']!.length - b.files['kustomization.yaml']!.length),
    patches(`{patch: ${inline(`${toA}---\n${toA}`)}, target: {name: a}}`),
    patches(`patch: ${inline(`${toA}---\n${object('Secret', 'a', 'data: {second: eA==}\n')}`)}`),
    patches(`patch: ${inline(`${toA}---\n${object('ConfigMap', 'nobody')}`)}`),
    patches(`patch: ${inline(operation)}`),
    patches('path: p.yaml', { files: { 'p.yaml': `${operation}\n` } }),
    patches('{path: p.json, target: {kind: Secret}}', {
      files: { 'p.json': '[{"op": "remove", "path": "/stringData"}]' },
    }),
    patches(`{patch: ${inline(operation)}, target: {kind: "["}}`.replace('"["', 'ConfigMap, labelSelector: "a=b"')),
    patches(`{patch: ${inline(object('ConfigMap', 'a', '$patch: delete\n'))}, target: {kind: ConfigMap}}`),
    patches(`patch: ${inline(object('ConfigMap', 'a', '$patch: delete\n'))}`),
    patched(`patches:\n- patch: ${inline(object('ConfigMap', 'a', '$patch: delete\n'))}\n- patch: ${inline(toA)}\n`),
    patches(
      `{patch: ${inline(object('Widget', 'other', '  namespace: else\n  labels: {l: "1"}\n', 'v2'))}, target: {name: a}}`,
    ),
  ],
  'a patch may give names and kinds only when it is allowed': [
    ...[
      '{}',
      '{allowNameChange: true}',
      '{allowKindChange: true}',
      '{allowNameChange: true, allowKindChange: true}',
    ].map(options =>
      patched(
        `patches:\n- {patch: ${inline(object('Widget', 'new', '  namespace: else\n', 'v2'))}, target: {kind: ConfigMap, name: a}, options: ${options}}\n${formerIds}`,
      ),
    ),
    ...['{allowNameChange: true}', '{allowKindChange: true}', '{allowNameChange: false}'].map(options =>
      patched(`patches:\n- {patch: ${inline(toA)}, options: ${options}}\n${formerIds}`),
    ),
    patches(
      `{patch: ${inline(object('ConfigMap', 'new'))}, target: {kind: ConfigMap}, options: {allowNameChange: true}}`,
    ),
    patches(
      `{patch: ${inline(object('ConfigMap', 'new'))}, target: {kind: .*, name: a}, options: {allowKindChange: true}}`,
    ),
    patches(
      `{patch: ${inline(object('ConfigMap', 'b'))}, target: {kind: Secret}, options: {allowNameChange: true, allowKindChange: true}}`,
    ),
  ],
  'a name that a patch frees or takes is free or taken for components': [
    inComponents(`patches: [{${rename('new')}}]\n`, 'a'),
    inComponents(`patches: [{${rename('new')}}]\n`, 'new'),
    inComponents(`patches:\n- ${renameSame}  target: {kind: ConfigMap, name: a}\n`, 'a'),
    inComponents(`patches:\n- ${renameSame}  target: {kind: ConfigMap, name: a}\n`, 'new'),
    inComponents(`patches: [{patch: ${inline(object('Widget', 'a'))}, options: {allowKindChange: true}}]\n`, 'a'),
    inComponents(`patches: [{patch: ${inline(object('ConfigMap', 'a', '$patch: delete\n'))}}]\n`, 'a'),
    inComponents(
      `patches: [{patch: ${inline(object('ConfigMap', 'a', '$patch: delete\n'))}, target: {name: a, kind: ConfigMap}}]\n`,
      'a',
    ),
    inComponents(`patchesJson6902: [{${rename('new')}}]\n`, 'a'),
    inComponents(`patchesJson6902: [{${rename('new')}}]\n`, 'new'),
    inComponents(`patchesStrategicMerge: [${inline(object('ConfigMap', 'a', '$patch: delete\n'))}]\n`, 'a'),
    inComponents('namePrefix: new-\n', 'a'),
    inComponents('namePrefix: new-\n', 'new-a'),
  ],
}
