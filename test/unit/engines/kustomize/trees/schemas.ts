import { type Trees, tree } from './tree.ts'

const GVK = 'x-kubernetes-group-version-kind'
const STRATEGY = 'x-kubernetes-patch-strategy'
const KEY = 'x-kubernetes-patch-merge-key'
const KEYS = 'x-kubernetes-list-map-keys'

const ref = (name: string) => ({ $ref: `#/definitions/${name}` })
const merged = (items: object = {}, more: object = { [KEY]: 'id' }) => ({
  type: 'array',
  items,
  [STRATEGY]: 'merge',
  ...more,
})

/** Fields of every kind, each a list of the same elements. */
const fields = {
  keyed: merged(),
  deep: merged({ properties: { inner: merged() } }),
  referred: merged(ref('Inner')),
  primitive: merged({ type: 'string' }, {}),
  retained: { ...merged(), [STRATEGY]: 'merge,retainKeys' },
  other: { ...merged(), [STRATEGY]: 'mergers' },
  replaced: { ...merged(), [STRATEGY]: 'replace' },
  unkeyed: merged({}, { [KEYS]: [] }),
  twoKeys: merged({}, { [KEYS]: ['id', 'name'] }),
  bothKeys: merged({}, { [KEYS]: ['name'], [KEY]: 'id' }),
  keysOnly: { type: 'array', items: {}, [KEYS]: ['id'] },
  noStrategy: { type: 'array', items: {}, [KEY]: 'id' },
  untyped: { items: { properties: { inner: merged() } }, [STRATEGY]: 'merge', [KEY]: 'id' },
  noItems: { type: 'array', [STRATEGY]: 'merge', [KEY]: 'id' },
  listOfReferred: { type: 'array', ...ref('Lists') },
  referredKeyed: { ...ref('Inner'), [STRATEGY]: 'merge', [KEY]: 'id' },
  plain: { type: 'array', items: { properties: { inner: merged() } } },
}

const schema = {
  definitions: {
    Widget: {
      properties: { spec: ref('Spec'), items: merged() },
      [GVK]: [
        { group: 'example.com', version: 'v1', kind: 'Widget' },
        { group: '', version: 'v2', kind: 'Other' },
      ],
    },
    Inner: { properties: { inner: merged(), again: ref('Inner') } },
    Lists: merged(),
    Chain: ref('Link'),
    Link: ref('Inner'),
    Spec: {
      properties: {
        ...fields,
        map: { additionalProperties: { properties: { inner: merged() } } },
        mapOfLists: { type: 'object', additionalProperties: merged() },
        nested: { properties: { inner: merged() } },
        self: ref('Spec'),
        none: ref('None'),
        chain: ref('Chain'),
        pod: ref('io.k8s.api.core.v1.PodSpec'),
      },
    },
    Pod: {
      properties: { spec: { properties: { containers: merged({}, { [KEY]: 'image' }) } } },
      [GVK]: [{ group: '', version: 'v1', kind: 'Pod' }],
    },
  },
  paths: {
    '/apis/example.com/v1/widgets': { get: { [GVK]: { group: 'example.com', version: 'v1', kind: 'Widget' } } },
    '/apis/example.com/v1/gadgets': { get: { [GVK]: { group: 'example.com', version: 'v1', kind: 'Gadget' } } },
    '/apis/example.com/v1/namespaces/{namespace}/gadgets': {
      get: { [GVK]: { group: 'example.com', version: 'v1', kind: 'Gadget' } },
    },
    '/apis/example.com/v1/namespaces/{namespace}/things': {
      get: { [GVK]: { group: 'example.com', version: 'v1', kind: 'Thing' } },
    },
    '/apis/example.com/v1/things': { get: { [GVK]: { group: 'example.com', version: 'v1', kind: 'Thing' } } },
    '/api/v1/configmaps': { get: { [GVK]: { group: '', version: 'v1', kind: 'ConfigMap' } } },
    '/api/v2/others': { post: { [GVK]: { group: '', version: 'v2', kind: 'Other' } } },
    '/other': {},
    '/more': { get: {} },
  },
}

const object = (apiVersion: string, kind: string, more: object) =>
  `${JSON.stringify({ apiVersion, kind, metadata: { name: 'a' }, ...more })}\n`

const spec = (list: readonly { id: string }[]) => {
  const all = Object.fromEntries(Object.keys(fields).map(name => [name, list]))
  return {
    ...all,
    primitive: list.map(({ id }) => id),
    unkeyed: list.map(({ id }) => id),
    map: { a: { inner: list } },
    mapOfLists: { a: list },
    nested: { inner: list },
    self: { nested: { inner: list } },
    none: { inner: list },
    chain: { again: { inner: list } },
    unknown: { inner: list },
  }
}

