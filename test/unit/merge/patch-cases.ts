/** Patches of all types, right and wrong; what a kube-apiserver makes of them stands in `patches.recorded.json`. */
export interface PatchCase {
  readonly title: string
  readonly kind: 'ConfigMap' | 'ServiceAccount' | 'Thing'
  readonly type: 'json' | 'merge' | 'strategic'
  readonly patch: unknown
}

/** The objects that are patched. */
export const originals: Readonly<Record<PatchCase['kind'], object>> = {
  ConfigMap: {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'patched',
      namespace: 'default',
      labels: { a: '1', b: '2' },
      annotations: { 'x/y': 'z' },
      finalizers: ['test/one', 'test/two', 'test/three'],
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'p', uid: 'u1' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'q', uid: 'u2', controller: true },
      ],
    },
    data: { a: '1', b: '2' },
  },
  ServiceAccount: {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'patched', namespace: 'default' },
    secrets: [{ name: 'a' }, { name: 'b', namespace: 'n' }, { name: 'c' }],
    imagePullSecrets: [{ name: 'x' }, { name: 'y' }],
  },
  Thing: {
    apiVersion: 'test.keelson.dev/v1',
    kind: 'Thing',
    metadata: { name: 'patched', namespace: 'default' },
    spec: { text: 'a', list: ['a', 'b', 'c'], map: { a: 'x' }, free: { deep: { list: [1, { a: 2 }] } } },
  },
}

const json = (title: string, ...patch: object[]): PatchCase => ({
  title: `json: ${title}`,
  kind: 'Thing',
  type: 'json',
  patch,
})
const merge = (title: string, patch: unknown): PatchCase => ({
  title: `merge: ${title}`,
  kind: 'Thing',
  type: 'merge',
  patch,
})
const configMap = (title: string, patch: unknown): PatchCase => ({
  title: `strategic: ConfigMap ${title}`,
  kind: 'ConfigMap',
  type: 'strategic',
  patch,
})
const account = (title: string, patch: unknown): PatchCase => ({
  title: `strategic: ServiceAccount ${title}`,
  kind: 'ServiceAccount',
  type: 'strategic',
  patch,
})
const path = (path: string, value?: unknown) => ({ path, ...(value !== undefined && { value }) })

