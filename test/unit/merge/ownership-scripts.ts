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
const thing = (action: Request['do'], manager: string, body: Request['body']): Request => ({
  do: action,
  manager,
  kind: 'Thing',
  body,
})

const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration'
const clientSide = (data: Record<string, string>) => ({
  metadata: {
    annotations: {
      [lastApplied]: `${JSON.stringify({ apiVersion: 'v1', data, kind: 'ConfigMap', metadata: { annotations: {}, name: 'script', namespace: 'default' } })}\n`,
    },
  },
  data,
})

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
  'takes lists with doubled members as they are': [
    thing('create', 'one', { spec: { list: ['a', 'a'] } }),
    thing('apply', 'two', { spec: { list: ['a', 'a'] } }),
  ],
}
