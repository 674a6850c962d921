/** Upgrades that would delete what the guard protects, on a real cluster: they wait as a whole, and what Helm knows of the release stays true. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease } from '../../lib/foundations/kinds/helm-release.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { helmBinary } from '../bed/helm-binary.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { carriers } from './carriers.ts'

const keelson = (it: Hub, ...args: string[]): Promise<string> =>
  command(process.execPath, [program, ...args], {
    env: { ...process.env, KUBECONFIG: it.kubeconfig },
  })

const map = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: "${value}"}\n`

const maps = (count: number) => Array.from({ length: count }, (_, index) => map(`m-${index}`, '1')).join('---\n')

/** And a claim that Helm leaves. */
const released = `${carriers}---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: kept, namespace: default, annotations: {helm.sh/resource-policy: keep}}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`

const foreign = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: foreign, namespace: default}
---
${map('foreign', 'of others').replace('default', 'shared')}`

const chart = (version: number, more: Readonly<Record<string, string | null>>) => ({
  'chart/Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.${version}\n`,
  'chart/templates/a.yaml': map('a', String(version)),
  ...more,
})

const release = (name: string) => `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  releaseName: ${name}
  install: {disableWait: true}
  upgrade: {disableWait: true}
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, reconcileStrategy: ChartVersion, sourceRef: {kind: GitRepository, name: app}}}
`

/** Resolves to the message of Ready once it has this reason, for the present spec. */
const readyBecomes = (on: Hub, reason: string, pattern = /./): Promise<string> =>
  eventually(async () => {
    const { metadata, status } = await on.get<HelmRelease>('helmrelease', 'app', '-n', 'default')
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    assert.equal(ready?.observedGeneration, metadata.generation)
    assert.equal(ready?.reason, reason, ready?.message)
    assert.match(ready.message ?? '', pattern)
    return ready.message ?? ''
  })

/** What helm itself says of the release: each revision with its state and the version of its chart. */
const historyOf = async ({ kubeconfig }: Cluster, name: string): Promise<readonly string[]> => {
  const args = ['--kubeconfig', kubeconfig, '-n', 'default', 'history', name, '-o', 'json']
  const revisions = JSON.parse(await command(await helmBinary(), args, { env: {} })) as readonly {
    readonly revision: number
    readonly status: string
    readonly chart: string
  }[]
  return revisions.map(({ revision, status, chart }) => `${revision} ${status} ${chart.split('+')[0]}`)
}

test('an upgrade that drops data, many objects or a whole release waits, lists exactly that, and is made once that is approved', async () => {
  const [target, on, repo] = await Promise.all([
    cluster(),
    hub(),
    gitRepo(chart(1, { 'chart/templates/carriers.yaml': released })),
  ])
  const live = (name: string, path = '{.data.value}') =>
    target.kubectl('get', name, '--ignore-not-found', '-o', `jsonpath=${path}`)
  const deletedAt = (claim: string) => live(`pvc/${claim}`, '{.metadata.deletionTimestamp}')
  const publish = async (version: number, more: Readonly<Record<string, string | null>>) => {
    await repo.push(chart(version, more))
    await on.kubectl('annotate', '--overwrite', 'gitrepository/app', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  }
  const approve = async (message: string) => {
    const [digest] = /sha256:[0-9a-f]{64}/.exec(message) ?? []
    return keelson(on, 'approve', 'helmrelease/app', '-n', 'default', '--digest', digest!, '--comment', 'CHG-1')
  }
  await on.apply(kubeconfigSecret('prod', target) + appRepository(repo) + release('app'))
  await readyBecomes(on, 'InstallSucceeded')
  await target.apply(foreign)

  await publish(2, { 'chart/templates/carriers.yaml': map('b', '2') })
  const dropped = await readyBecomes(on, 'PruneGuarded')
  assert.match(dropped, /^3 deletions wait for approval \(/)
  assert.match(
    dropped,
    /\): Namespace\/shared, CustomResourceDefinition\/widgets\.example\.com, PersistentVolumeClaim\/default\/data; /,
  )
  for (const reason of ['its data would be lost', 'Widget/default/foreign', 'ConfigMap/shared/foreign'])
    assert.ok(dropped.includes(reason), `${reason} in ${dropped}`)
  const afterFirst = await historyOf(target, 'app')
  assert.deepEqual(afterFirst, ['1 deployed app-1.0.1'], 'nothing of the upgrade has begun')
  assert.deepEqual([await live('configmap/a'), await live('configmap/b'), await deletedAt('data')], ['1', '', ''])
  const digest = `sha256:${'0'.repeat(64)}`
  await assert.rejects(keelson(on, 'approve', 'helmrelease/app', '-n', 'default', '--digest', digest), /digest/)

  await approve(dropped)
  await readyBecomes(on, 'UpgradeSucceeded', /v2 with chart app@1\.0\.2/)
  assert.deepEqual(await historyOf(target, 'app'), ['1 superseded app-1.0.1', '2 deployed app-1.0.2'])
  assert.deepEqual([await live('configmap/a'), await live('configmap/b')], ['2', '2'])
  assert.notEqual(await deletedAt('data'), '', 'a finalizer keeps it: the test cluster has nobody to remove it')
  assert.equal(await deletedAt('kept'), '')
  await eventually(async () => assert.equal(await live('crd/widgets.example.com', '{.metadata.name}'), ''))

  await publish(3, { 'chart/templates/maps.yaml': maps(12) })
  await readyBecomes(on, 'UpgradeSucceeded', /v3/)
  await publish(4, { 'chart/templates/maps.yaml': maps(2) })
  const many = await readyBecomes(
    on,
    'PruneGuarded',
    /^10 deletions wait for approval \(the build drops 10 of 14 objects\)/,
  )
  assert.equal(await live('configmap/m-11'), '1')
  await approve(many)
  await readyBecomes(on, 'UpgradeSucceeded', /v4/)
  assert.deepEqual([await live('configmap/m-1'), await live('configmap/m-2')], ['1', ''])

  await on.kubectl('annotate', 'helmrelease/app', 'keelson.dev/prune-limit=3')
  await on.apply(release('moved'))
  const move = await readyBecomes(
    on,
    'PruneGuarded',
    /^4 deletions wait .*more than allowed by HelmRelease default\/app/,
  )
  assert.equal(await live('configmap/a'), '4')
  await approve(move)
  await readyBecomes(on, 'InstallSucceeded', /default\/moved\.v1/)
  assert.deepEqual(await historyOf(target, 'moved'), ['1 deployed app-1.0.4'])
  await assert.rejects(historyOf(target, 'app'), /not found/)
})
