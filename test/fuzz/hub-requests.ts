/** Requests to the hub's API that nobody means well: any method, path, query, header and body, near to what makes sense. */
import fc from 'fast-check'

export interface HubRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const names = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'a',
  'b',
  '',
  'x/y',
  'über',
  '\u0000',
  'a'.repeat(300),
]
const fields = [
  ...names,
  ...[
    'apiVersion',
    'kind',
    'metadata',
    'name',
    'namespace',
    'generateName',
    'labels',
    'annotations',
    'finalizers',
    'uid',
  ],
  ...[
    'resourceVersion',
    'ownerReferences',
    'managedFields',
    'fieldsV1',
    'f:spec',
    'k:{"a":1}',
    'v:1',
    'i:0',
    '.',
    'manager',
  ],
  ...['spec', 'status', 'data', 'stringData', 'rules', 'verbs', 'resources', 'subjects', 'roleRef', 'aggregationRule'],
  ...[
    'group',
    'names',
    'plural',
    'versions',
    'schema',
    'openAPIV3Schema',
    'properties',
    'items',
    'type',
    'default',
    'pattern',
  ],
  ...[
    'x-kubernetes-validations',
    'rule',
    'x-kubernetes-list-type',
    'x-kubernetes-list-map-keys',
    'allOf',
    'not',
    'enum',
  ],
  ...['$patch', '$retainKeys', '$setElementOrder/list', '$deleteFromPrimitiveList/list', 'op', 'path', 'from', 'value'],
  ...['token', 'audiences', 'expirationSeconds', 'boundObjectRef', 'resourceAttributes', 'user', 'groups', 'replicas'],
]
const words = [
  ...[
    '',
    'a',
    'v1',
    'ConfigMap',
    'Widget',
    'Role',
    'Namespaced',
    'object',
    'array',
    'string',
    'map',
    'set',
    'replace',
    'delete',
  ],
  ...[
    '/spec/a',
    '/~2',
    '/metadata/labels/-',
    '10m',
    '2026-01-01T00:00:00Z',
    '\ud800',
    '(a+)+$',
    "self.all(x, x.matches('(a+)+$'))",
  ],
  ...[
    '[1,2,3].map(a,[1,2,3].map(b,[1,2,3].map(c,a+b+c)))',
    '*',
    'system:masters',
    '9'.repeat(400),
    '=cmd',
    '../../etc',
  ],
]

const leaf = fc.oneof(
  fc.constantFrom<unknown>(null, true, false, 0, -1, 1.5, 1e21, 2 ** 53, -0, [], {}),
  fc.constantFrom(...words),
  fc.string({ maxLength: 12 }),
)

/** Sometimes deeper, or wider, than anything that is served. */
const json = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.letrec(tie => ({
      value: fc.oneof(
        { maxDepth: 6, depthSize: 'small' },
        leaf,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.array(fc.tuple(fc.constantFrom(...fields), tie('value')), { maxLength: 6 }).map(withOwnKeys),
      ),
    })).value,
  },
  { weight: 1, arbitrary: fc.constantFrom(300, 600).map(depth => nested(depth)) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom(1000, 20_000)
      .map(count => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]))),
  },
)

function withOwnKeys(entries: readonly (readonly [string, unknown])[]): unknown {
  const object = Object.create(null)
  for (const [key, value] of entries)
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true })
  return object
}

function nested(depth: number): unknown {
  let value: unknown = 'deep'
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { spec: value }
  return value
}

/** The value within an object that names itself rightly, so that more than its first lines are read. */
const dressed = (apiVersion: string, kind: string, value: unknown): unknown => ({
  ...(typeof value === 'object' && value !== null && !Array.isArray(value) ? value : { spec: value }),
  apiVersion,
  kind,
  metadata: { name: 'a', ...((value as { metadata?: object } | null)?.metadata ?? {}) },
})

