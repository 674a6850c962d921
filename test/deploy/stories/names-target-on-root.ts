import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { readyOf } from '../fleet.ts'

const branch = 'single'
const annotation = 'keelson.dev/target'

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: single-web}\ndata: {value: "${value}"}\n`

const kustomization = (name: string, namespace: string, path: string, more = '', annotations = '{}'): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}, annotations: ${annotations}}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: single, namespace: default}
${more}`

/** No object of it names a cluster. */
const repository = {
  'clusters/single/namespace.yaml': 'apiVersion: v1\nkind: Namespace\nmetadata: {name: single-web}\n',
  'clusters/single/facts.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata: {name: single-facts, namespace: default}\nstringData: {REGION: south}\n',
  'clusters/single/apps.yaml': kustomization(
    'single-apps',
    'default',
    './single/apps',
    '  postBuild: {substituteFrom: [{kind: Secret, name: single-facts}]}\n',
  ),
  'clusters/single/teams.yaml': `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: single-teams, namespace: default}
spec:
  inputs: [{team: violet}]
  resourcesTemplate: |${kustomization('<< inputs.team >>', 'single-web', './single/<< inputs.team >>').replaceAll('\n', '\n    ')}
`,
  'single/apps/app.yaml': configMap('app', '${REGION}'),
  'single/violet/team.yaml': configMap('team', 'violet'),
}

/** The target is in an annotation of the root, a Secret of its namespace: what is beside it inherits by annotations, what is elsewhere by its Namespace. */
export function namesTargetOnRoot({ admin, target, charts }: DeployedHub): void {
  const valueOnCluster = (name: string) =>
    target.kubectl('-n', 'single-web', 'get', 'configmap', name, '--ignore-not-found', '-o', 'jsonpath={.data.value}')
  const become = (...values: readonly string[]) =>
    eventually(
      async () => assert.deepEqual([await valueOnCluster('app'), await valueOnCluster('team')], values),
      patient,
    )

  describe('names the target on the root', inOrder, () => {
    test('all that the root builds applies to its cluster, and Flux objects stay on the hub', async () => {
      await charts.push(repository, { branch })
      await admin.apply(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: single, namespace: default}
spec: {interval: 1h, url: '${charts.url}', ref: {branch: ${branch}}}
---${kustomization('single-root', 'default', './clusters/single', '', `{${annotation}: target}`)}`)
      await become('south', 'violet')
      for (const [name, namespace] of [
        ['single-root', 'default'],
        ['single-apps', 'default'],
        ['violet', 'single-web'],
      ] as const)
        await eventually(async () => {
          const object = await admin.get<Kustomization>('kustomization', name, '-n', namespace)
          assert.match(readyOf(object), /^True /, `${namespace}/${name}`)
        }, patient)
      const beside = await admin.get<KubernetesObject>('kustomization', 'single-apps')
      assert.equal(beside.metadata.annotations?.[annotation], 'target')
      const elsewhere = await admin.get<KubernetesObject>('namespace', 'single-web')
      assert.equal(elsewhere.metadata.annotations?.[annotation], 'Secret/default/target')
      assert.equal(await admin.kubectl('get', 'configmaps', '-n', 'single-web', '-o', 'name'), '')
      assert.doesNotMatch(await target.kubectl('api-resources', '-o', 'name'), /fluxcd|keelson/)
    })

    test('with the root goes all that it has built, and the copy that nothing refers to any more', async () => {
      await admin.kubectl('delete', 'kustomization', 'single-root', '--timeout=2m')
      await become('', '')
      const namesIn = (namespace: string, kinds: string) => admin.kubectl('get', kinds, '-n', namespace, '-o', 'name')
      await eventually(async () => {
        assert.equal(await namesIn('single-web', 'kustomizations'), '')
        assert.doesNotMatch(await namesIn('default', 'kustomizations,resourcesets,secrets'), /\/single-/)
      }, patient)
      assert.match(await namesIn('default', 'secrets'), /\/target$/m)
    })
  })
}
