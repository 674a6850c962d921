/** The cluster behind a kubeconfig is another one all of a sudden: nothing is pruned by the old list, and nothing applied unasked. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Condition } from '../../lib/kinds/object.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\n`

const [first, second, source, control] = await Promise.all([
  cluster({ nodes: 0 }),
  cluster({ nodes: 0 }),
  gitRepo({ 'app/stays.yaml': configMap('stays'), 'app/goes.yaml': configMap('goes') }),
  hub(),
])

interface Unit {
  readonly status: { readonly conditions: readonly Condition[]; readonly lastAppliedRevision?: string }
}

const readyOfUnit = async (): Promise<Condition | undefined> => {
  const { status } = await control.get<Unit>('kustomization', 'app', '-n', 'default')
  return status?.conditions?.find(({ type }) => type === 'Ready')
}

const names = async ({ kubectl }: typeof first): Promise<readonly string[]> => {
  const listed = await kubectl('get', 'configmaps', '-n', 'default', '-o', 'name')
  return ['goes', 'stays'].filter(name => listed.includes(`configmap/${name}\n`))
}

test('a Secret that leads to another cluster is told as ClusterChanged; adopting it applies there, and the old one is left alone', async () => {
  await control.apply(`${kubeconfigSecret('target', first)}${fleetRepository(source)}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: app
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: target}}
`)
  await eventually(async () => assert.equal((await readyOfUnit())?.status, 'True'))
  assert.deepEqual(await names(first), ['goes', 'stays'])

  await control.apply(kubeconfigSecret('target', second).replace(/---$/, ''))
  const commit = await source.push({ 'app/goes.yaml': null })
  await control.kubectl('annotate', 'gitrepository/fleet', '-n', 'default', 'reconcile.fluxcd.io/requestedAt=1')
  const changed = await eventually(async () => {
    const ready = await readyOfUnit()
    return ready?.reason === 'ClusterChanged' ? ready : null
  })
  assert.equal(changed.status, 'False')
  const uidOf = async ({ kubectl }: typeof first) =>
    kubectl('get', 'namespace', 'kube-system', '-o', 'jsonpath={.metadata.uid}')
  for (const uid of [await uidOf(first), await uidOf(second)])
    assert.ok(changed.message?.includes(uid), changed.message)
  assert.deepEqual([await names(first), await names(second)], [['goes', 'stays'], []])

  const program = join(import.meta.dirname, '../../lib/cli/keelson.js')
  const adopted = await ending(process.execPath, [program, 'adopt-cluster', 'kustomization/app', '-n', 'default'], {
    env: { PATH: process.env.PATH, KUBECONFIG: control.kubeconfig },
  })
  assert.equal(adopted.exitCode, 0, adopted.stdout + adopted.stderr)
  await eventually(async () => {
    const { status } = await control.get<Unit>('kustomization', 'app', '-n', 'default')
    assert.ok(status.lastAppliedRevision?.includes(commit))
  })
  assert.deepEqual([await names(first), await names(second)], [['goes', 'stays'], ['stays']])
})
