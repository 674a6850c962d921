import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessWorld, clusterRole, jane } from './world.ts'

const namespace = (name: string, annotations: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, annotations },
})
const targeted = (target: string, more = {}) => ({ 'keelson.dev/target': target, ...more })

/** Jane may write Namespaces, and read Secrets of her own one. */
const world = async () => {
  const it = await accessWorld()
  const rules = [{ verbs: ['*'], apiGroups: [''], resources: ['namespaces'] }]
  await it.given('ClusterRole', 'namespaces', { rules })
  await it.given('ClusterRoleBinding', 'jane', { roleRef: clusterRole('namespaces'), subjects: [jane] })
  const readers = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }]
  await it.given('Role', 'reader', { rules: readers }, 'default')
  await it.given('RoleBinding', 'jane', { roleRef: { kind: 'Role', name: 'reader' }, subjects: [jane] }, 'default')
  return it
}

test('a user who may get a kubeconfig may set it as the target of a Namespace', async () => {
  const { told } = await world()
  const make = (name: string, annotations: Readonly<Record<string, string>>) =>
    told('POST', '/api/v1/namespaces', { body: namespace(name, annotations) })
  assert.equal(await make('plain', {}), '201')
  assert.equal(await make('own', targeted('default/prod')), '201')
  assert.match(await make('theirs', targeted('kube-system/prod')), /^403 .*may not get Secret\/kube-system\/prod/)
  assert.match(await make('theirs', targeted('ConfigMap/default/prod')), /^403 .*may not get ConfigMap\/default\/prod/)
})

test('nor is it given to one that is there, by any way of writing', async () => {
  const { told } = await world()
  assert.equal(await told('POST', '/api/v1/namespaces', { body: namespace('shop', {}) }), '201')
  const path = '/api/v1/namespaces/shop'
  const merge = { type: 'application/merge-patch+json' }
  const apply = { type: 'application/apply-patch+yaml' }
  const body = namespace('shop', targeted('kube-system/prod'))
  assert.match(await told('PATCH', path, { ...merge, body: { metadata: body.metadata } }), /^403 .*may not get/)
  assert.match(await told('PATCH', `${path}?fieldManager=x`, { ...apply, body }), /^403 .*may not get/)
  assert.equal(await told('PATCH', path, { ...merge, body: { metadata: { labels: { a: 'b' } } } }), '200')
})

test('a target that nobody could follow is refused', async () => {
  const { told } = await world()
  const make = (annotations: Readonly<Record<string, string>>) =>
    told('POST', '/api/v1/namespaces', { body: namespace('prod-apps', annotations) })
  assert.match(await make(targeted('not a name')), /^422 .*is not \[KIND\/\]\[NAMESPACE\/\]NAME/)
  assert.match(
    await make(targeted('default/prod', { 'keelson.dev/target-namespace': 'web' })),
    /^422 .*must end with 'web'/,
  )
})
