import assert from 'node:assert/strict'
import type { AttackClass, Attempt } from '../attack.ts'

/** Paths of the victim's namespace, of the cluster scope, and of the hub itself that mallory may not even read. */
const closedReads = [
  '/api/v1/namespaces/victim/secrets/kept',
  '/api/v1/namespaces/victim/secrets',
  '/api/v1/namespaces/victim/configmaps/kept',
  '/api/v1/secrets',
  '/api/v1/configmaps',
  '/api/v1/secrets?fieldSelector=metadata.name%3Dkept',
  '/api/v1/namespaces/victim/secrets?watch=true&timeoutSeconds=1',
  '/api/v1/events',
  '/apis/source.toolkit.fluxcd.io/v1/namespaces/victim/gitrepositories',
  '/apis/source.toolkit.fluxcd.io/v1/gitrepositories',
  '/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations',
  '/apis/fluxcd.controlplane.io/v1/resourcesets',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/victim/rolebindings',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/metrics',
]

/** Spellings of a path that a router and an authorizer may read differently. */
const oddPaths = [
  '/api/v1/namespaces/mallory/../victim/secrets/kept',
  '/api/v1/namespaces/mallory/%2e%2e/victim/secrets/kept',
  '/api/v1/namespaces/mallory%2f..%2fvictim/secrets/kept',
  '/api/v1/namespaces/victim%00/secrets/kept',
  '/api/v1//namespaces/victim/secrets/kept',
  '/API/v1/namespaces/victim/secrets/kept',
  '/api/v1/namespaces/victim/secrets/kept/',
  '/api/v1/namespaces/victim/secrets/kept/status',
  '/api/v1/watch/namespaces/victim/secrets',
  '/api/v1/namespaces/VICTIM/secrets/kept',
  '/api/v1/namespaces/mallory/secrets?fieldSelector=metadata.namespace%3Dvictim',
  '/api/v1/namespaces/victim;x=/secrets/kept',
  '/apis/v1/namespaces/victim/secrets/kept',
  '/api/v1/namespaces/mallory/secrets/..%2F..%2Fvictim%2Fsecrets%2Fkept',
]

/** Headers by which a caller would become somebody else. */
const impersonations: readonly Readonly<Record<string, string>>[] = [
  { 'impersonate-user': 'system:admin' },
  { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' },
  { 'impersonate-group': 'system:masters' },
  { 'impersonate-user': 'system:serviceaccount:victim:default' },
  { 'impersonate-user': 'x', 'impersonate-extra-scopes': 'all' },
  { 'impersonate-uid': '0' },
  { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' },
  { 'x-forwarded-user': 'admin' },
]

const roleBinding = (namespace: string, roleRef: object, subject: object) => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  metadata: { generateName: 'try-', namespace },
  roleRef,
  subjects: [subject],
})
const clusterAdmin = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }
const attacker = { kind: 'ServiceAccount', name: 'attacker', namespace: 'mallory' }
const rbac = '/apis/rbac.authorization.k8s.io/v1'

const closedWrites: readonly (readonly [string, string, object])[] = [
  [
    `${rbac}/namespaces/victim/rolebindings`,
    'binds itself in another namespace',
    roleBinding('victim', clusterAdmin, attacker),
  ],
  [
    `${rbac}/clusterrolebindings`,
    'binds itself everywhere',
    { ...roleBinding('', clusterAdmin, attacker), kind: 'ClusterRoleBinding', metadata: { name: 'try' } },
  ],
  [
    `${rbac}/clusterroles`,
    'makes a role for everything',
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'try' }, rules: [] },
  ],
  ['/api/v1/namespaces', 'makes a namespace', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'try' } }],
  [
    '/api/v1/namespaces/victim/serviceaccounts/default/token',
    'asks for a token of an account of another namespace',
    { spec: { expirationSeconds: 3600 } },
  ],
  [
    '/api/v1/namespaces/victim/configmaps',
    'writes into another namespace',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'try', namespace: 'victim' } },
  ],
  [
    '/api/v1/namespaces/mallory/configmaps',
    'names another namespace in the body',
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'try', namespace: 'victim' } },
  ],
  [
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    'defines a kind',
    { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'as.b.c' } },
  ],
]

const attempts: Attempt[] = [
  ...closedReads.map(
    path =>
      ({
        title: `GET ${path} is forbidden`,
        async run({ mallory, secret }) {
          const { status, body } = await mallory.request('GET', path)
          assert.equal(status, 403, JSON.stringify(body))
          assert.doesNotMatch(JSON.stringify(body), new RegExp(secret))
        },
      }) satisfies Attempt,
  ),
  ...oddPaths.map(
    path =>
      ({
        title: `GET ${path} shows nothing of the victim`,
        async run({ mallory, secret }) {
          const { body } = await mallory.request('GET', path)
          const shown = JSON.stringify(body)
          assert.doesNotMatch(shown, new RegExp(`${secret}|${Buffer.from(secret).toString('base64')}`))
        },
      }) satisfies Attempt,
  ),
  ...impersonations.map(
    headers =>
      ({
        title: `the headers ${Object.keys(headers).join(', ')} make nobody else of the caller`,
        async run({ mallory, secret }) {
          const { status, body } = await mallory.request(
            'GET',
            '/api/v1/namespaces/victim/secrets/kept',
            undefined,
            headers,
          )
          assert.ok([400, 401, 403].includes(status), `${status}`)
          assert.doesNotMatch(JSON.stringify(body), new RegExp(secret))
        },
      }) satisfies Attempt,
  ),
  ...closedWrites.map(
    ([path, title, body]) =>
      ({
        title: `refused: mallory ${title}`,
        async run({ mallory }) {
          const { status } = await mallory.request('POST', path, body)
          assert.ok([400, 403].includes(status), `answered ${status}`)
        },
      }) satisfies Attempt,
  ),
]

/** Callers of the API: what is not granted is refused, however the request is spelled. */
export const authorization: AttackClass = {
  name: 'authorization',
  rule: 'RBAC decides, in every spelling of a path; nobody grants more than it has',
  attempts,
}
