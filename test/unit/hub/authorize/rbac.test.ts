import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessWorld, clusterRole, jane, rbacRoot } from './world.ts'

const configMaps = '/api/v1/namespaces/default/configmaps'
const readers = [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }]

test('refuses what no role allows, in the words of Kubernetes', async () => {
  const { told } = await accessWorld()
  assert.equal(
    await told('GET', configMaps),
    '403 configmaps is forbidden: User "jane" cannot list resource "configmaps" in API group "" in the namespace "default"',
  )
  assert.equal(await told('GET', '/metrics'), '403 forbidden: User "jane" cannot get path "/metrics"')
  assert.equal(await told('GET', '/apis'), '200')
})

test('allows what a role in the namespace allows, from the moment it is bound until it is not', async () => {
  const { told, given } = await accessWorld()
  await given('RoleBinding', 'jane', { roleRef: { kind: 'Role', name: 'reader' }, subjects: [jane] }, 'default')
  assert.match(await told('GET', configMaps), /: RBAC: role\.rbac\.authorization\.k8s\.io "reader" not found$/)
  await given('Role', 'reader', { rules: readers }, 'default')
  assert.equal(await told('GET', configMaps), '200')
  assert.match(await told('GET', '/api/v1/configmaps'), /^403 .* at the cluster scope$/)
  assert.match(await told('GET', '/api/v1/namespaces/kube-system/configmaps'), /^403/)
  assert.match(await told('GET', `${configMaps}?watch=1`), /^403 .*cannot watch resource/)
})

test('allows groups and service accounts, and a cluster role in one namespace only', async () => {
  const { access, given } = await accessWorld()
  await given('ClusterRole', 'reader', { rules: readers })
  await given(
    'RoleBinding',
    'devs',
    { roleRef: clusterRole('reader'), subjects: [{ kind: 'Group', name: 'devs' }] },
    'default',
  )
  const account = { kind: 'ServiceAccount', name: 'bot', namespace: 'default' }
  await given('ClusterRoleBinding', 'bot', { roleRef: clusterRole('reader'), subjects: [account] })
  const ask = (name: string, groups: string[], namespace: string) =>
    access.authorizer.authorize({
      user: { name, groups },
      verb: 'get',
      path: '',
      resource: { group: '', version: 'v1', resource: 'configmaps', subresource: '', namespace, name: 'x' },
    })
  assert.deepEqual(await ask('joe', ['devs'], 'default'), {
    allowed: true,
    reason: 'RBAC: allowed by RoleBinding "devs/default" of ClusterRole "reader" to Group "devs"',
  })
  assert.deepEqual(await ask('joe', ['devs'], 'other'), { allowed: false })
  assert.deepEqual(await ask('system:serviceaccount:default:bot', [], 'other'), {
    allowed: true,
    reason: 'RBAC: allowed by ClusterRoleBinding "bot" of ClusterRole "reader" to ServiceAccount "bot/default"',
  })
  assert.deepEqual(await ask('system:serviceaccount:default:bot2', [], 'other'), { allowed: false })
})

test('server-side apply creates only for those who may create', async () => {
  const { told, given } = await accessWorld()
  const rules = [{ verbs: ['patch', 'get'], apiGroups: [''], resources: ['configmaps'] }]
  await given('ClusterRole', 'patcher', { rules })
  await given('ClusterRoleBinding', 'patcher', { roleRef: clusterRole('patcher'), subjects: [jane] })
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'new' } }
  const type = 'application/apply-patch+yaml'
  assert.match(
    await told('PATCH', `${configMaps}/new?fieldManager=x`, { body, type }),
    /^403 configmaps "new" is forbidden/,
  )
  assert.match(await told('GET', `${configMaps}/new`), /^404/)
})

