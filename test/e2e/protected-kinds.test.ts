/** What a Cluster protects is neither pruned nor recreated nor uninstalled; what it limits is not exceeded: on a real cluster. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Condition, KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { type GitRepo, gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'

const claim = (name: string, storage = '1Gi'): string =>
  `apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: ${name}, namespace: shop}\nspec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: ${storage}}}}\n`
const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: shop}\ndata: {value: "${value}"}\n`
const namespace = 'apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n'
const chart = (version: string): string => `apiVersion: v2\nname: app\nversion: ${version}\n`

const before = {
  'app/namespace.yaml': namespace,
  'app/data.yaml': claim('data'),
  'app/a.yaml': configMap('a', '1'),
  'app/b.yaml': configMap('b', '1'),
  'chart/Chart.yaml': chart('1.0.0'),
  'chart/templates/claim.yaml': claim('of-release'),
  'chart/templates/map.yaml': configMap('of-release', '1'),
}

const prod = (protect: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: prod, namespace: default}
spec: {interval: 1h, kubeConfig: {secretRef: {name: prod}}, protect: ${protect}, limits: {concurrentPasses: 1, concurrentRequests: 2}}
---`

const units = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, retryInterval: 1s, prune: true, path: ./app, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: release, namespace: default}
spec:
  interval: 1h
  targetNamespace: shop
  install: {createNamespace: true, disableWait: true} # no one binds the claim
  upgrade: {disableWait: true}
  uninstall: {disableWait: true}
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: app}}}
---`

interface Scene {
  readonly on: Hub
  readonly target: Cluster
  readonly repo: GitRepo
}

const scene = async (): Promise<Scene> => {
  const [target, on, repo] = await Promise.all([cluster(), hub({ flags: ['--prune-guard=off'] }), gitRepo(before)])
  await on.apply(
    kubeconfigSecret('prod', target) + prod('[{kind: PersistentVolumeClaim}]') + appRepository(repo) + units,
  )
  return { on, target, repo }
}

const conditionOf = async ({ on }: Scene, kind: string, name: string, type: string): Promise<Condition | undefined> => {
  const { status } = await on.get<KubernetesObject & { status?: { conditions?: readonly Condition[] } }>(kind, name)
  return status?.conditions?.find(condition => condition.type === type)
}

const says = (at: Scene, unit: readonly [string, string], type: string, pattern: RegExp): Promise<void> =>
  eventually(async () => {
    const { status, reason, message } = (await conditionOf(at, ...unit, type)) ?? {}
    assert.match(`${status} ${reason}: ${message}`, pattern)
  })

const kustomization = ['kustomization', 'app'] as const
const release = ['helmrelease', 'release'] as const

const push = async ({ on, repo }: Scene, changes: Readonly<Record<string, string | undefined>>): Promise<void> => {
  await repo.push({ ...before, ...changes } as Record<string, string>)
  await on.kubectl('annotate', '--overwrite', 'gitrepository/app', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
}

const namesOf = async ({ target }: Scene, kind: string): Promise<readonly string[]> =>
  (await target.kubectl('get', kind, '-n', 'shop', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ').sort()

const warningsOf = async ({ on }: Scene, reason: string): Promise<string> =>
  on.kubectl('get', 'events', '--field-selector', `reason=${reason}`, '-o', 'jsonpath={.items[*].message}')

const messages = ({ on }: Scene): Promise<string> => on.kubectl('get', 'events', '-o', 'jsonpath={.items[*].message}')

test('claims that leave the source stay, the rest goes, and the unit says who keeps them', async () => {
  const at = await scene()
  await says(at, kustomization, 'Ready', /^True/)
  await says(at, release, 'Ready', /^True/)

  await push(at, { 'app/data.yaml': '# gone\n', 'app/b.yaml': '# gone\n' })
  await says(
    at,
    kustomization,
    'Ready',
    /^False DeletionProtected: .*PersistentVolumeClaim\/shop\/data delete failed: Cluster default\/prod protects PersistentVolumeClaim: PersistentVolumeClaim\/shop\/data is not deleted/,
  )
  assert.deepEqual(await namesOf(at, 'pvc'), ['data', 'of-release'])
  assert.equal((await namesOf(at, 'configmap')).includes('b'), false)
  assert.match(await warningsOf(at, 'DeletionProtected'), /Cluster default\/prod protects PersistentVolumeClaim/)

  // A claim can't grow in place here: the cluster refuses the update, and force would recreate it.
  await push(at, { 'app/data.yaml': claim('data', '2Gi'), 'app/a.yaml': configMap('a', '2') })
  await at.on.kubectl('patch', 'kustomization', 'app', '--type=merge', '-p', '{"spec":{"force":true}}')
  await says(at, kustomization, 'Ready', /^False DeletionProtected: PersistentVolumeClaim\/shop\/data dry-run failed/)
  const value = await at.target.kubectl('get', 'configmap', 'a', '-n', 'shop', '-o', 'jsonpath={.data.value}')
  assert.equal(value, '1', 'nothing is applied of a build that would recreate it')

  await at.on.kubectl('delete', 'kustomization', 'app', '--wait=false')
  await eventually(async () => assert.match(await messages(at), /pruning for deleted resource failed/))
  await at.on.kubectl('patch', 'cluster', 'prod', '--type=merge', '-p', '{"spec":{"protect":null}}')
  await eventually(async () => assert.equal(await at.on.kubectl('get', 'kustomization', '-o', 'name'), ''))
  // No one lets go of the claim here, but it has been deleted.
  const deleted = ['get', 'pvc', 'data', '-n', 'shop', '-o', 'jsonpath={.metadata.deletionTimestamp}']
  assert.notEqual(await at.target.kubectl(...deleted), '')
})

test('an upgrade that would drop a claim changes nothing, and a release with one is not uninstalled', async () => {
  const at = await scene()
  await says(at, release, 'Ready', /^True/)
  await push(at, {
    'chart/Chart.yaml': chart('1.1.0'),
    'chart/templates/claim.yaml': '# gone\n',
    'chart/templates/map.yaml': configMap('of-release', '2'),
  })
  await says(
    at,
    release,
    'Released',
    /^False UpgradeFailed: .*unable to continue with update: Cluster default\/prod protects PersistentVolumeClaim: PersistentVolumeClaim\/shop\/of-release is not deleted/,
  )
  const theMap = ['get', 'configmap', 'of-release', '-n', 'shop', '-o', 'jsonpath={.data.value}']
  assert.equal(await at.target.kubectl(...theMap), '1')

  await at.on.kubectl('delete', 'helmrelease', 'release', '--wait=false')
  await eventually(async () => assert.match(await warningsOf(at, 'UninstallFailed'), /protects PersistentVolumeClaim/))
  assert.deepEqual((await namesOf(at, 'configmap')).includes('of-release'), true)
  await at.on.kubectl('patch', 'cluster', 'prod', '--type=merge', '-p', '{"spec":{"protect":null}}')
  await eventually(async () => assert.equal(await at.on.kubectl('get', 'helmrelease', '-o', 'name'), ''))
  await eventually(async () => assert.equal((await namesOf(at, 'configmap')).includes('of-release'), false))
})

test('a Namespace with a protected object in it stays, too', async () => {
  const at = await scene()
  await says(at, kustomization, 'Ready', /^True/)
  await says(at, release, 'Ready', /^True/)
  // What the unit itself protects is gone from its inventory: the Namespace has only the release's claim in it.
  await push(at, { 'app/data.yaml': '# gone\n' })
  await at.on.kubectl('delete', 'kustomization', 'app', '--wait=false')
  await eventually(async () => assert.match(await messages(at), /pruning for deleted resource failed/))
  assert.deepEqual(await namesOf(at, 'pvc'), ['data', 'of-release'])
})
