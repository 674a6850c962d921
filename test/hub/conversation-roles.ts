/** Requests about roles, bindings, tokens and what somebody may do. */
import { apply, type Exchange, json, merge, strategic, table } from './exchange.ts'

const rbac = '/apis/rbac.authorization.k8s.io/v1'
const roles = `${rbac}/namespaces/side/roles`
const bindings = `${rbac}/namespaces/side/rolebindings`
const clusterRoles = `${rbac}/clusterroles`
const clusterBindings = `${rbac}/clusterrolebindings`
const configMaps = '/api/v1/namespaces/side/configmaps'
const accounts = '/api/v1/namespaces/side/serviceaccounts'
const reviews = '/apis/authorization.k8s.io/v1'
const authentication = '/apis/authentication.k8s.io/v1'

const asJane = { 'impersonate-user': 'jane', 'impersonate-group': 'devs' }
const asBot = { 'impersonate-user': 'system:serviceaccount:side:bot' }

const rule = (verbs: string, resources: string, group = '', more: object = {}) => ({
  verbs: verbs.split(' '),
  apiGroups: [group],
  resources: resources.split(' '),
  ...more,
})
const role = (name: string, ...rules: object[]) => ({ metadata: { name }, rules })
const binding = (name: string, kind: string, roleName: string, ...subjects: object[]) => ({
  metadata: { name },
  roleRef: { kind, name: roleName },
  subjects,
})
const user = (name: string) => ({ kind: 'User', name })
const mayDo = (verb: string, resource: string, more: object = {}) => ({
  spec: { resourceAttributes: { verb, resource, namespace: 'side', ...more } },
})

type Row = readonly [title: string, method: string, path: string, body?: unknown, headers?: Exchange['headers']]