test('nobody grants what he has not, unless he may escalate or bind', async () => {
  const { told, given } = await accessWorld()
  const roles = `${rbacRoot}/namespaces/default/roles`
  const bindings = `${rbacRoot}/namespaces/default/rolebindings`
  const managing = (...verbs: string[]) => [
    { verbs, apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'] },
    ...readers,
  ]
  await given('Role', 'manager', { rules: managing('get', 'create', 'update', 'patch') }, 'default')
  await given('RoleBinding', 'jane', { roleRef: { kind: 'Role', name: 'manager' }, subjects: [jane] }, 'default')
  const role = (name: string, verbs: string[]) => ({
    body: { metadata: { name }, rules: [{ verbs, apiGroups: [''], resources: ['configmaps', 'secrets'] }] },
  })
  assert.equal(
    await told('POST', roles, role('more', ['get', 'delete'])),
    `403 roles.rbac.authorization.k8s.io "more" is forbidden: user "jane" (groups=["devs" "system:authenticated"]) is attempting to grant RBAC permissions not currently held:
{APIGroups:[""], Resources:["configmaps"], Verbs:["delete"]}
{APIGroups:[""], Resources:["secrets"], Verbs:["get" "delete"]}`,
  )
  assert.equal(await told('POST', roles, { body: { metadata: { name: 'less' }, rules: readers } }), '201')
  const type = 'application/merge-patch+json'
  const more = { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }
  assert.match(await told('PATCH', `${roles}/less`, { type, body: more }), /^403 .*not currently held/)
  assert.equal(await told('PATCH', `${roles}/less`, { type, body: { metadata: { finalizers: ['a.b/c'] } } }), '200')
  const bind = (name: string, to: string) => ({
    body: { metadata: { name }, roleRef: clusterRole(to), subjects: [jane] },
  })
  assert.match(
    await told('POST', bindings, bind('admin', 'cluster-admin')),
    /^403 rolebindings.* "admin" is forbidden: .*not currently held/,
  )
  assert.equal(
    await told('POST', bindings, bind('nothing', 'nothing')),
    '404 rolebindings.rbac.authorization.k8s.io "nothing" not found',
  )
  await given('ClusterRole', 'binder', {
    rules: [
      {
        verbs: ['bind'],
        apiGroups: ['rbac.authorization.k8s.io'],
        resources: ['clusterroles'],
        resourceNames: ['view'],
      },
    ],
  })
  await given('RoleBinding', 'binder', { roleRef: clusterRole('binder'), subjects: [jane] }, 'default')
  assert.equal(await told('POST', bindings, bind('view', 'view')), '201')
  assert.match(await told('POST', bindings, bind('edit', 'edit')), /^403/)
  await given('RoleBinding', 'great', { roleRef: clusterRole('cluster-admin'), subjects: [] }, 'default')
  assert.equal(await told('PATCH', `${bindings}/great`, { type, body: { metadata: { finalizers: ['a.b/c'] } } }), '200')
  assert.match(await told('PATCH', `${bindings}/great`, { type, body: { subjects: [jane] } }), /^403/)
})

test('collects rules of other roles, at once for the judge and soon for the reader', async () => {
  const { access, given, told, stored } = await accessWorld()
  await given('RoleBinding', 'jane', { roleRef: clusterRole('view'), subjects: [jane] }, 'default')
  const things = '/apis/example.com/v1/namespaces/default/things'
  assert.match(await told('GET', things), /^403/)
  const rule = { verbs: ['list'], apiGroups: ['example.com'], resources: ['things'] }
  await given('ClusterRole', 'z', {
    metadata: { name: 'z', labels: { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' } },
    rules: [rule],
  })
  assert.match(await told('GET', things), /^404/, 'it is not served, but she may ask for it')
  await access.settled()
  for (const name of ['view', 'edit', 'admin']) {
    const { rules } = (await stored('ClusterRole', name)) as unknown as { rules: unknown[] }
    assert.deepEqual(rules.filter(one => JSON.stringify(one).includes('things')).length, 1, name)
  }
})

test('sees what another process wrote when its knowledge has aged', async () => {
  const { clock, given, told } = await accessWorld(5_000)
  assert.match(await told('GET', configMaps), /^403/)
  await given('ClusterRole', 'reader', { rules: readers })
  await given('ClusterRoleBinding', 'jane', { roleRef: clusterRole('reader'), subjects: [jane] })
  assert.match(await told('GET', configMaps), /^403/)
  await clock.advance(5_000)
  assert.equal(await told('GET', configMaps), '200')
})