const collections = [
  ['v1', 'ConfigMap', '/api/v1/namespaces/default/configmaps'],
  ['v1', 'Secret', '/api/v1/namespaces/default/secrets'],
  ['v1', 'Event', '/api/v1/namespaces/default/events'],
  ['v1', 'Namespace', '/api/v1/namespaces'],
  ['v1', 'ServiceAccount', '/api/v1/namespaces/default/serviceaccounts'],
  ['rbac.authorization.k8s.io/v1', 'Role', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles'],
  ['rbac.authorization.k8s.io/v1', 'ClusterRole', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
  ['rbac.authorization.k8s.io/v1', 'RoleBinding', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings'],
  ['apiextensions.k8s.io/v1', 'CustomResourceDefinition', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'],
  ['example.com/v1', 'Widget', '/apis/example.com/v1/namespaces/default/widgets'],
  [
    'kustomize.toolkit.fluxcd.io/v1',
    'Kustomization',
    '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/default/kustomizations',
  ],
  ['authorization.k8s.io/v1', 'SubjectAccessReview', '/apis/authorization.k8s.io/v1/subjectaccessreviews'],
  ['authorization.k8s.io/v1', 'SelfSubjectRulesReview', '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'],
  ['authentication.k8s.io/v1', 'TokenReview', '/apis/authentication.k8s.io/v1/tokenreviews'],
  ['apps/v1', 'Deployment', '/apis/apps/v1/namespaces/flux-system/deployments'],
  ['v1', 'ConfigMap', '/apis/nowhere.example.com/v1/things'],
] as const

const query = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        'dryRun',
        'fieldManager',
        'force',
        'fieldValidation',
        'labelSelector',
        'fieldSelector',
        'limit',
        'continue',
        'resourceVersion',
        'resourceVersionMatch',
        'propagationPolicy',
        'sendInitialEvents',
        '__proto__',
        'pretty',
      ),
      fc.oneof(
        fc.constantFrom(
          'All',
          'x',
          'true',
          'Strict',
          'Ignore',
          'a=b',
          'a in (b',
          '!a,b notin (c,d)',
          'metadata.name=a',
          'spec.color=red',
          '-1',
          '1',
          '99999999999999999999',
          '0',
          'Exact',
          'Foreground',
          'e30=',
        ),
        fc.string({ maxLength: 10 }),
      ),
    ),
    { maxLength: 3 },
  )
  .map(pairs =>
    new URLSearchParams(pairs.map(([key, value]): [string, string] => [key, value.toWellFormed()])).toString(),
  )

const types = [
  'application/json',
  'application/yaml',
  'application/merge-patch+json',
  'application/json-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  '',
]
const accepts = [
  'application/json',
  'application/yaml',
  'application/json;as=Table;g=meta.k8s.io;v=v1',
  'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  'application/vnd.kubernetes.protobuf',
  ';q=,*/*;;',
]
const headerText = fc.string({ maxLength: 20 }).map(text => text.replace(/[^\x20-\x7e]/g, '%'))
const headers = fc
  .record({
    'content-type': fc.constantFrom(...types),
    accept: fc.constantFrom(...accepts),
    'user-agent': headerText,
    'impersonate-user': fc.constantFrom(
      '',
      '',
      '',
      '',
      'jane',
      'system:serviceaccount:default:a',
      'system:serviceaccount:::',
    ),
    'impersonate-group': fc.constantFrom('', '', '', 'devs', ',,,'),
    'impersonate-extra-%zz': fc.constantFrom('', '', '', 'x'),
    'accept-encoding': fc.constantFrom('', 'gzip', 'br;q=1'),
    'if-none-match': fc.constantFrom('', '*'),
  })
  .map(all => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')))

export const hubRequests: fc.Arbitrary<HubRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'POST', 'PUT', 'PATCH', 'PATCH', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'),
    collection: fc.constantFrom(...collections),
    rest: fc.constantFrom(
      '',
      '',
      '/a',
      '/a',
      '/a',
      '/a/status',
      '/a/scale',
      '/a/token',
      '/a/finalize',
      '/%2e%2e/x',
      '/a/b/c',
      '/__proto__',
    ),
    query,
    headers,
    value: json,
    isDressed: fc.boolean(),
    isJson: fc.integer({ min: 0, max: 9 }),
    noise: fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom(
        '['.repeat(100_000),
        '{"a":'.repeat(50_000),
        '- '.repeat(20_000),
        '&a [*a]',
        'x'.repeat(4_000_000),
      ),
    ),
  })
  .map(({ method, collection: [apiVersion, kind, root], rest, query, headers, value, isDressed, isJson, noise }) => {
    const content = isDressed ? dressed(apiVersion, kind, value) : value
    const body = isJson === 0 ? noise : JSON.stringify(content)
    const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'
    return {
      method,
      path: `${root}${rest}${query && `?${query}`}`,
      headers,
      ...(hasBody && body !== undefined && { body: body.toWellFormed() }),
    }
  })
