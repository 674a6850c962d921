/** A tenant's Kustomization acts on the hub as his ServiceAccount, and does there what roles allow it, and no more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { endWithTest } from '../bed/teardown.ts'

interface Reported {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message: string }[]
  }
}

test('a Kustomization under a ServiceAccount is refused what no role allows, and applies once one does', async () => {
  const settings =
    '{ apiVersion: v1, kind: ConfigMap, metadata: { name: settings, namespace: team }, data: { a: b } }\n'
  const binding = `apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: escape, namespace: team }
roleRef: { kind: ClusterRole, name: cluster-admin }
subjects: [{ kind: ServiceAccount, name: deployer, namespace: team }]
`
  const repo = endWithTest(await startGitRepo({ 'apps/settings.yaml': settings, 'escape/binding.yaml': binding }))
  const server = await hub()
  await server.kubectl('create', 'namespace', 'team')
  await server.kubectl('create', 'serviceaccount', 'deployer', '-n', 'team')
  const kustomization = (name: string) => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: ${name}, namespace: team }
spec:
  { sourceRef: { kind: GitRepository, name: site }, path: ./${name}, prune: true, interval: 1h, retryInterval: 1s, serviceAccountName: deployer }
`
  await server.apply(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: { name: site, namespace: team }
spec: { url: ${repo.url}, ref: { branch: main }, interval: 1h }
---${kustomization('apps')}---${kustomization('escape')}`)
  const ready = async (name: string) => {
    const { status } = await server.get<Reported>('ks', name, '-n', 'team')
    return status?.conditions?.find(({ type }) => type === 'Ready')
  }
  const says = (name: string, status: string, message: RegExp) =>
    eventually(async () => {
      const condition = await ready(name)
      assert.equal(condition?.status, status, condition?.message)
      assert.match(condition?.message ?? '', message)
    })
  await says('apps', 'False', /User "system:serviceaccount:team:deployer" cannot patch resource "configmaps"/)
  await server.kubectl(
    'create',
    'rolebinding',
    'deployer',
    '-n',
    'team',
    '--clusterrole=admin',
    '--serviceaccount=team:deployer',
  )
  await says('apps', 'True', /^Applied revision/)
  assert.equal(await server.kubectl('get', 'configmap', 'settings', '-n', 'team', '-o', 'jsonpath={.data.a}'), 'b')
  // He may write bindings now, but none that gives more than he has.
  await says('escape', 'False', /attempting to grant RBAC permissions not currently held/)
})
