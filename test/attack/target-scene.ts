import assert from 'node:assert/strict'
import { ownerOf } from '../bed/fleet-objects.ts'
import type { ApiClient } from './api-client.ts'
import { type AttackWorld, accessTo, tokenFor } from './world.ts'

const roles = '/apis/rbac.authorization.k8s.io/v1'
const roleName = 'namespace-makers'
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: roleName }
const team = { kind: 'ServiceAccount', name: 'platform', namespace: 'mallory' }

/** A caller who may write Namespaces, and beyond that what is in the namespace `mallory`. */
export const platformTeam = async ({ hub, admin }: AttackWorld): Promise<ApiClient> => {
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: team.name, namespace: team.namespace } }
  if ((await admin.request('POST', '/api/v1/namespaces/mallory/serviceaccounts', account)).status === 201) {
    const rules = [{ apiGroups: [''], resources: ['namespaces', 'namespaces/*'], verbs: ['*'] }]
    const version = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: roleName } }
    const role = { ...version, kind: 'ClusterRole', rules }
    const binding = { ...version, kind: 'ClusterRoleBinding', roleRef, subjects: [team] }
    assert.equal((await admin.request('POST', `${roles}/clusterroles`, role)).status, 201)
    assert.equal((await admin.request('POST', `${roles}/clusterrolebindings`, binding)).status, 201)
    await hub.apply(ownerOf(team.namespace, team.name))
  }
  return admin.withToken(await tokenFor(admin, team.namespace, team.name))
}

/** A Namespace that the team makes, and that is the attacker's. */
export const teamNamespace = async (
  world: AttackWorld,
  name: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations } }
  const { status, body } = await (await platformTeam(world)).request('POST', '/api/v1/namespaces', namespace)
  assert.equal(status, 201, JSON.stringify(body))
  for (const [account, home] of [
    ['attacker', 'mallory'],
    ['default', name],
  ]) {
    const binding = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: `owner-${account}`, namespace: name },
      roleRef: { ...roleRef, name: 'cluster-admin' },
      subjects: [{ kind: 'ServiceAccount', name: account, namespace: home }],
    }
    const bound = await world.admin.request('POST', `${roles}/namespaces/${name}/rolebindings`, binding)
    assert.equal(bound.status, 201, JSON.stringify(bound.body))
  }
}

/** `own`, the kubeconfig of a cluster where the attacker may do what its token allows: the hub itself, seen from outside. */
export const useOwnCluster = async ({ hub, admin, mallory }: AttackWorld): Promise<void> => {
  const value = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'own',
    contexts: [{ name: 'own', context: { cluster: 'own', user: 'own' } }],
    clusters: [{ name: 'own', cluster: { server: hub.server, 'certificate-authority-data': accessTo(hub).authority } }],
    users: [{ name: 'own', user: { token: await tokenFor(admin, 'mallory', 'attacker') } }],
  })
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'own', namespace: 'mallory' },
    stringData: { value },
  }
  const { status, body } = await mallory.request('POST', '/api/v1/namespaces/mallory/secrets', secret)
  assert.ok([201, 409].includes(status), JSON.stringify(body))
}