const rows: readonly Row[] = [
  ['what a stranger may not', 'GET', configMaps, undefined, asJane],
  ['what a stranger may not create', 'POST', configMaps, { metadata: { name: 'x' } }, asJane],
  ['what a stranger may not see of himself', 'GET', `${configMaps}/x/status`, undefined, asJane],
  ['what a stranger may not see of all', 'GET', '/api/v1/configmaps', undefined, asJane],
  ['a path that a stranger may not get', 'GET', '/metrics', undefined, asJane],
  ['a path that a stranger may get', 'GET', '/apis/rbac.authorization.k8s.io', undefined, asJane],
  ['a group that is nowhere, for a stranger', 'GET', '/apis/nowhere.example.com/v1/things', undefined, asJane],
  ['a role', 'POST', `${roles}?fieldManager=maker`, role('reader', rule('get list', 'configmaps'))],
  ['a role again', 'POST', roles, role('reader')],
  ['a role, dry', 'POST', `${roles}?dryRun=All`, role('dry', rule('get', 'secrets', '', { resourceNames: ['a'] }))],
  ['a role without rules', 'POST', roles, { metadata: { name: 'empty' } }],
  ['a role with no rules', 'POST', roles, role('none')],
  [
    'a role with empty lists',
    'POST',
    roles,
    role('lists', rule('get', 'configmaps', '', { resourceNames: [], nonResourceURLs: [] })),
  ],
  ['a role with a broken rule', 'POST', roles, role('broken', { verbs: [], apiGroups: [], resources: [] })],
  ['a role for paths', 'POST', roles, role('paths', { verbs: ['get'], nonResourceURLs: ['/x'] })],
  ['a role with a bad name', 'POST', roles, role('a/b')],
  ['a role with an unknown field', 'POST', `${roles}?fieldValidation=Strict`, { ...role('x'), foo: 1 }],
  ['a role with a wrong type', 'POST', roles, { metadata: { name: 'x' }, rules: 'none' }],
  ['a role with a colon in its name', 'POST', roles, role('team:reader', rule('get', 'configmaps'))],
  ['a role read', 'GET', `${roles}/reader`],
  ['a role that is not there', 'GET', `${roles}/nothing`],
  [
    'a role merged',
    'PATCH',
    `${roles}/reader?fieldManager=merger`,
    { rules: [rule('get list watch', 'configmaps')] },
    merge,
  ],
  [
    'a role patched',
    'PATCH',
    `${roles}/reader?fieldManager=p`,
    [{ op: 'add', path: '/rules/-', value: rule('get', 'secrets') }],
    json,
  ],
  [
    'a role patched strategically',
    'PATCH',
    `${roles}/reader?fieldManager=s`,
    { metadata: { labels: { a: 'b' } } },
    strategic,
  ],
  [
    'a role applied',
    'PATCH',
    `${roles}/applied?fieldManager=a`,
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', ...role('applied', rule('get', 'configmaps')) },
    apply,
  ],
  [
    'a role applied against another',
    'PATCH',
    `${roles}/reader?fieldManager=a`,
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', ...role('reader', rule('get', 'pods')) },
    apply,
  ],
  ['roles as a table', 'GET', roles, undefined, table],
  [
    'a cluster role with paths',
    'POST',
    clusterRoles,
    role('side-paths', { verbs: ['get'], nonResourceURLs: ['/metrics', '/logs/*'] }),
  ],
  [
    'a cluster role of both kinds',
    'POST',
    clusterRoles,
    role('side-both', { verbs: ['get'], nonResourceURLs: ['/x'], apiGroups: [''], resources: ['pods'] }),
  ],
  [
    'a cluster role that collects',
    'POST',
    clusterRoles,
    { metadata: { name: 'side-all' }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { side: 'yes' } }] } },
  ],
  ['a cluster role that collects nothing', 'POST', clusterRoles, { metadata: { name: 'side-x' }, aggregationRule: {} }],
  [
    'a cluster role with a bad selector',
    'POST',
    clusterRoles,
    {
      metadata: { name: 'side-x' },
      aggregationRule: {
        clusterRoleSelectors: [
          {
            matchExpressions: [
              { key: '-a', operator: 'In' },
              { key: 'a', operator: 'Foo' },
            ],
          },
        ],
      },
    },
  ],
  ['a binding', 'POST', `${bindings}?fieldManager=maker`, binding('jane', 'Role', 'reader', user('jane'))],
  [
    'a binding of a service account',
    'POST',
    bindings,
    binding(
      'bot',
      'Role',
      'reader',
      { kind: 'ServiceAccount', name: 'bot', namespace: 'side' },
      { kind: 'Group', name: 'devs' },
    ),
  ],
  ['a binding to nothing', 'POST', bindings, binding('nothing', 'Role', 'nothing', user('jane'))],
  [
    'a binding of wrong kinds',
    'POST',
    bindings,
    {
      metadata: { name: 'wrong' },
      roleRef: { kind: 'Foo', name: '' },
      subjects: [
        { kind: 'Dog', name: '' },
        { kind: 'User', name: 'a', apiGroup: 'x' },
        { kind: 'ServiceAccount', name: 'A_', apiGroup: 'x' },
      ],
    },
  ],
  ['a binding without a role', 'POST', bindings, { metadata: { name: 'wrong' } }],
  [
    'a binding without subjects',
    'POST',
    bindings,
    { metadata: { name: 'alone' }, roleRef: { kind: 'Role', name: 'reader' } },
  ],
  ['a binding that changes its role', 'PATCH', `${bindings}/jane`, { roleRef: { name: 'other' } }, merge],
  [
    'a binding with another subject',
    'PATCH',
    `${bindings}/jane?fieldManager=m`,
    { subjects: [user('jane'), user('joe')] },
    merge,
  ],
  ['bindings as a table', 'GET', `${bindings}`, undefined, table],
  ['a cluster binding of a role', 'POST', clusterBindings, binding('side-x', 'Role', 'reader')],
  [
    'a cluster binding of an account of no namespace',
    'POST',
    clusterBindings,
    binding('side-x', 'ClusterRole', 'view', { kind: 'ServiceAccount', name: 'bot' }),
  ],
  ['a cluster binding', 'POST', clusterBindings, binding('side-paths', 'ClusterRole', 'side-paths', user('jane'))],
  ['what jane may do now', 'GET', `${configMaps}?labelSelector=none%3Dnone`, undefined, asJane],
  ['what jane may not do now', 'DELETE', `${configMaps}/x`, undefined, asJane],
  ['what jane may not do with secrets', 'POST', '/api/v1/namespaces/side/secrets', { metadata: { name: 'x' } }, asJane],
  ['a path that jane may get', 'GET', '/logs/none', undefined, asJane],
  ['what a bot may do', 'GET', `${configMaps}?labelSelector=none%3Dnone`, undefined, asBot],
  ['what a bot may not do', 'GET', '/api/v1/namespaces/default/configmaps', undefined, asBot],
  ['who may not impersonate', 'GET', configMaps, undefined, { ...asJane, 'impersonate-user': '' }],
  [
    'what jane may do with configmaps',
    'POST',
    `${reviews}/selfsubjectaccessreviews`,
    mayDo('list', 'configmaps'),
    asJane,
  ],
  ['what jane may do with pods', 'POST', `${reviews}/selfsubjectaccessreviews`, mayDo('list', 'pods'), asJane],
  [
    'what jane may do with a path',
    'POST',
    `${reviews}/selfsubjectaccessreviews`,
    { spec: { nonResourceAttributes: { verb: 'get', path: '/logs/a' } } },
    asJane,
  ],
  [
    'what joe may do',
    'POST',
    `${reviews}/subjectaccessreviews`,
    { spec: { user: 'joe', ...mayDo('get', 'configmaps').spec } },
  ],
  [
    'what a group may do',
    'POST',
    `${reviews}/subjectaccessreviews`,
    { spec: { groups: ['devs'], ...mayDo('get', 'secrets').spec } },
  ],
  [
    'what masters may do',
    'POST',
    `${reviews}/subjectaccessreviews`,
    { spec: { user: 'x', groups: ['system:masters'], ...mayDo('get', 'secrets').spec } },
  ],
  ['what nobody may do', 'POST', `${reviews}/subjectaccessreviews`, mayDo('get', 'secrets')],
  [
    'what a stranger may not ask',
    'POST',
    `${reviews}/subjectaccessreviews`,
    { spec: { user: 'joe', ...mayDo('get', 'secrets').spec } },
    asJane,
  ],
  [
    'two questions at once',
    'POST',
    `${reviews}/subjectaccessreviews`,
    { spec: { user: 'x', ...mayDo('get', 'x').spec, nonResourceAttributes: { path: '/' } } },
  ],
  [
    'a local question',
    'POST',
    `${reviews}/namespaces/side/localsubjectaccessreviews`,
    { spec: { user: 'joe', ...mayDo('get', 'configmaps').spec } },
  ],
  [
    'a local question about elsewhere',
    'POST',
    `${reviews}/namespaces/side/localsubjectaccessreviews`,
    { spec: { user: 'joe', ...mayDo('get', 'x', { namespace: 'other' }).spec } },
  ],
  [
    'a local question about a path',
    'POST',
    `${reviews}/namespaces/side/localsubjectaccessreviews`,
    { spec: { user: 'joe', nonResourceAttributes: { path: '/' } } },
  ],
  ['questions listed', 'GET', `${reviews}/selfsubjectaccessreviews`],
  ['a question put', 'PUT', `${reviews}/selfsubjectaccessreviews/x`, {}],
  ['rules of no namespace', 'POST', `${reviews}/selfsubjectrulesreviews`, { spec: {} }],
  ['who one is', 'POST', `${authentication}/selfsubjectreviews`, {}, asJane],
  ['who a bot is', 'POST', `${authentication}/selfsubjectreviews`, {}, asBot],
  ['a stranger asks for tokens', 'POST', `${authentication}/tokenreviews`, { spec: { token: 'x' } }, asJane],
  ['a token that is none', 'POST', `${authentication}/tokenreviews`, { spec: { token: 'x' } }],
  ['no token', 'POST', `${authentication}/tokenreviews`, { spec: {} }],
  ['an account for tokens', 'POST', accounts, { metadata: { name: 'bot' } }],
  ['a token', 'POST', `${accounts}/bot/token`, { spec: {} }],
  ['a token for others', 'POST', `${accounts}/bot/token`, { spec: { audiences: ['a', 'b'], expirationSeconds: 1200 } }],
  ['too short a token', 'POST', `${accounts}/bot/token`, { spec: { expirationSeconds: 599 } }],
  [
    'a token bound to what is not there',
    'POST',
    `${accounts}/bot/token`,
    { spec: { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: 'nope' } } },
  ],
  [
    'a token bound to what cannot be',
    'POST',
    `${accounts}/bot/token`,
    { spec: { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'nope' } } },
  ],
  ['a token of nobody', 'POST', `${accounts}/nobody/token`, {}],
  ['a token read', 'GET', `${accounts}/bot/token`],
  ['a stranger makes a token', 'POST', `${accounts}/bot/token`, {}, asJane],
  // Who may write roles, and hold little himself.
  [
    'a manager of roles',
    'POST',
    clusterRoles,
    role(
      'side-manager',
      rule('get create update patch', 'roles rolebindings', 'rbac.authorization.k8s.io'),
      rule('get', 'configmaps'),
    ),
  ],
  ['a manager bound', 'POST', bindings, binding('manager', 'ClusterRole', 'side-manager', user('max'))],
  ...escalations(),
]

