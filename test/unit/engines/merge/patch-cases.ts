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
  { ...json('operations that are none'), patch: ['add'] },
  json('unknown operation that is no text', { op: 5, ...path('/spec/text', 1) }),
  json('unknown field', { op: 'remove', path: '/spec/text', extra: 1 }),
  json('add at the top', { op: 'add', path: '', value: 5 }),
  json('add nothing at the top', { op: 'add', path: '' }),
  json('replace all by a number', { op: 'replace', path: '', value: 5 }),
  json('replace all by a list', { op: 'replace', path: '', value: [] }),
  json('remove all', { op: 'remove', path: '' }),
  json('test all', { op: 'test', path: '', value: {} }),
  json('replace at a negative index', { op: 'replace', ...path('/spec/list/-3', 'z') }),
  json('replace before the beginning', { op: 'replace', ...path('/spec/list/-4', 'z') }),
  json('replace the first item', { op: 'replace', ...path('/spec/list/0', 'z') }),
  json('replace at no index', { op: 'replace', ...path('/spec/list/1x', 'z') }),
  json('replace at an index that is none', { op: 'replace', ...path('/spec/list/x1', 'z') }),
  json('replace without value', { op: 'replace', path: '/spec/list/0' }),
  json('remove at a negative index', { op: 'remove', path: '/spec/list/-3' }),
  json('remove before the beginning', { op: 'remove', path: '/spec/list/-4' }),
  json('add at a signed index', { op: 'add', ...path('/spec/list/+1', 'z') }),
  json('remove at no index', { op: 'remove', path: '/spec/list/1x' }),
  json('remove below a list', { op: 'remove', path: '/spec/free/deep/list/1/a' }),
  json('remove below a negative index', { op: 'remove', path: '/spec/free/deep/list/-1/a' }),
  json('change below a list', { op: 'replace', ...path('/spec/free/deep/list/1/a', 3) }),
  json('change below an index that is none', { op: 'replace', ...path('/spec/free/deep/list/1x/a', 3) }),
  json('change below an index that begins with text', { op: 'replace', ...path('/spec/free/deep/list/x1/a', 3) }),
  json('change below nothing in a list', { op: 'replace', ...path('/spec/free/deep/list/2/a', 3) }),
  json('change below a number in a list', { op: 'replace', ...path('/spec/free/deep/list/0/a', 3) }),
  json('test below a list that leaves it', { op: 'test', ...path('/spec/free/deep/list/1/a', 2) }),
  json('add a null to a list', { op: 'add', ...path('/spec/free/deep/list/0', null) }),
  json('add at an index of two digits', { op: 'add', ...path('/spec/list/10', 'z') }),
  json('the same field twice', { op: 'add', ...path('/spec/text', 'y') }, { op: 'add', ...path('/spec/text', 'z') }),
  json('move within a list', { op: 'move', from: '/spec/list/2', path: '/spec/list/0' }),
  json('move beyond the end', { op: 'move', from: '/spec/list/0', path: '/spec/list/3' }),
  json('move what is not there', { op: 'move', from: '/spec/count', path: '/spec/map/b' }),
  json('move from the top', { op: 'move', from: '', path: '/spec/map/b' }),
  json('move without from', { op: 'move', path: '/spec/map/b' }),
  json('copy what is not there', { op: 'copy', from: '/spec/map/b', path: '/spec/free/b' }),
  json('copy from beyond the end', { op: 'copy', from: '/spec/list/3', path: '/spec/free/b' }),
  json('copy to nowhere', { op: 'copy', from: '/spec/text', path: '/spec/nested/a' }),
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
  configMap('data deleted and set anew', { data: { $patch: 'merge', a: '9' } }),
  configMap('retained keys that are no list', { data: { $retainKeys: 'b' } }),
  configMap('retained keys and a removal', { data: { $retainKeys: ['b'], a: null } }),
  configMap('retained keys of lists', {
    metadata: {
      $retainKeys: ['name', 'namespace', 'finalizers'],
      '$setElementOrder/finalizers': ['test/three'],
      '$deleteFromPrimitiveList/finalizers': ['test/two'],
    },
  }),
  configMap('an order that is no list', { metadata: { '$setElementOrder/finalizers': 'x' } }),
  configMap('deletions that are no list', { metadata: { '$deleteFromPrimitiveList/finalizers': 'x' } }),
  configMap('deletions from what is not there', { '$deleteFromPrimitiveList/nothing': ['x'] }),
  configMap('an order of what is no list', { metadata: { '$setElementOrder/labels': ['x'] } }),
  configMap('an order of changes that are no list', {
    metadata: { '$setElementOrder/finalizers': ['test/one'], finalizers: 'test/one' },
  }),
  configMap('an empty order', { metadata: { '$setElementOrder/finalizers': [], finalizers: ['test/four'] } }),
  configMap('finalizers ordered and removed', {
    metadata: {
      '$deleteFromPrimitiveList/finalizers': ['test/two'],
      '$setElementOrder/finalizers': ['test/three', 'test/one'],
    },
  }),
  configMap('finalizers added twice', { metadata: { finalizers: ['test/one', 'test/one'] } }),
  configMap('labels over text', { metadata: { labels: { a: { $patch: 'delete' } } } }),
  configMap('labels all replaced', { metadata: { labels: { $patch: 'replace', c: '3' } } }),
  configMap('binary data with nulls', { binaryData: { a: null, z: 'YQ==' } }),
  configMap('owner merged with nulls', { metadata: { ownerReferences: [{ uid: 'u2', controller: null }] } }),
  configMap('owner added with nulls', {
    metadata: {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'r', uid: 'u3', controller: null }],
    },
  }),
  configMap('owner merged by directive', { metadata: { ownerReferences: [{ uid: 'u1', $patch: 'merge' }] } }),
  configMap('owner with a bad directive', { metadata: { ownerReferences: [{ uid: 'u1', $patch: 'other' }] } }),
  configMap('owner deleted without key', { metadata: { ownerReferences: [{ $patch: 'delete' }] } }),
  configMap('owners that are text', { metadata: { ownerReferences: ['x'] } }),
  configMap('owners deleted and added in order', {
    metadata: {
      '$setElementOrder/ownerReferences': [{ uid: 'u3' }, { uid: 'u2' }],
      ownerReferences: [
        { uid: 'u1', $patch: 'delete' },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'r', uid: 'u3' },
      ],
    },
  }),

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
  account('items in an order with nothing new', { '$setElementOrder/secrets': [{ name: 'b' }, { name: 'a' }] }),
  account('items in an order that does not fit', {
    '$setElementOrder/secrets': [{ name: 'd' }, { name: 'e' }],
    secrets: [{ name: 'e' }, { name: 'd' }],
  }),
  account('several items merged', { secrets: [{ name: 'd' }, { name: 'c', uid: 'x' }, { name: 'a', uid: 'y' }] }),
  account('items replaced by nothing', { secrets: [{ $patch: 'replace' }] }),
  account('item deleted that is not there', { secrets: [{ name: 'z', $patch: 'delete' }] }),
  account('pull secrets merged', { imagePullSecrets: [{ name: 'z' }] }),
]
