/**
 * Objects that are written, right and wrong. What a real kube-apiserver answers to each stands in
 * `validation.recorded.json`; `test/recorders/validation.ts` writes it.
 */
export interface ValidationCase {
  readonly title: string
  /** `<apiVersion> <kind>`. */
  readonly kind: string
  /** Merged into a minimal valid object of the kind; a null drops the field. */
  readonly change: unknown
  /** When given, `change` is an update of an object created like this. */
  readonly from?: unknown
  readonly subresource?: 'status'
  readonly fieldValidation?: 'Strict' | 'Warn' | 'Ignore'
  /** JSON text to send in place of an object. */
  readonly raw?: string
}

export const minimal: Readonly<Record<string, object>> = {
  'kustomize.toolkit.fluxcd.io/v1 Kustomization': {
    spec: { interval: '10m', prune: true, sourceRef: { kind: 'GitRepository', name: 'app' } },
  },
  'source.toolkit.fluxcd.io/v1 GitRepository': { spec: { interval: '1m', url: 'https://example.com/app.git' } },
  'notification.toolkit.fluxcd.io/v1 Receiver': {
    spec: { type: 'github', secretRef: { name: 'token' }, resources: [{ kind: 'GitRepository', name: 'app' }] },
  },
  'v1 Secret': { data: { a: 'YQ==' } },
  'v1 ConfigMap': { data: { a: '1' } },
  'v1 Namespace': {},
  'v1 ServiceAccount': {},
  'v1 Event': {
    involvedObject: { kind: 'ConfigMap', namespace: 'default', name: 'x' },
    reason: 'Seen',
    message: 'hello',
  },
}

const of =
  (kind: string) =>
  (title: string, change: unknown, more: Partial<ValidationCase> = {}): ValidationCase => ({
    title: `${kind.split(' ')[1]}: ${title}`,
    kind,
    change,
    ...more,
  })

const kustomization = of('kustomize.toolkit.fluxcd.io/v1 Kustomization')
const gitRepository = of('source.toolkit.fluxcd.io/v1 GitRepository')
const receiver = of('notification.toolkit.fluxcd.io/v1 Receiver')
const secret = of('v1 Secret')
const configMap = of('v1 ConfigMap')
const namespace = of('v1 Namespace')
const serviceAccount = of('v1 ServiceAccount')
const event = of('v1 Event')

const spec = (spec: unknown) => ({ spec })
const metadata = (metadata: unknown) => ({ metadata })
const status = (status: unknown) => ({ status })
const condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Succeeded',
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
}