const before = [
  { id: '1', name: 'x', v: 1, inner: [{ id: '3', w: 1 }] },
  { id: '2', name: 'y' },
]
const after = [{ id: '1', name: 'z', u: 1, inner: [{ id: '4' }, { id: '3', t: 1 }] }, { id: '3' }]

const objects = {
  'w.yaml': object('example.com/v1', 'Widget', { items: before, spec: spec(before) }),
  'more.yaml': ['Gadget', 'Thing', 'Unknown']
    .map(kind => object('example.com/v1', kind, { spec: { containers: before } }))
    .join('---\n'),
  'core.yaml': [
    object('v1', 'Pod', { spec: { containers: [{ name: 'a', image: 'i', v: 1 }] } }),
    object('v1', 'ConfigMap', {}),
    object('v2', 'Other', { items: before, spec: spec(before) }),
    object('v1', 'Namespace', {}),
  ].join('---\n'),
  'schema.json': JSON.stringify(schema),
}

const patches = {
  'p-w.yaml': object('example.com/v1', 'Widget', { items: after, spec: spec(after) }),
  'p-gadget.yaml': object('example.com/v1', 'Gadget', { spec: { containers: after } }),
  'p-pod.yaml': object('v1', 'Pod', { spec: { containers: [{ name: 'b', image: 'i' }, { name: 'a' }] } }),
  'p-other.yaml': object('v2', 'Other', { items: after, spec: spec(after) }),
}

const lines = (openapi: string, names = Object.keys(patches)) =>
  `resources: [w.yaml, more.yaml, core.yaml]\npatches: [${names.map(path => `{path: ${path}}`)}]\n${openapi}`

const built = (openapi: string, more: Record<string, string> = {}) =>
  tree(lines(openapi), { ...objects, ...patches, ...more })

const pods = (openapi: string, more: Record<string, string> = {}) =>
  tree(`resources: [pod.yaml]\npatches: [{path: p-pod.yaml}]\nnamespace: new\n${openapi}`, {
    ...patches,
    'pod.yaml': object('v1', 'Pod', { spec: { containers: [{ name: 'a', image: 'i', v: 1 }] } }),
    'schema.json': JSON.stringify(schema),
    ...more,
  })

export const trees: Trees = {
  'lists are merged as a schema of a kustomization says': [
    built(''),
    built('openapi: {path: schema.json}\n'),
    built('openapi: {path: schema.yaml}\n', { 'schema.yaml': `# as YAML\n${JSON.stringify(schema, null, 1)}\n` }),
    built('openapi: {path: schema.json}\nnamespace: new\n'),
    built('namespace: new\n'),
    pods('openapi: {path: schema.json}\n'),
    pods('openapi: {version: v1.21.2}\n'),
    pods(''),
  ],
  'a schema is chosen once, by the outermost that does': [
    tree(lines('').replace('w.yaml', 'base, w.yaml'), {
      ...objects,
      ...patches,
      'base/kustomization.yaml': 'resources: [g.yaml]\nopenapi: {path: schema.json}\n',
      'base/g.yaml': object('example.com/v1', 'Based', {}),
      'base/schema.json': JSON.stringify(schema),
    }),
    tree(lines('openapi: {path: schema.json}\n').replace('w.yaml', 'base, w.yaml'), {
      ...objects,
      ...patches,
      'base/kustomization.yaml': 'resources: [g.yaml]\nopenapi: {path: none.json}\n',
      'base/g.yaml': object('example.com/v1', 'Based', {}),
      'base/none.json': '{"definitions": {}}',
    }),
    tree(lines('openapi: {version: v1.21.2}\n').replace('w.yaml', 'base, w.yaml'), {
      ...objects,
      ...patches,
      'base/kustomization.yaml': 'resources: [g.yaml]\nopenapi: {path: schema.json}\n',
      'base/g.yaml': object('example.com/v1', 'Based', {}),
      'base/schema.json': JSON.stringify(schema),
    }),
    tree(lines('openapi: {version: ""}\n').replace('w.yaml', 'base, w.yaml'), {
      ...objects,
      ...patches,
      'base/kustomization.yaml': 'resources: [g.yaml]\nopenapi: {path: schema.json}\n',
      'base/g.yaml': object('example.com/v1', 'Based', {}),
      'base/schema.json': JSON.stringify(schema),
    }),
  ],
  'a schema that is none is refused': [
    pods('openapi: {path: missing.json}\n'),
    pods('openapi: {version: v1.20.4}\n'),
    pods('openapi: {version: v1.21.2, path: schema.json}\n'),
    pods('openapi: {version: "", path: schema.json}\n'),
    pods('openapi: {}\n'),
    pods('openapi: {other: a}\n'),
    pods('openapi: {path: schema.json}\n', { 'schema.json': '{}' }),
    pods('openapi: {path: schema.json}\n', { 'schema.json': '{"definitions": {}, "paths": {}}' }),
  ],
}
