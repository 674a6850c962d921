import { apply, type Exchange, json, merge, partial, partialList, strategic, table } from './exchange.ts'

/** What is done to an object of each sample kind, from its creation to its end. */

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

export const lives: readonly Exchange[] = samples.flatMap(lifeOf)