export const cases: readonly ValidationCase[] = [
  kustomization('minimal', {}),
  kustomization('no interval', spec({ interval: null })),
  kustomization('no required field at all', { spec: { interval: null, prune: null, sourceRef: null } }),
  kustomization('bad interval', spec({ interval: 'x' })),
  kustomization('bad durations everywhere', spec({ interval: '1d', timeout: '', retryInterval: '10' })),
  kustomization('boolean as text', spec({ prune: 'true' })),
  kustomization('text as number', spec({ path: 5 })),
  kustomization('text as fraction', spec({ path: 1.5 })),
  kustomization('text as object', spec({ path: { a: 1 } })),
  kustomization('object as text', spec({ sourceRef: 'app' })),
  kustomization('object as list', spec({ sourceRef: [] })),
  kustomization('spec as text', { spec: 'x' }),
  kustomization('list as text', spec({ dependsOn: 'x' })),
  kustomization('list as object', spec({ dependsOn: { name: 'x' } })),
  kustomization('list of text as objects', spec({ components: [{ a: 1 }, 'b', 3] })),
  kustomization('unsupported source kind', spec({ sourceRef: { kind: 'HelmChart', name: 'x' } })),
  kustomization('empty source kind', spec({ sourceRef: { kind: '', name: 'x' } })),
  kustomization('number as source kind', spec({ sourceRef: { kind: 7, name: 'x' } })),
  kustomization('unsupported item in a list', spec({ buildMetadata: ['originAnnotations', 'other'] })),
  kustomization('name missing in a list', spec({ dependsOn: [{ name: 'a' }, {}, { namespace: 'b' }] })),
  kustomization('too long a namespace', spec({ targetNamespace: 'n'.repeat(64) })),
  kustomization('empty namespace', spec({ targetNamespace: '' })),
  kustomization('too long a prefix', spec({ namePrefix: 'é'.repeat(201) })),
  kustomization('longest prefix', spec({ namePrefix: 'é'.repeat(200) })),
  kustomization('map with a number', spec({ postBuild: { substitute: { a: 1, b: '2' } } })),
  kustomization('map with null', spec({ postBuild: { substitute: { a: null } } })),
  kustomization('reference name empty', spec({ postBuild: { substituteFrom: [{ kind: 'Secret', name: '' }] } })),
  kustomization('defaults nested in a list', spec({ postBuild: { substituteFrom: [{ kind: 'Secret', name: 'a' }] } })),
  kustomization('null where a default is', spec({ force: null, suspend: null }), { raw: 'keepNulls' }),
  kustomization('null where no default is', spec({ path: null, dependsOn: null }), { raw: 'keepNulls' }),
  kustomization('null for a required field', spec({ interval: null }), { raw: 'keepNulls' }),
  kustomization('null in a list', spec({ components: [null, 'a'] }), { raw: 'keepNulls' }),
  kustomization('neither kubeconfig reference', spec({ kubeConfig: {} })),
  kustomization(
    'both kubeconfig references',
    spec({ kubeConfig: { secretRef: { name: 'a' }, configMapRef: { name: 'b' } } }),
  ),
  kustomization('a rule and a type error', spec({ kubeConfig: {}, prune: 'x' })),
  kustomization('a rule and a pattern error', spec({ kubeConfig: {}, interval: 'x' })),
  kustomization('unknown fields, warned', spec({ foo: 1, sourceRef: { bar: 2 }, dependsOn: [{ name: 'a', baz: 3 }] }), {
    fieldValidation: 'Warn',
  }),
  kustomization(
    'unknown fields, refused',
    spec({ foo: 1, sourceRef: { bar: 2 }, dependsOn: [{ name: 'a', baz: 3 }] }),
    {
      fieldValidation: 'Strict',
    },
  ),
  kustomization('unknown fields, ignored', { spec: { foo: 1 }, extra: { a: 1 } }, { fieldValidation: 'Ignore' }),
  kustomization(
    'unknown metadata, refused',
    { metadata: { foo: 'x', labels: { a: 'b' } }, extra: 1 },
    { fieldValidation: 'Strict' },
  ),
  kustomization('unknown field and an error', spec({ foo: 1, interval: 'x' }), { fieldValidation: 'Warn' }),
  kustomization(
    'doubled field, refused',
    {},
    {
      fieldValidation: 'Strict',
      raw: '{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"test"},"spec":{"interval":"1m","interval":"2m","prune":true,"sourceRef":{"kind":"Bucket","name":"a"}}}',
    },
  ),
  kustomization(
    'doubled field, warned',
    {},
    {
      fieldValidation: 'Warn',
      raw: '{"apiVersion":"kustomize.toolkit.fluxcd.io/v1","kind":"Kustomization","metadata":{"name":"test"},"spec":{"interval":"1m","interval":"2m","prune":true,"sourceRef":{"kind":"Bucket","name":"a"}}}',
    },
  ),
  kustomization('status is not written with the object', status({ observedGeneration: 5 })),
  kustomization('number too large', spec({ interval: 1e30 })),
  kustomization('control characters in a value', spec({ interval: 'a\u0001"\\\n\u00e9\u2028' })),
  kustomization(
    'rest of a field that is not known',
    { spec: { patches: [{ patch: 'a', target: { kind: 'A', other: 1 } }] } },
    {
      fieldValidation: 'Strict',
    },
  ),

  gitRepository('minimal', {}),
  gitRepository('bad url', spec({ url: 'git@github.com:a/b.git' })),
  gitRepository('bad url and interval', spec({ url: 'ftp://x', interval: '' })),
  gitRepository('hours in a timeout', spec({ timeout: '1h' })),
  gitRepository('service account without provider', spec({ serviceAccountName: 'a' })),
  gitRepository('service account with another provider', spec({ serviceAccountName: 'a', provider: 'github' })),
  gitRepository('service account with aws', spec({ serviceAccountName: 'a', provider: 'aws' })),
  gitRepository('verification without secret', spec({ verify: {} })),
  gitRepository('verification with default mode', spec({ verify: { secretRef: { name: 'a' } } })),
  gitRepository('unsupported mode', spec({ verify: { mode: 'x', secretRef: { name: 'a' } } })),
  gitRepository('includes', spec({ include: [{ repository: { name: 'a' } }, { fromPath: 'x' }, { repository: {} }] })),
  gitRepository('spec null', { spec: null }, { raw: 'keepNulls' }),

  receiver('minimal', {}),
  receiver('no type', spec({ type: null })),
  receiver('unsupported type', spec({ type: 'svn' })),
  receiver('no secret', spec({ secretRef: null })),
  receiver('oidc without providers', spec({ type: 'generic-oidc', secretRef: null })),
  receiver('oidc with a secret', spec({ type: 'generic-oidc' })),
  receiver(
    'providers without oidc',
    spec({ oidcProviders: [{ issuerURL: 'https://a', validations: [{ expression: 'true', message: 'm' }] }] }),
  ),
  receiver(
    'provider twice',
    spec({
      type: 'generic-oidc',
      secretRef: null,
      oidcProviders: [
        { issuerURL: 'https://a', validations: [{ expression: 'true', message: 'm' }] },
        { issuerURL: 'https://a', validations: [] },
      ],
    }),
  ),
  receiver('no resources', spec({ resources: null })),
  receiver(
    'resource kind and name',
    spec({
      resources: [
        { kind: 'Pod', name: '' },
        { kind: 'Bucket', name: 'n'.repeat(254) },
      ],
    }),
  ),
  receiver('default interval', spec({ interval: null })),

  kustomization('upper-case name', metadata({ name: 'App' })),
  kustomization('empty label in a name', metadata({ name: 'a..b' })),
  kustomization('too long a name', metadata({ name: 'n'.repeat(254) })),
  kustomization('label key with two slashes', metadata({ labels: { 'a/b/c': 'd' } })),
  kustomization('label key with an empty prefix', metadata({ labels: { '/a': 'd' } })),
  kustomization('label key with a bad prefix', metadata({ labels: { 'A_b/c': 'd' } })),
  kustomization('label key with an empty name', metadata({ labels: { 'a/': 'd' } })),
  kustomization('too long a label key', metadata({ labels: { ['k'.repeat(64)]: 'd' } })),
  kustomization('bad label value', metadata({ labels: { a: '-b' } })),
  kustomization('too long a label value', metadata({ labels: { a: 'b'.repeat(64) } })),
  kustomization('bad annotation key', metadata({ annotations: { 'A b': 'x' } })),
  kustomization('annotations too large', metadata({ annotations: { a: 'x'.repeat(256 * 1024) } })),
  kustomization('label as number', metadata({ labels: { a: 1 } })),
  kustomization('labels as text', metadata({ labels: 'a' })),
  kustomization('finalizers as text', metadata({ finalizers: 'a' })),
  kustomization('bad finalizer', metadata({ finalizers: ['a b'] })),
  kustomization('finalizers that exclude each other', metadata({ finalizers: ['orphan', 'foregroundDeletion'] })),
  kustomization('finalizer without domain', metadata({ finalizers: ['mine', 'a.b', 'finalizers.fluxcd.io'] })),
  kustomization(
    'owner without fields',
    metadata({ ownerReferences: [{ apiVersion: '', kind: '', name: '', uid: '' }] }),
  ),
  kustomization(
    'owner that is an event',
    metadata({ ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'a', uid: 'b' }] }),
  ),
  kustomization(
    'two controllers',
    metadata({
      ownerReferences: [
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: '1', controller: true },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: '2', controller: true },
      ],
    }),
  ),
  kustomization('generation given', metadata({ generation: 7 })),

  kustomization('change of a pattern', spec({ interval: 'x' }), { from: {} }),
  kustomization('change of the spec to nothing', spec({ interval: null, prune: null }), { from: {} }),
  kustomization('added finalizer', metadata({ finalizers: ['mine'] }), { from: {} }),
  kustomization('status', status({ conditions: [condition], observedGeneration: 1 }), {
    from: {},
    subresource: 'status',
  }),
  kustomization('status, bad condition', status({ conditions: [{ type: '-', status: 'Yes' }] }), {
    from: {},
    subresource: 'status',
  }),
  kustomization(
    'status, bad reason',
    status({
      conditions: [
        { ...condition, reason: 'a b' },
        { ...condition, reason: '' },
      ],
    }),
    { from: {}, subresource: 'status' },
  ),
  kustomization('status, bad time', status({ conditions: [{ ...condition, lastTransitionTime: 'now' }] }), {
    from: {},
    subresource: 'status',
  }),
  kustomization('status, negative generation', status({ conditions: [{ ...condition, observedGeneration: -1 }] }), {
    from: {},
    subresource: 'status',
  }),
  kustomization('status, text as generation', status({ observedGeneration: 'x' }), { from: {}, subresource: 'status' }),
  kustomization('status, fraction as generation', status({ observedGeneration: 1.5 }), {
    from: {},
    subresource: 'status',
  }),
  kustomization('status, inventory', status({ inventory: { entries: [{ id: 'a' }] } }), {
    from: {},
    subresource: 'status',
  }),
  kustomization('status, message too long', status({ conditions: [{ ...condition, message: 'm'.repeat(32769) }] }), {
    from: {},
    subresource: 'status',
  }),
  kustomization('status as text', { status: 'x' }, { from: {}, subresource: 'status' }),
  kustomization('status, unknown field', status({ foo: 1 }), {
    from: {},
    subresource: 'status',
    fieldValidation: 'Strict',
  }),
  gitRepository(
    'status, artifact',
    status({
      artifact: {
        digest: 'x',
        revision: 'main',
        path: 'p',
        url: 'u',
        lastUpdateTime: '2026-01-02T03:04:05Z',
        size: 1.5,
      },
    }),
    { from: {}, subresource: 'status' },
  ),

  secret('minimal', {}),
  secret('plain text', { stringData: { b: 'é' } }),
  secret('plain text before data', { data: { a: 'YQ==' }, stringData: { a: 'b' } }),
  secret('type', { type: 'example.com/mine' }),
  secret('bad base64', { data: { a: 'a' } }),
  secret('number as data', { data: { a: 1 } }),
  secret('data as text', { data: 'x' }),
  secret('bad keys', { data: { 'a/b': 'YQ==', '..': 'YQ==', '..a': 'YQ==' } }),
  secret('too large', { data: { a: Buffer.alloc(1024 * 1024 + 1).toString('base64') } }),
  secret('token without account', { type: 'kubernetes.io/service-account-token' }),
  secret('docker config missing', { type: 'kubernetes.io/dockerconfigjson' }),
  secret('docker config empty', { type: 'kubernetes.io/dockerconfigjson', data: { '.dockerconfigjson': '' } }),
  secret('basic auth without fields', { type: 'kubernetes.io/basic-auth' }),
  secret('ssh without key', { type: 'kubernetes.io/ssh-auth' }),
  secret('tls without fields', { type: 'kubernetes.io/tls' }),
  secret('unknown field, refused', { foo: 1 }, { fieldValidation: 'Strict' }),
  secret('unknown field, warned', { foo: 1 }, { fieldValidation: 'Warn' }),
  secret('immutable as text', { immutable: 'x' }),
  secret('change of type', { type: 'example.com/other' }, { from: {} }),
  secret('change of what is immutable', { data: { a: 'Yg==' }, immutable: null }, { from: { immutable: true } }),

  configMap('minimal', {}),
  configMap('number as data', { data: { a: 1 } }),
  configMap('boolean as data', { data: { a: true } }),
  configMap('object as data', { data: { a: {} } }),
  configMap('list as data', { data: { a: [] } }),
  configMap('null as data', { data: { a: null } }, { raw: 'keepNulls' }),
  configMap('data as list', { data: [] }),
  configMap('bad keys', { data: { 'a b': '' } }),
  configMap('key in both', { binaryData: { a: 'YQ==' } }),
  configMap('too large', { data: { a: 'x'.repeat(1024 * 1024 + 1) } }),
  configMap(
    'change of what is immutable',
    { data: { a: '2' }, binaryData: { b: 'YQ==' } },
    { from: { immutable: true } },
  ),
  configMap('unknown fields, refused', { foo: 1, metadata: { bar: 1 } }, { fieldValidation: 'Strict' }),
  configMap('unknown fields, warned', { foo: 1, metadata: { bar: 1 } }, { fieldValidation: 'Warn' }),
  configMap('bad name', metadata({ name: 'A_b' })),
  configMap('label as number', metadata({ labels: { a: 1 } })),
  configMap('owner as text', metadata({ ownerReferences: ['a'] })),

  namespace('minimal', {}),
  namespace('dotted name', metadata({ name: 'a.b' })),
  namespace('too long a name', metadata({ name: 'n'.repeat(64) })),
  namespace('finalizers', spec({ finalizers: ['kubernetes', 'example.com/mine'] })),
  namespace('bad finalizer', spec({ finalizers: ['mine'] })),
  namespace('finalizers as text', spec({ finalizers: 'x' })),
  namespace('with a namespace', metadata({ namespace: 'default' })),

  serviceAccount('minimal', {}),
  serviceAccount('secrets', {
    secrets: [{ name: 'a' }],
    imagePullSecrets: [{ name: 'b' }],
    automountServiceAccountToken: false,
  }),
  serviceAccount('secrets as text', { secrets: 'a' }),
  serviceAccount('secret as text', { secrets: ['a'] }),
  serviceAccount('mount as text', { automountServiceAccountToken: 'yes' }),
  serviceAccount(
    'unknown field in a list, refused',
    { secrets: [{ name: 'a', foo: 1 }] },
    { fieldValidation: 'Strict' },
  ),

  event('minimal', {}),
  event('other namespace', { involvedObject: { namespace: 'other' } }),
  event('no object', { involvedObject: null }),
  event('new form without its fields', { eventTime: '2026-01-02T03:04:05.000001Z' }),
  event('new form', {
    eventTime: '2026-01-02T03:04:05.000001Z',
    reportingComponent: 'a/b',
    reportingInstance: 'c',
    action: 'd',
  }),
  event('bad time', { lastTimestamp: 'now' }),
  event('count as text', { count: 'x' }),
  event('count as fraction', { count: 1.5 }),
]

/** The object that a case sends: a string when it is to be sent as it is. `live` is what an update starts from. */
export const writtenObject = (one: ValidationCase, live?: unknown): unknown => {
  if (one.raw && one.raw !== 'keepNulls') return one.raw
  const [apiVersion, kind] = one.kind.split(' ')
  const base = live ?? { apiVersion, kind, metadata: { name: 'test' }, ...minimal[one.kind] }
  return merged(base, one.change, one.raw === 'keepNulls')
}

const merged = (base: unknown, change: unknown, keepNulls: boolean): unknown => {
  if (!isObject(base) || !isObject(change)) return change
  const result: Record<string, unknown> = { ...base }
  for (const [name, value] of Object.entries(change))
    if (value === null && !keepNulls) delete result[name]
    else result[name] = merged(result[name], value, keepNulls)
  return result
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
