import assert from 'node:assert/strict'
import { adminOf, readyOf } from '../../attack/world.ts'
import { ending } from '../../bed/command.ts'
import { eventually } from '../../bed/eventually.ts'
import { kubeconfigSecret } from '../../bed/fleet-objects.ts'
import type { GitRepo } from '../../bed/git-repo.ts'
import type { Hub } from '../../bed/hub.ts'
import { program } from '../../bed/keelson-program.ts'
import type { Fault, Scene } from '../fault.ts'

const applied = '/api/v1/namespaces/default/configmaps/applied'

/** A namespace with a unit that applies to another hub, as a cluster, by a kubeconfig in the namespace. */
const unitElsewhere = async ({ hub: start, repo: serve }: Scene): Promise<{ hub: Hub; target: Hub; repo: GitRepo }> => {
  const [hub, target, repo] = await Promise.all([
    start(),
    start(),
    serve({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied, namespace: default}\n' }),
  ])
  const secret = kubeconfigSecret('target', target).replace('namespace: default', 'namespace: team')
  await hub.apply(`
apiVersion: v1
kind: Namespace
metadata: {name: team}
---${secret}
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: team}
spec: {url: '${repo.url}', ref: {branch: main}, interval: 1h}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: unit, namespace: team}
spec:
  interval: 1h
  prune: true
  path: ./
  sourceRef: {kind: GitRepository, name: app}
  kubeConfig: {secretRef: {name: target}}
`)
  const unit = '/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/team/kustomizations/unit'
  await eventually(async () => assert.equal((await readyOf(adminOf(hub), unit))?.status, 'True'))
  assert.equal((await adminOf(target).request('GET', applied)).status, 200)
  return { hub, target, repo }
}

const why = async (hub: Hub, ...args: string[]): Promise<string> => {
  const env = { PATH: process.env.PATH, KUBECONFIG: hub.kubeconfig }
  return (await ending(process.execPath, [program, 'why', ...args], { env })).stdout
}

const isGone = async (hub: Hub, path: string): Promise<boolean> =>
  (await adminOf(hub).request('GET', path)).status === 404

export const deletionFaults: readonly Fault[] = [
  {
    name: 'a namespace is deleted with a unit in it and the kubeconfig that the unit needs',
    quick: true,
    async play(scene) {
      const { hub, target } = await unitElsewhere(scene)
      await adminOf(hub).request('DELETE', '/api/v1/namespaces/team')
      await eventually(() => isGone(hub, '/api/v1/namespaces/team'))
      assert.ok(await isGone(target, applied), 'what the unit applied is left behind')
      return 'deleted what the unit had applied, then the unit, then the kubeconfig'
    },
  },
  {
    name: 'a namespace is deleted while the cluster of its unit is down',
    quick: true,
    async play(scene) {
      const { hub, target } = await unitElsewhere(scene)
      await target.stop()
      await adminOf(hub).request('DELETE', '/api/v1/namespaces/team')
      const told = await eventually(async () => {
        const text = await why(hub, 'kustomization/unit', '-n', 'team')
        return /reason +ClusterUnreachable/.test(text) ? text : null
      })
      assert.match(told, /is being deleted, since/)
      assert.match(told, /waits for +finalizers.fluxcd.io: what it has applied is deleted first/)
      assert.match(told, /connection refused/)
      assert.match(told, /deletionPolicy/)
      const ofNamespace = await why(hub, 'namespace/team')
      assert.match(ofNamespace, /because of +Kustomization\/team\/unit: keelson why kustomization\/unit -n team/)
      assert.equal((await adminOf(hub).request('GET', '/api/v1/namespaces/team/secrets/target')).status, 200)
      await target.start()
      await eventually(() => isGone(hub, '/api/v1/namespaces/team'), { within: 90_000 })
      assert.ok(await isGone(target, applied), 'what the unit applied is left behind')
      return 'kept the kubeconfig and said what it waits for; finished once the cluster was back'
    },
  },
]
