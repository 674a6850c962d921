/** Turns that random scenarios don't take, request by request; the answers stand in `ownership.recorded.json`. */
export interface Request {
  readonly do: 'create' | 'apply' | 'put' | 'merge' | 'apply status'
  readonly manager: string
  readonly force?: boolean
  readonly kind: 'ConfigMap' | 'Thing'
  /** Without identity. For `put`: merged over the live object. */
  readonly body: Readonly<Record<string, unknown>>
}

const configMap = (
  action: Request['do'],
  manager: string,
  body: Request['body'],
  more: Partial<Request> = {},
): Request => ({ do: action, manager, kind: 'ConfigMap', body, ...more })
const thing = (
  action: Request['do'],
  manager: string,
  body: Request['body'],
  more: Partial<Request> = {},
): Request => ({ do: action, manager, kind: 'Thing', body, ...more })

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const clientSide = (data: Record<string, string>) => ({
  metadata: {
    annotations: {
      [lastApplied]: `${JSON.stringify({ apiVersion: 'v1', data, kind: 'ConfigMap', metadata: { annotations: {}, name: 'script', namespace: 'default' } })}\n`,
    },
  },
  data,
})

const owner = (uid: string, name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid })

export const scripts: Readonly<Record<string, readonly Request[]>> = {
  'merges the oldest of many updates': Array.from({ length: 14 }, (_, index) =>
    configMap(index === 0 ? 'create' : 'merge', `m${index}`, { data: { [`k${index}`]: 'x' } }),
  ),
  'tracks nothing after a reset, until somebody applies': [
    configMap('create', 'one', { data: { a: '1' } }),
    configMap('put', 'one', { metadata: { managedFields: [{}] } }),
    configMap('merge', 'two', { data: { b: '2' } }),
    configMap('apply', 'three', { data: { a: '1', c: '3' } }),
    configMap('apply', 'three', { data: { a: '9' } }),
  ],
  'resets with an empty list too': [
    configMap('create', 'one', { data: { a: '1' } }),
    configMap('put', 'one', { metadata: { managedFields: [] } }),
  ],
  'takes managedFields that a client sends': [
    configMap('create', 'one', { data: { a: '1', b: '2' } }),
    configMap('put', 'one', {
      metadata: {
        managedFields: [
          {
            manager: 'other',
            operation: 'Update',
            apiVersion: 'v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:data': { 'f:a': {} } },
          },
        ],
      },
    }),
  ],
  'keeps managedFields when a client sends malformed ones': [
    configMap('create', 'one', { data: { a: '1', b: '2' } }),
    configMap('put', 'two', {
      data: { c: '3' },
      metadata: {
        managedFields: [
          { manager: 'other', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { bad: {} } },
        ],
      },
    }),
  ],
  'lets kubectl move from the client side to the server side': [
    configMap('create', 'kubectl-client-side-apply', clientSide({ a: '1', b: '2' })),
    configMap('apply', 'kubectl', { data: { a: '9', b: '2' } }),
    configMap('apply', 'kubectl', { data: { a: '9' } }),
  ],
  'lets only kubectl do so': [
    configMap('create', 'kubectl-client-side-apply', clientSide({ a: '1' })),
    configMap('apply', 'other', { data: { a: '9' } }),
  ],
  'does not move over what changed since': [
    configMap('create', 'kubectl-client-side-apply', clientSide({ a: '1', b: '2' })),
    configMap('merge', 'editor', { data: { a: '5' } }),
    configMap('apply', 'kubectl', { data: { a: '9', b: '8' } }),
  ],
  'moves over nothing when what was last applied is unknown, malformed or of another version': [
    configMap('create', 'kubectl-client-side-apply', { data: { a: '1' } }),
    configMap('apply', 'kubectl', { data: { a: '9' } }),
    configMap('put', 'kubectl-client-side-apply', { metadata: { annotations: { [lastApplied]: '{' } } }),
    configMap('apply', 'kubectl', { data: { a: '9' } }),
    configMap('put', 'kubectl-client-side-apply', { metadata: { annotations: { [lastApplied]: '[]' } } }),
    configMap('apply', 'kubectl', { data: { a: '9' } }),
    configMap('put', 'kubectl-client-side-apply', {
      metadata: {
        annotations: { [lastApplied]: clientSide({ a: '1' }).metadata.annotations[lastApplied]!.replace('v1', 'v2') },
      },
    }),
    configMap('apply', 'kubectl', { data: { a: '9' } }),
  ],
  'moves over nothing that was never applied': [
    configMap('create', 'kubectl-client-side-apply', clientSide({ a: '1' })),
    configMap('merge', 'editor', { metadata: { labels: { x: '1' } } }),
    configMap('apply', 'kubectl', { data: { a: '9' }, metadata: { labels: { x: '2' } } }),
  ],
  'replaces what is empty by null, and null by what is empty': [
    thing('apply', 'one', { spec: { maybe: {}, maybeSet: [], maybeAtomic: {} } }),
    thing('apply', 'one', { spec: { maybe: null, maybeSet: null, maybeAtomic: null } }),
    thing('apply', 'one', { spec: { maybe: {}, maybeSet: [], maybeAtomic: {} } }),
  ],
  'keeps doubled finalizers where they stand': [
    configMap('create', 'one', { metadata: { finalizers: ['test/a', 'test/b', 'test/a', 'test/c'] } }),
    configMap('apply', 'two', { metadata: { finalizers: ['test/a', 'test/x'] } }),
    configMap('apply', 'three', { metadata: { finalizers: ['test/c', 'test/y', 'test/b', 'test/a'] } }),
  ],
  'puts what is new before what follows it': [
    thing('create', 'one', { spec: { set: ['a', 'c'] } }),
    thing('apply', 'two', { spec: { set: ['x', 'y', 'a'] } }),
    thing('apply', 'three', { spec: { set: ['p', 'q', 'c', 'r', 's', 'y', 't'] } }),
  ],
  'orders many items': [
    thing('create', 'one', { spec: { set: ['a', 'b', 'c', 'd', 'e', 'f'] } }),
    ...['facx', 'cfb', 'exad', 'bgah', 'hgf', 'adgxb', 'iajbkc', 'ckbja', 'xmfn', 'dnmfxa'].map((letters, index) =>
      thing('apply', `m${index}`, { spec: { set: [...letters] } }),
    ),
  ],
  'keeps what was last applied up to date for the client side': [
    configMap('create', 'kubectl-client-side-apply', clientSide({ a: '1' })),
    configMap('apply', 'kubectl', {
      data: { b: '2', a: '9' },
      metadata: {
        ownerReferences: [{ uid: 'u1', name: 'x', kind: 'ConfigMap', apiVersion: 'v1' }],
        finalizers: ['test/b', 'test/a'],
        annotations: { z: 'y' },
      },
    }),
    configMap('apply', 'other', { data: { c: '3' } }),
  ],
  'counts none who own nothing any more': [
    ...Array.from({ length: 10 }, (_, index) =>
      configMap(index === 0 ? 'create' : 'merge', `m${index}`, { data: { [`k${index}`]: 'x' } }),
    ),
    configMap('merge', 'm10', { data: { k1: 'y' } }),
    configMap('put', 'm11', { data: {} }),
  ],
  'tracks finalizers and owners by item': [
    configMap('create', 'one', { metadata: { finalizers: ['test/a'] } }),
    configMap('apply', 'two', {
      metadata: {
        finalizers: ['test/b', 'test/a'],
        ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u1' }],
      },
    }),
    configMap('apply', 'three', {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: 'u2' }] },
    }),
    configMap('apply', 'two', { metadata: { finalizers: ['test/b'] } }),
  ],
  'forgets a manager that applies nothing any more': [
    configMap('create', 'one', { data: { a: '1' } }),
    configMap('apply', 'two', { data: { b: '2' } }),
    configMap('apply', 'two', {}),
  ],
  'shares a field that several apply alike': [
    configMap('apply', 'one', { data: { a: '1' } }),
    configMap('apply', 'two', { data: { a: '1' } }),
    configMap('apply', 'one', {}),
    configMap('apply', 'two', {}),
  ],
  'drops an item with what another set in it': [
    thing('create', 'base', { spec: { items: [{ name: 'y' }] } }),
    thing('apply', 'one', { spec: { text: 'a', items: [{ name: 'x' }] } }),
    thing('merge', 'two', { spec: { items: [{ name: 'y' }, { name: 'x', value: 'v' }] } }),
    thing('apply', 'one', { spec: { text: 'a' } }),
  ],
  'keeps an item in which another applied something': [
    thing('apply', 'one', { spec: { text: 'a', items: [{ name: 'x' }] } }),
    thing('apply', 'two', { spec: { items: [{ name: 'x', value: 'v' }] } }),
    thing('apply', 'one', { spec: { text: 'a' } }),
  ],
  'keeps the entries of subresources apart': [
    thing('apply', 'one', { spec: { text: 'a' }, status: { phase: 'x' } }),
    thing('apply status', 'one', { spec: { text: 'b' }, status: { phase: 'y' }, metadata: { labels: { a: 'b' } } }),
    thing('apply', 'one', { spec: { text: 'c' } }),
    thing('apply status', 'two', { status: { phase: 'z' } }),
  ],
  'names all conflicts by their owners': [
    thing('create', 'one', { spec: { text: 'a', items: [{ name: 'x', value: 'v' }], set: ['a'], map: { a: 'b' } } }),
    thing('apply', 'two', { spec: { atomicMap: { a: 'x' } } }),
    thing('apply', 'three', {
      spec: { text: 'b', items: [{ name: 'x', value: 'w' }], atomicMap: { a: 'y' }, map: { a: 'c' } },
    }),
    thing('apply status', 'three', { status: { phase: 'a' } }),
    thing('apply status', 'four', { status: { phase: 'b' } }),
  ],
  'refuses to apply what is not in the schema': [thing('apply', 'one', { spec: { foo: 1 } })],
  'refuses to apply several things that are not in the schema': [
    thing('apply', 'one', { spec: { foo: 1, bar: { a: 1 } } }),
  ],
  'refuses to apply a value of another type': [thing('apply', 'one', { spec: { text: 5 } })],
  'refuses to apply text for an object': [thing('apply', 'one', { spec: { nested: 'x' } })],
  'refuses to apply an object for a list': [thing('apply', 'one', { spec: { set: { a: 1 } } })],
  'refuses to apply an item without its key': [thing('apply', 'one', { spec: { items: [{ value: 'x' }] } })],
  'refuses to apply an item twice': [
    thing('apply', 'one', { spec: { items: [{ name: 'x' }, { name: 'x', port: 80 }] } }),
  ],
  'refuses to apply a member twice': [thing('apply', 'one', { spec: { set: ['a', 'a'] } })],
  'refuses to apply managedFields': [thing('apply', 'one', { metadata: { managedFields: [] }, spec: {} })],
  'counts only updates among the many': [
    configMap('apply', 'applier', { data: { k: 'x' } }),
    ...Array.from({ length: 11 }, (_, index) => configMap('merge', `m${index % 10}`, { data: { [`k${index}`]: 'x' } })),
    configMap('merge', 'm10', { data: { k10: 'y' } }),
    configMap('merge', 'm11', { data: { k11: 'y' } }),
  ],
  'applies nulls as what is empty': [
    configMap('apply', 'one', { data: null, metadata: { labels: null, finalizers: null } }),
    configMap('apply', 'two', { data: { a: '1' }, metadata: { labels: { a: 'b' }, finalizers: ['test/a'] } }),
    configMap('apply', 'one', { data: null, metadata: { labels: null } }),
    configMap('apply', 'two', { data: null, metadata: { finalizers: null } }),
  ],
  'applies nulls where the schema has them': [
    thing('apply', 'one', { spec: { maybe: null, maybeSet: null, maybeAtomic: null, maybeText: null } }),
    thing('apply', 'two', { spec: { maybe: {}, maybeSet: [], maybeAtomic: {}, maybeText: '' } }),
    thing('apply', 'two', { spec: { maybe: { a: 'x' }, maybeSet: ['a'] } }),
    thing('apply', 'two', { spec: { maybe: { a: 'x' }, maybeSet: ['a'], maybeText: 'a' } }, { force: true }),
    thing('apply', 'one', { spec: { maybe: null, maybeSet: null } }),
    thing('apply', 'one', { spec: { maybe: null, maybeSet: null } }, { force: true }),
  ],
  'tracks nulls that are written where the schema has them': [
    thing('create', 'one', { spec: { maybe: null, maybeSet: null, maybeAtomic: null, maybeText: null } }),
    thing('put', 'two', { spec: { maybe: {}, maybeSet: [], maybeAtomic: {}, maybeText: '' } }),
    thing('put', 'three', { spec: { maybe: { a: 'x' }, maybeSet: ['a'], maybeAtomic: { a: 'x' }, maybeText: 'x' } }),
    thing('put', 'four', { spec: { maybe: null, maybeSet: null, maybeAtomic: null, maybeText: null } }),
    thing('put', 'five', { spec: {} }),
  ],
  'tracks what becomes a value of another type': [
    thing('create', 'one', { spec: { text: 'a', free: { a: 'x', o: { a: 'b' }, l: ['a'], n: 1 } } }),
    thing('put', 'two', { spec: { text: 'a', free: { a: { b: 'x' }, o: ['a'], l: { a: { b: 'c' } }, n: 1 } } }),
    thing('apply', 'three', { spec: { free: { a: 'x', o: { a: 'c' }, l: 'a', n: { a: 1 } } } }),
    thing('apply', 'three', { spec: { free: { a: 'x', o: { a: 'c' }, l: 'a', n: { a: 1 } } } }, { force: true }),
    thing('put', 'four', { spec: { free: { a: null, o: {}, l: [] }, either: 1 } }),
    thing('apply', 'five', { spec: { free: { a: {}, o: [], l: null, n: [] }, either: 'x' } }, { force: true }),
  ],
  'tracks doubled finalizers as one': [
    configMap('create', 'one', { metadata: { finalizers: ['test/a', 'test/a', 'test/b'] } }),
    configMap('apply', 'two', { metadata: { finalizers: ['test/b'] } }),
    configMap('merge', 'three', { metadata: { finalizers: ['test/a', 'test/b', 'test/b'] } }),
    configMap('merge', 'four', { metadata: { finalizers: ['test/c', 'test/c'] } }),
    configMap('merge', 'five', { metadata: { finalizers: ['test/c', 'test/c', 'test/d'] } }),
    configMap('merge', 'six', { metadata: { finalizers: ['test/d'] } }),
    configMap('apply', 'two', {}),
  ],
  'tracks doubled owners as one': [
    configMap('create', 'one', {
      metadata: { ownerReferences: [owner('u1', 'a'), owner('u1', 'b'), owner('u2', 'c'), owner('u3', 'd')] },
    }),
    configMap('merge', 'two', {
      metadata: { ownerReferences: [owner('u1', 'a'), owner('u1', 'z'), owner('u2', 'c'), owner('u3', 'd')] },
    }),
    configMap('merge', 'three', {
      metadata: { ownerReferences: [owner('u1', 'a'), owner('u2', 'c'), owner('u2', 'e'), owner('u3', 'd')] },
    }),
    configMap(
      'apply',
      'four',
      { metadata: { ownerReferences: [owner('u2', 'f'), owner('u3', 'd')] } },
      { force: true },
    ),
    configMap('merge', 'five', { metadata: { ownerReferences: [owner('u4', 'g'), owner('u4', 'h')] } }),
    configMap('apply', 'four', { metadata: { ownerReferences: [owner('u4', 'g')] } }, { force: true }),
  ],
  'leaves what the server keeps to the server': [
    configMap('create', 'one', { data: { a: '1' } }),
    configMap('apply', 'two', { metadata: { generation: 5, creationTimestamp: null }, data: { b: '2' } }),
    configMap('put', 'three', { metadata: { generation: 7 }, data: { c: '3' } }),
  ],
  'forgets an item that nobody wants, and keeps what others put beside it': [
    thing('apply', 'one', {
      spec: { items: [{ name: 'x', value: 'v', tags: { a: 'b' } }, { name: 'y' }], set: ['a', 'b'], map: { a: 'b' } },
    }),
    thing('merge', 'two', { spec: { set: ['b', 'c', 'a'], map: { c: 'd' } } }),
    thing('apply', 'one', { spec: { items: [{ name: 'y', args: ['a'] }], set: ['b'] } }),
    thing('apply', 'one', { spec: { items: [{ name: 'y' }], set: ['d', 'b'], text: 'a' } }),
    thing('apply', 'one', { spec: {} }),
  ],
  'orders items as they are applied, and the others between them as they stood': [
    thing('create', 'one', { spec: { set: ['a', 'b', 'c', 'd', 'e'] } }),
    thing('apply', 'two', { spec: { set: ['d', 'b'] } }),
    thing('apply', 'three', { spec: { set: ['x', 'e', 'a', 'y'] } }),
    thing('apply', 'four', { spec: { set: ['y', 'x', 'c'] } }),
    thing('apply', 'five', { spec: { set: ['c', 'z', 'b', 'd', 'a', 'e'] } }),
  ],
  'takes lists with doubled members as they are': [
    thing('create', 'one', { spec: { list: ['a', 'a'] } }),
    thing('apply', 'two', { spec: { list: ['a', 'a'] } }),
  ],
}
