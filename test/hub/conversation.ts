/** Requests that a real API server and the hub are both asked, in this order, on a fresh namespace `side`. */
import type { Answer } from './answers.ts'

export interface Exchange {
  readonly title: string
  readonly method: string
  readonly path: string
  /** Text as it is, anything else as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** Asked again until it is answered so: what controllers do takes a moment. */
  readonly until?: (answer: Answer) => boolean
}

const merge = { 'content-type': 'application/merge-patch+json' }
const json = { 'content-type': 'application/json-patch+json' }
const strategic = { 'content-type': 'application/strategic-merge-patch+json' }
const apply = { 'content-type': 'application/apply-patch+yaml' }
const table = { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' }
const partialList = { accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' }
const partial = { accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1' }

type Content = Readonly<Record<string, unknown>>

interface Sample {
  readonly apiVersion: string
  readonly kind: string
  readonly plural: string
  readonly content: Content
  /** A valid change, and an invalid one. */
  readonly change: Content
  readonly broken: Content
}

const samples: readonly Sample[] = [
  {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    plural: 'kustomizations',
    content: { spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } } },
    change: { spec: { path: './deploy', dependsOn: [{ name: 'infra' }] } },
    broken: { spec: { interval: 'soon' } },
  },
  {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    plural: 'gitrepositories',
    content: { spec: { interval: '5m', url: 'https://example.com/repo.git', ref: { branch: 'main' } } },
    change: { spec: { ref: { branch: null, semver: '>=1.0.0' }, timeout: '20s' } },
    broken: { spec: { url: 'ftp://example.com' } },
  },
  {
    apiVersion: 'notification.toolkit.fluxcd.io/v1',
    kind: 'Receiver',
    plural: 'receivers',
    content: {
      spec: { type: 'github', secretRef: { name: 'token' }, resources: [{ kind: 'GitRepository', name: 'app' }] },
    },
    change: { spec: { events: ['push', 'ping'] } },
    broken: { spec: { type: 'carrier-pigeon' } },
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    plural: 'configmaps',
    content: { data: { a: '1' } },
    change: { data: { a: null, b: '2' } },
    broken: { data: { 'not a key': 'x' } },
  },
  {
    apiVersion: 'v1',
    kind: 'Secret',
    plural: 'secrets',
    content: { data: { a: 'MQ==' } },
    change: { stringData: { b: 'two' } },
    broken: { type: 'Other' },
  },
  {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    content: { imagePullSecrets: [{ name: 'registry' }] },
    change: { automountServiceAccountToken: false },
    broken: { metadata: { labels: { 'not a key': 'x' } } },
  },
]

/** What is done to an object of any kind from its creation to its end. */
const lifeOf = ({ apiVersion, kind, plural, content, change, broken }: Sample): Exchange[] => {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const collection = `${root}/namespaces/side/${plural}`
  const one = `${collection}/life`
  const object = (metadata: Content = {}, more: Content = {}) => ({
    apiVersion,
    kind,
    metadata: { name: 'life', ...metadata },
    ...content,
    ...more,
  })
  const exchange = (
    title: string,
    method: string,
    path: string,
    body?: unknown,
    headers?: Exchange['headers'],
  ): Exchange => ({
    title: `${kind}: ${title}`,
    method,
    path,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  })
  return [
    exchange('create, dry', 'POST', `${collection}?dryRun=All`, object()),
    exchange('create', 'POST', `${collection}?fieldManager=maker`, object({ labels: { l: '1' } })),
    exchange('create again', 'POST', collection, object()),
    exchange('create with a bad name', 'POST', collection, object({ name: 'Not_A_Name' })),
    exchange('create without a name', 'POST', collection, object({ name: '' })),
    exchange(
      'create with an unknown field',
      'POST',
      `${collection}?fieldValidation=Strict`,
      object({ name: 'x' }, { foo: 1 }),
    ),
    exchange(
      'create with an unknown field, warned',
      'POST',
      `${collection}?dryRun=All`,
      object({ name: 'x' }, { foo: 1 }),
    ),
    exchange(
      'create with an unknown field, ignored',
      'POST',
      `${collection}?dryRun=All&fieldValidation=Ignore`,
      object({ name: 'x' }, { foo: 1 }),
    ),
    exchange('get', 'GET', one),
    exchange('get metadata', 'GET', one, undefined, partial),
    exchange('get what is not there', 'GET', `${collection}/nothing`),
    exchange('merge', 'PATCH', `${one}?fieldManager=merger`, change, merge),
    exchange('merge the same', 'PATCH', `${one}?fieldManager=merger`, change, merge),
    exchange('merge what is broken', 'PATCH', one, broken, merge),
    exchange('merge an unknown field', 'PATCH', `${one}?fieldValidation=Strict`, { foo: 1 }, merge),
    exchange('merge a wrong type', 'PATCH', one, { metadata: { labels: { n: 5 } } }, merge),
    exchange('merge of what is not there', 'PATCH', `${collection}/nothing`, change, merge),
    exchange('merge another name', 'PATCH', one, { metadata: { name: 'other' } }, merge),
    exchange('merge another version', 'PATCH', one, { metadata: { resourceVersion: '1' } }, merge),
    exchange('JSON patch', 'PATCH', one, [{ op: 'add', path: '/metadata/annotations', value: { a: 'b' } }], json),
    exchange('JSON patch, inapplicable', 'PATCH', one, [{ op: 'remove', path: '/metadata/nothing' }], json),
    exchange(
      'strategic patch',
      'PATCH',
      `${one}?fieldManager=strategist`,
      { metadata: { labels: { s: '1' } } },
      strategic,
    ),
    exchange('apply', 'PATCH', `${one}?fieldManager=applier`, object({ labels: { applied: 'yes' } }), apply),
    exchange('apply the same', 'PATCH', `${one}?fieldManager=applier`, object({ labels: { applied: 'yes' } }), apply),
    exchange(
      'apply against another',
      'PATCH',
      `${one}?fieldManager=rival`,
      object({ labels: { applied: 'no', l: '2' } }),
      apply,
    ),
    exchange(
      'apply by force',
      'PATCH',
      `${one}?fieldManager=rival&force=true`,
      object({ labels: { applied: 'no' } }),
      apply,
    ),
    exchange('apply less', 'PATCH', `${one}?fieldManager=applier`, object(), apply),
    exchange('apply nobody', 'PATCH', one, object(), apply),
    exchange(
      'apply something new',
      'PATCH',
      `${collection}/applied?fieldManager=applier`,
      object({ name: 'applied' }),
      apply,
    ),
    exchange('replace with an old version', 'PUT', one, object({ resourceVersion: '1' })),
    exchange(
      'replace what is not there',
      'PUT',
      `${collection}/nothing`,
      object({ name: 'nothing', resourceVersion: '1' }),
    ),
    exchange('replace under another name', 'PUT', `${collection}/other`, object()),
    exchange('list', 'GET', collection),
    exchange('list by label', 'GET', `${collection}?labelSelector=applied%3Dno`),
    exchange('list by name', 'GET', `${collection}?fieldSelector=metadata.name%3Dapplied`),
    exchange('list as a table', 'GET', collection, undefined, table),
    exchange('list metadata', 'GET', collection, undefined, partialList),
    exchange('add finalizers', 'PATCH', one, { metadata: { finalizers: ['example.com/hold', 'bare'] } }, merge),
    exchange('delete, dry', 'DELETE', `${one}?dryRun=All`),
    exchange('delete another', 'DELETE', one, { preconditions: { uid: 'other' } }),
    exchange('delete while held', 'DELETE', one),
    exchange('delete again', 'DELETE', one),
    exchange(
      'add a finalizer too late',
      'PATCH',
      one,
      { metadata: { finalizers: ['example.com/hold', 'bare', 'example.com/late'] } },
      merge,
    ),
    exchange('release', 'PATCH', one, { metadata: { finalizers: null } }, merge),
    exchange('get after its end', 'GET', one),
    exchange('delete after its end', 'DELETE', one),
    exchange('delete the collection', 'DELETE', `${collection}?labelSelector=none`),
  ]
}

const kustomizations = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/side/kustomizations'
const configMaps = '/api/v1/namespaces/side/configmaps'
const secrets = '/api/v1/namespaces/side/secrets'
const events = '/api/v1/namespaces/side/events'

const kustomization = (name: string, spec: Content = {}, metadata: Content = {}) => ({
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name, ...metadata },
  spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' }, ...spec },
})
const configMap = (name: string, data: Content = { a: '1' }, metadata: Content = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, ...metadata },
  data,
})
const ready = { type: 'Ready', status: 'True', reason: 'Done', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
const review = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews'

const particulars: readonly (readonly [
  title: string,
  method: string,
  path: string,
  body?: unknown,
  headers?: Exchange['headers'],
])[] = [
  ['a namespace', 'GET', '/api/v1/namespaces/side'],
  ['several wrong fields', 'POST', kustomizations, kustomization('a', { interval: 'x', prune: 'y', force: 3 })],
  ['missing fields', 'POST', kustomizations, { ...kustomization('a'), spec: {} }],
  ['a rule broken', 'POST', kustomizations, kustomization('a', { kubeConfig: {} })],
  ['a bad option', 'POST', `${kustomizations}?fieldValidation=Perhaps`, kustomization('a')],
  ['a bad dry run', 'POST', `${kustomizations}?dryRun=Some`, kustomization('a')],
  ['a manager with too long a name', 'POST', `${kustomizations}?fieldManager=${'x'.repeat(200)}`, kustomization('a')],
  ['another kind', 'POST', kustomizations, configMap('a')],
  ['another namespace', 'POST', kustomizations, kustomization('a', {}, { namespace: 'other' })],
  ['a version on creation', 'POST', kustomizations, kustomization('a', {}, { resourceVersion: '5' })],
  ['a namespace that is not there', 'POST', kustomizations.replace('side', 'nowhere'), kustomization('a')],
  ['an object to be reported on', 'POST', kustomizations, kustomization('a')],
  [
    'a status',
    'PATCH',
    `${kustomizations}/a/status?fieldManager=it`,
    { status: { observedGeneration: 1, conditions: [ready] } },
    merge,
  ],
  [
    'a status that is wrong',
    'PATCH',
    `${kustomizations}/a/status`,
    { status: { conditions: [{ type: 'Ready' }] } },
    merge,
  ],
  ['a spec through the status', 'PATCH', `${kustomizations}/a/status`, { spec: { path: 'x' } }, merge],
  ['a status read', 'GET', `${kustomizations}/a/status`],
  [
    'a status applied',
    'PATCH',
    `${kustomizations}/a/status?fieldManager=applier`,
    { ...kustomization('a'), spec: undefined, status: { lastAppliedRevision: 'r' } },
    apply,
  ],
  [
    'a status applied to nothing',
    'PATCH',
    `${kustomizations}/b/status?fieldManager=applier`,
    { ...kustomization('b'), spec: undefined, status: { lastAppliedRevision: 'r' } },
    apply,
  ],
  ['a status created', 'POST', `${kustomizations}/a/status`, {}],
  ['a part that is none', 'GET', `${kustomizations}/a/scale`],
  ['a replacement without a version', 'PUT', `${kustomizations}/a`, kustomization('a')],
  ['a status after all that', 'GET', `${kustomizations}/a`],
  ['force without apply', 'PATCH', `${kustomizations}/a?force=true`, {}, merge],
  ['an apply of nothing known', 'PATCH', `${kustomizations}/a?fieldManager=x`, { metadata: { name: 'a' } }, apply],
  [
    'an apply with managed fields',
    'PATCH',
    `${kustomizations}/a?fieldManager=x`,
    kustomization('a', {}, { managedFields: [{ manager: 'x' }] }),
    apply,
  ],
  ['an apply under another name', 'PATCH', `${kustomizations}/a?fieldManager=x`, kustomization('b'), apply],
  [
    'an apply to another uid',
    'PATCH',
    `${kustomizations}/c?fieldManager=x`,
    kustomization('c', {}, { uid: 'x' }),
    apply,
  ],
  ['a strategic patch of a user-defined kind', 'PATCH', `${kustomizations}/a`, {}, strategic],
  ['a patch of no type', 'PATCH', `${kustomizations}/a`, {}, { 'content-type': 'text/plain' }],
  ['a change of uid', 'PATCH', `${kustomizations}/a`, { metadata: { uid: 'x' } }, merge],
  ['bad labels', 'PATCH', `${kustomizations}/a`, { metadata: { labels: { 'a b': '!' } } }, merge],
  ['bad finalizers', 'PATCH', `${kustomizations}/a`, { metadata: { finalizers: ['a b'] } }, merge],
  ['a policy that is none', 'DELETE', `${kustomizations}/a?propagationPolicy=Later`],
  ['a foreground deletion', 'DELETE', `${kustomizations}/a`, { propagationPolicy: 'Foreground', dryRun: ['All'] }],
  ['data of wrong types', 'POST', configMaps, configMap('b', { a: 1 })],
  ['empty metadata', 'POST', configMaps, configMap('c', {}, { labels: {}, annotations: {}, finalizers: [] })],
  ['half an owner', 'POST', configMaps, configMap('d', {}, { ownerReferences: [{ kind: 'X' }] })],
  ['unconditional replacement', 'PUT', `${configMaps}/c`, configMap('c', { z: '1' })],
  ['making it immutable', 'PATCH', `${configMaps}/c`, { immutable: true }, merge],
  ['changing what is immutable', 'PATCH', `${configMaps}/c`, { data: { z: '2' } }, merge],
  ['a selector without an operator', 'GET', `${configMaps}?labelSelector=a%20b`],
  ['a selector without an end', 'GET', `${configMaps}?labelSelector=a%20in%20(`],
  ['a selector with a bad key', 'GET', `${configMaps}?labelSelector=-a%3Db`],
  ['a selector with a bad value', 'GET', `${configMaps}?labelSelector=a%3D-b`],
  ['a selector that compares texts', 'GET', `${configMaps}?labelSelector=a%3Ex`],
  ['a set-based selector', 'GET', `${configMaps}?labelSelector=a%20notin%20(b,c),!d`],
  ['a field that is not selected by', 'GET', `${configMaps}?fieldSelector=data.x%3Dy`],
  ['a field of a user-defined kind that is not selected by', 'GET', `${kustomizations}?fieldSelector=spec.path%3Dy`],
  ['a field selector that is none', 'GET', `${configMaps}?fieldSelector=abc`],
  ['a limit that is none', 'GET', `${configMaps}?limit=x`],
  ['a match without a version', 'GET', `${configMaps}?resourceVersionMatch=Exact`],
  ['a match that is none', 'GET', `${configMaps}?resourceVersionMatch=Roughly&resourceVersion=1`],
  ['an exact match of any version', 'GET', `${configMaps}?resourceVersionMatch=Exact&resourceVersion=0`],
  ['initial events of a list', 'GET', `${configMaps}?sendInitialEvents=true`],
  ['initial events without bookmarks', 'GET', `${configMaps}?watch=1&sendInitialEvents=true&timeoutSeconds=1`],
  ['a version that is none', 'GET', `${configMaps}?resourceVersion=abc`],
  ['a version of the future', 'GET', `${configMaps}?resourceVersion=99999999&resourceVersionMatch=NotOlderThan`],
  ['a table that includes what is not', 'GET', `${kustomizations}?includeObject=Half`, undefined, table],
  ['plain and encoded data', 'POST', secrets, { metadata: { name: 's' }, stringData: { a: 'b' }, data: { c: 'ZA==' } }],
  ['data that is no base64', 'POST', secrets, { metadata: { name: 't' }, data: { c: '!!' } }],
  ['a TLS secret without keys', 'POST', secrets, { metadata: { name: 't' }, type: 'kubernetes.io/tls', data: {} }],
  ['secrets of a type', 'GET', `${secrets}?fieldSelector=type%3DOpaque`],
  [
    'a secret applied',
    'PATCH',
    `${secrets}/u?fieldManager=x`,
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'u' }, stringData: { a: 'b' } },
    apply,
  ],
  [
    'an event',
    'POST',
    events,
    {
      metadata: { name: 'e' },
      involvedObject: { kind: 'X', name: 'y', namespace: 'side' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
      source: { component: 'c' },
    },
  ],
  [
    'an event of another namespace',
    'POST',
    events,
    {
      metadata: { name: 'f' },
      involvedObject: { kind: 'X', name: 'y', namespace: 'other' },
      reason: 'R',
      message: 'm',
      type: 'Normal',
    },
  ],
  ['events about an object', 'GET', `${events}?fieldSelector=involvedObject.name%3Dy,type!%3DWarning`],
  ['a namespace made', 'POST', '/api/v1/namespaces', { metadata: { name: 'side2' } }],
  ['a namespace with a bad name', 'POST', '/api/v1/namespaces', { metadata: { name: 'side.2' } }],
  ['a namespace in a namespace', 'POST', '/api/v1/namespaces', { metadata: { name: 'side3', namespace: 'x' } }],
  ['a namespace labelled', 'PATCH', '/api/v1/namespaces/side2', { metadata: { labels: { a: 'b' } } }, merge],
  ['its finalizers', 'PATCH', '/api/v1/namespaces/side2', { spec: { finalizers: [] } }, merge],
  ['its status', 'GET', '/api/v1/namespaces/side2/status'],
  ['a namespace deleted', 'DELETE', '/api/v1/namespaces/side2'],
  ['the default namespace deleted', 'DELETE', '/api/v1/namespaces/default'],
  ['all namespaces deleted', 'DELETE', '/api/v1/namespaces'],
  ['a group that is not there', 'GET', '/apis/nothing.example.com'],
  ['a core resource that is not there', 'GET', '/api/v1/namespaces/side/nothings'],
  ['a version that is not there', 'GET', '/apis/kustomize.toolkit.fluxcd.io/v7/kustomizations'],
  ['an object of no namespace', 'GET', '/api/v1/configmaps/x'],
  ['a user-defined object of no namespace', 'GET', '/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations/x'],
  ['a creation in no namespace', 'POST', '/api/v1/configmaps', configMap('x')],
  ['a deletion in all namespaces', 'DELETE', '/api/v1/configmaps'],
  ['a group', 'GET', '/apis/kustomize.toolkit.fluxcd.io'],
  ['a version of a group', 'GET', '/apis/kustomize.toolkit.fluxcd.io/v1'],
  [
    'what one may do',
    'POST',
    review,
    { spec: { resourceAttributes: { verb: 'get', resource: 'secrets', namespace: 'a' } } },
  ],
  ['what one may do, not said what', 'POST', review, { spec: {} }],
]

export const objectConversation: readonly Exchange[] = [
  ...samples.flatMap(lifeOf),
  ...particulars.map(([title, method, path, body, headers]) => ({
    title,
    method,
    path,
    ...(body !== undefined && { body }),
    ...(headers && { headers }),
  })),
]