function escalations(): readonly Row[] {
  const asMax = { 'impersonate-user': 'max', 'impersonate-group': 'team' }
  const patching = { ...asMax, ...merge }
  return [
    ['max grants what he has', 'POST', roles, role('less', rule('get', 'configmaps')), asMax],
    ['max grants more', 'POST', roles, role('more', rule('get delete', 'configmaps secrets')), asMax],
    [
      'max grants more of several groups',
      'POST',
      roles,
      role('more', { ...rule('get list', 'configmaps pods'), apiGroups: ['', 'apps'] }),
      asMax,
    ],
    [
      'max grants one object',
      'POST',
      roles,
      role('one', rule('get delete', 'configmaps', '', { resourceNames: ['a', 'b'] })),
      asMax,
    ],
    ['max grants everything', 'POST', roles, role('all', rule('*', '*', '*')), asMax],
    ['max extends a role', 'PATCH', `${roles}/less`, { rules: [rule('*', 'configmaps')] }, patching],
    ['max labels a role', 'PATCH', `${roles}/less?fieldManager=m`, { metadata: { labels: { a: 'b' } } }, patching],
    ['max holds a role', 'PATCH', `${roles}/reader`, { metadata: { labels: { a: 'c' } } }, patching],
    [
      'max binds a greater role',
      'POST',
      bindings,
      binding('greater', 'ClusterRole', 'cluster-admin', user('max')),
      asMax,
    ],
    ['max binds what is not there', 'POST', bindings, binding('void', 'ClusterRole', 'nowhere', user('max')), asMax],
    ['max binds what he has', 'POST', bindings, binding('equal', 'Role', 'less', user('joe')), asMax],
    [
      'max applies a role',
      'PATCH',
      `${roles}/new?fieldManager=m`,
      { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', ...role('new', rule('get', 'configmaps')) },
      { ...asMax, ...apply },
    ],
    [
      'max may not patch what he may not create',
      'PATCH',
      `${configMaps}/new?fieldManager=m`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
      { ...asMax, ...apply },
    ],
    ['one who may patch', 'POST', clusterRoles, role('side-patcher', rule('patch', 'configmaps'))],
    [
      'one who may patch, bound',
      'POST',
      clusterBindings,
      binding('side-patcher', 'ClusterRole', 'side-patcher', user('max')),
    ],
    [
      'max creates by applying',
      'PATCH',
      `${configMaps}/new?fieldManager=m`,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } },
      { ...asMax, ...apply },
    ],
  ]
}

export const roleConversation: readonly Exchange[] = rows.map(([title, method, path, body, headers]) => ({
  title: `roles: ${title}`,
  method,
  path,
  ...(body !== undefined && { body }),
  ...(headers && { headers: headers as Readonly<Record<string, string>> }),
}))
