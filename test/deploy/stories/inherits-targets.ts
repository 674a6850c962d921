import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import type { KubectlAccess } from '../../bed/kubectl.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { readyOf, type WithConditions } from '../fleet.ts'

const branch = 'edge'
/** What the cluster calls `flux-system` is this on the hub, `web` is `edge-web`. */
const home = 'edge-flux-system'

const namespace = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`
const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: web}\ndata: {value: "${value}"}\n`

const kustomization = (name: string, inNamespace: string, path: string, more = '{}'): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${inNamespace}}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: flux-system, namespace: ${inNamespace === home ? home : 'flux-system'}}
  postBuild: ${more}
`

/** No Kustomization, ResourceSet or HelmRelease of it names a cluster. */
const repository = {
  'clusters/edge/namespaces.yaml': `${namespace('flux-system')}---\n${namespace('web')}`,
  'clusters/edge/facts.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: {name: facts, namespace: flux-system}\nstringData: {REGION: north}\n',
  'clusters/edge/apps.yaml': kustomization(
    'apps',
    'flux-system',
    './apps',
    '{substituteFrom: [{kind: Secret, name: facts}]}',
  ),
  'clusters/edge/teams.yaml': `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: teams, namespace: flux-system}
spec:
  inputs: [{team: blue}]
  resourcesTemplate: |${kustomization('<< inputs.team >>', 'web', './teams/<< inputs.team >>').replaceAll('\n', '\n    ')}
`,
  'clusters/edge/release.yaml': `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: shop, namespace: web}
spec:
  interval: 1h
  chart: {spec: {chart: ./charts/app, sourceRef: {kind: GitRepository, name: flux-system, namespace: flux-system}}}
`,
  'apps/app.yaml': configMap('app', '${REGION}'),
  'teams/blue/team.yaml': configMap('team', 'blue'),
}

/** Everything that a fleet asks of the functions: each of them finds the target by itself, with the rights that the stack gives it. */
export function inheritsTargets({ admin, target, charts }: DeployedHub): void {
  const onCluster = (name: string, field = 'value') =>
    target.kubectl('-n', 'web', 'get', 'configmap', name, '--ignore-not-found', '-o', `jsonpath={.data.${field}}`)
  const valuesOnCluster = async () => [
    await onCluster('app'),
    await onCluster('team'),
    await onCluster('shop-settings', 'greeting'),
  ]
  /** In the fleet's own namespaces, and those of the cluster's names: other stories may have objects of the same names elsewhere. */
  const namesOnHub = async (kinds: string): Promise<string> => {
    const names = [home, 'edge-web', 'flux-system', 'web'].map(each =>
      admin.kubectl('get', kinds, '-n', each, '-o', 'name'),
    )
    return (await Promise.all(names)).join('')
  }
  const become = (...values: readonly string[]) =>
    eventually(async () => assert.deepEqual(await valuesOnCluster(), values, await standing(admin)), patient)

  describe('inherits targets', inOrder, () => {
    test('a cluster that is named once is where all applies that the root builds, and Flux objects stay on the hub', async () => {
      await charts.push(repository, { branch })
      await admin.apply(`
apiVersion: v1
kind: Namespace
metadata:
  name: ${home}
  annotations: {keelson.dev/target: default/target, keelson.dev/target-namespace: flux-system}
---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: ${home}}
spec: {interval: 1h, url: '${charts.url}', ref: {branch: ${branch}}}
---${kustomization('root', home, './clusters/edge')}`)
      await become('north', 'blue', 'hello')
      for (const [kind, name, inNamespace] of [
        ['kustomization', 'root', home],
        ['kustomization', 'apps', home],
        ['resourceset', 'teams', home],
        ['kustomization', 'blue', 'edge-web'],
        ['helmrelease', 'shop', 'edge-web'],
      ] as const)
        await eventually(async () => {
          const object = await admin.get<WithConditions>(kind, name, '-n', inNamespace)
          assert.match(readyOf(object), /^True /, `${kind}/${inNamespace}/${name}`)
        }, patient)
      assert.doesNotMatch(await target.kubectl('api-resources', '-o', 'name'), /fluxcd|keelson/)
      assert.doesNotMatch(await namesOnHub('configmaps'), /\/(app|team|shop-settings)$/m)
    })

    test('what a child reads is on the cluster and, as a copy, sealed, on the hub', async () => {
      const there = await target.get<KubernetesObject>('secret', 'facts', '-n', 'flux-system')
      const copy = await admin.get<KubernetesObject>('secret', 'facts', '-n', home)
      assert.deepEqual(copy.data, there.data)
      assert.ok(copy.metadata.annotations?.['keelson.dev/copied-from'])
    })

    test('tree names the cluster that each object inherits', async () => {
      const asked = ['tree', 'kustomization', 'root', '-n', home, '--kubeconfig', admin.kubeconfig]
      const tree = await admin.keelson(...asked)
      for (const object of [`${home}/root`, `${home}/apps`, 'edge-web/blue'])
        assert.match(tree, new RegExp(`Kustomization/${object} +\\(ready; Secret default/target, by Namespace`), tree)
    })

    test('a push reaches it through the children, and what git drops goes from the cluster and the hub', async () => {
      const changes = { 'apps/app.yaml': configMap('app', '${REGION}-2'), 'clusters/edge/release.yaml': null }
      await charts.push(changes, { branch })
      await request(admin, 'gitrepository/flux-system')
      await become('north-2', 'blue', '')
      await eventually(async () => assert.equal(await namesOnHub('helmreleases'), ''), patient)
    })

    test('with the root goes all that it has built, and the copies that nothing refers to any more', async () => {
      await admin.kubectl('delete', 'kustomization', 'root', '-n', home, '--timeout=2m')
      await become('', '', '')
      await eventually(async () => {
        assert.equal(await namesOnHub('kustomizations,resourcesets,helmreleases'), '', await standing(admin))
        assert.doesNotMatch(await namesOnHub('secrets'), /facts/)
      }, patient)
      const { metadata } = await admin.get<KubernetesObject>('secret', 'target')
      assert.equal(metadata.deletionTimestamp, undefined, "what is nobody else's stays")
    })
  })
}

/** What the objects of the fleet say of themselves, for failures. */
const standing = (admin: KubectlAccess): Promise<string> =>
  admin.kubectl('get', 'gitrepositories,kustomizations,resourcesets,helmreleases', '-A')

const request = (admin: KubectlAccess, object: string): Promise<string> =>
  admin.kubectl('annotate', '--overwrite', object, '-n', home, `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