export const cases: readonly PatchCase[] = [
  json('nothing'),
  json('add field', { op: 'add', ...path('/spec/count', 3) }),
  json('add over a field', { op: 'add', ...path('/spec/text', 'z') }),
  json('add to a list', { op: 'add', ...path('/spec/list/1', 'z') }),
  json('append', { op: 'add', ...path('/spec/list/-', 'z') }),
  json('add at the end', { op: 'add', ...path('/spec/list/3', 'z') }),
  json('add beyond the end', { op: 'add', ...path('/spec/list/4', 'z') }),
  json('add at a negative index', { op: 'add', ...path('/spec/list/-1', 'z') }),
  json('add at no index', { op: 'add', ...path('/spec/list/x', 'z') }),
  json('add below nothing', { op: 'add', ...path('/spec/nested/inner/b', 'z') }),
  json('add below text', { op: 'add', ...path('/spec/text/x', 'z') }),
  json('add without value', { op: 'add', path: '/spec/text' }),
  json('add an escaped name', { op: 'add', ...path('/spec/map/x~1y~0z', 'z') }),
  json('remove', { op: 'remove', path: '/spec/text' }),
  json('remove an item', { op: 'remove', path: '/spec/list/0' }),
  json('remove what is not there', { op: 'remove', path: '/spec/count' }),
  json('remove below nothing', { op: 'remove', path: '/spec/nested/a' }),
  json('remove beyond the end', { op: 'remove', path: '/spec/list/3' }),
  json('replace', { op: 'replace', ...path('/spec/text', 'z') }),
  json('replace what is not there', { op: 'replace', ...path('/spec/count', 3) }),
  json('replace below nothing', { op: 'replace', ...path('/spec/nested/a', 'z') }),
  json('replace an item', { op: 'replace', ...path('/spec/list/2', 'z') }),
  json('replace beyond the end', { op: 'replace', ...path('/spec/list/3', 'z') }),
  json('move', { op: 'move', from: '/spec/text', path: '/spec/map/text' }),
  json('move from nowhere', { op: 'move', from: '/spec/nested/a', path: '/spec/map/text' }),
  json('move to nowhere', { op: 'move', from: '/spec/text', path: '/spec/nested/a' }),
  json('copy', { op: 'copy', from: '/spec/free/deep/list/1', path: '/spec/free/copied' }),
  json('copy from nowhere', { op: 'copy', from: '/spec/nested/a', path: '/spec/map/text' }),
  json('test that holds', { op: 'test', ...path('/spec/list', ['a', 'b', 'c']) }, { op: 'remove', path: '/spec/text' }),
  json('test that fails', { op: 'test', ...path('/spec/text', 'b') }),
  json('test of nothing', { op: 'test', ...path('/spec/count', null) }),
  json('test of nothing with a value', { op: 'test', ...path('/spec/count', 1) }),
  json('test below nothing', { op: 'test', ...path('/spec/nested/a', 1) }),
  json('unknown operation', { op: 'swap', ...path('/spec/text', 1) }),
  json('no operation', { ...path('/spec/text', 1) }),
  json('no path', { op: 'add', value: 1 }),
  json('path without slash', { op: 'add', ...path('spec', 1) }),
  { ...json('not a list'), patch: { op: 'add' } },
  json('invalid result', { op: 'replace', ...path('/spec/text', 5) }),

  merge('fields', { spec: { text: 'z', map: { b: 'y' } } }),
  merge('removal', { spec: { text: null, map: { a: null }, count: null } }),
  merge('lists are replaced', { spec: { list: ['z'] } }),
  merge('nulls in new objects', { spec: { nested: { a: null, inner: { b: 'x', c: null } } } }),
  merge('object over text', { spec: { text: { a: 1 } } }),
  merge('nulls in lists', { spec: { free: { list: [null, { a: null }] } } }),

  configMap('data', { data: { b: null, c: '3' }, metadata: { labels: { a: null } } }),
  configMap('replaced data', { data: { $patch: 'replace', z: '9' } }),
  configMap('deleted data', { data: { $patch: 'delete' } }),
  configMap('bad directive', { data: { $patch: 'other' } }),
  configMap('retained keys', { data: { $retainKeys: ['b', 'c'], c: '3' } }),
  configMap('retained keys that leave out a change', { data: { $retainKeys: ['b'], c: '3' } }),
  configMap('finalizers', { metadata: { finalizers: ['test/four', 'test/one'] } }),
  configMap('finalizers taken out', { metadata: { '$deleteFromPrimitiveList/finalizers': ['test/two'] } }),
  configMap('finalizers in order', {
    metadata: { '$setElementOrder/finalizers': ['test/three', 'test/four', 'test/one'], finalizers: ['test/four'] },
  }),
  configMap('finalizers in another order', { metadata: { '$setElementOrder/finalizers': ['test/three', 'test/one'] } }),
  configMap('order that does not fit', {
    metadata: { '$setElementOrder/finalizers': ['test/three'], finalizers: ['test/four'] },
  }),
  configMap('owner changed', { metadata: { ownerReferences: [{ uid: 'u1', name: 'changed' }] } }),
  configMap('owner deleted', { metadata: { ownerReferences: [{ uid: 'u1', $patch: 'delete' }] } }),
  configMap('owners replaced', {
    metadata: {
      ownerReferences: [{ $patch: 'replace' }, { apiVersion: 'v1', kind: 'ConfigMap', name: 'r', uid: 'u3' }],
    },
  }),
  configMap('owner without key', { metadata: { ownerReferences: [{ name: 'changed' }] } }),
  configMap('unknown field', { extra: { a: 1 } }),

  account('item merged', { secrets: [{ name: 'b', uid: 'x' }] }),
  account('item added', { secrets: [{ name: 'd' }] }),
  account('items in order', {
    '$setElementOrder/secrets': [{ name: 'c' }, { name: 'd' }, { name: 'a' }],
    secrets: [{ name: 'd' }],
  }),
  account('item deleted in order', {
    '$setElementOrder/secrets': [{ name: 'c' }, { name: 'b' }],
    secrets: [{ name: 'a', $patch: 'delete' }],
  }),
  account('list removed', { secrets: null }),
  account('pull secrets merged', { imagePullSecrets: [{ name: 'z' }] }),
]
