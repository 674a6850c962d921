/** Undo of a HelmRelease on a real cluster, and what helm itself shows of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease } from '../../lib/foundations/kinds/helm-release.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { command, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { helmBinary } from '../bed/helm-binary.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { tempDir } from '../bed/temp-dir.ts'

const map = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {value: "${value}"}\n`

const chart = (version: number, more: Readonly<Record<string, string | null>> = {}) => ({
  'chart/Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.${version}\n`,
  'chart/templates/a.yaml': map('a', String(version)),
  ...more,
})

const release = `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app, namespace: default}
spec:
  interval: 2s
  driftDetection: {mode: enabled}
  kubeConfig: {secretRef: {name: prod}}
  chart: {spec: {chart: ./chart, interval: 2s, reconcileStrategy: ChartVersion, sourceRef: {kind: GitRepository, name: app}}}
`

test('a release returns to an earlier run by a rollback that helm shows, stays there whatever is pushed or done by hand, and follows its chart again', async () => {
  const [target, on, repo] = await Promise.all([cluster(), hub(), gitRepo(chart(1))])
  await on.apply(kubeconfigSecret('prod', target) + appRepository(repo) + release)
  const env = { PATH: process.env.PATH, KUBECONFIG: on.kubeconfig }
  const keelson = (...args: string[]) => ending(process.execPath, [program, ...args, '-n', 'default'], { env })
  const home = tempDir()
  const helm = async (...args: readonly string[]) =>
    command(await helmBinary(), ['--kubeconfig', target.kubeconfig, '-n', 'default', ...args], { env: { HOME: home } })
  const history = async (): Promise<readonly string[]> =>
    JSON.parse(await helm('history', 'app', '-o', 'json')).map(
      ({ revision, status, chart, description }: Readonly<Record<string, unknown>>) =>
        `${revision} ${status} ${chart}: ${description}`,
    )
  const live = (name: string) =>
    target.kubectl('get', 'configmap', name, '--ignore-not-found', '-o', 'jsonpath={.data.value}')
  const has = (value: string) => eventually(async () => assert.equal(await live('a'), value))
  const isReady = (message: RegExp) =>
    eventually(async () => {
      const { status } = await on.get<HelmRelease>('helmrelease', 'app')
      const ready = conditionOf(status?.conditions, 'Ready')
      assert.deepEqual([ready?.status, message.test(ready?.message ?? '')], ['True', true], ready?.message)
    })
  const push = async (files: Readonly<Record<string, string | null>>) => {
    await repo.push(files)
    await on.kubectl('annotate', 'gitrepository/app', '--overwrite', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  }
  const runs = async () => (await on.get<{ items: readonly Run[] }>('runs', '-n', 'default')).items
  const isRecorded = (revision: string) =>
    eventually(async () => assert.ok((await runs()).some(run => run.revision === revision && run.manifests)))
  await isReady(/default\/app\.v1 with chart app@1\.0\.1/)
  await isRecorded('1.0.1')
  const nothing = await keelson('undo', 'helmrelease/app')
  assert.deepEqual([nothing.exitCode, /has nothing to return to/.test(nothing.stderr)], [1, true], nothing.stderr)

  await push(chart(2, { 'chart/templates/b.yaml': map('b', '2') }))
  await isReady(/v2 with chart app@1\.0\.2/)
  await isRecorded('1.0.2')
  const trial = await keelson('undo', 'hr/app', '--dry-run')
  assert.match(trial.stdout, /HelmRelease\/default\/app would return to revision 1\.0\.1, manifests sha256:/)
  const undone = await keelson('undo', 'hr/app')
  assert.deepEqual([undone.exitCode, undone.stderr], [0, ''])
  await has('1')
  await isReady(/to chart app@1\.0\.1 succeeded, kept by an undo of kubernetes-admin$/)
  assert.equal(await live('b'), '')
  const returned = [
    '1 superseded app-1.0.1: Install complete',
    '2 superseded app-1.0.2: Upgrade complete',
    '3 deployed app-1.0.1: Rollback to 1',
  ]
  assert.deepEqual(await history(), returned)
  const why = await keelson('why', 'hr/app')
  assert.match(why.stdout, /undone +kubernetes-admin has undone it: chart app@1\.0\.1 is kept/)
  assert.match((await keelson('fleet')).stdout, /1 unit: .*; 1 undone/)
  assert.match((await keelson('undo', 'hr/app')).stderr, /undone already/)
  await eventually(async () => {
    const run = (await runs()).find(({ cause }) => cause.type === 'Undo')
    assert.deepEqual([run?.cause.user, run?.result, run?.counts.deleted], ['kubernetes-admin', 'Succeeded', 1])
  })

  // A newer chart waits, drift is corrected, and an upgrade by hand is rolled back.
  await push(chart(3))
  await target.kubectl('patch', 'configmap', 'a', '--type=merge', '-p', '{"data":{"value":"drifted"}}')
  await has('1')
  assert.deepEqual(await history(), returned)
  const byHand = tempDir({
    'Chart.yaml': 'apiVersion: v2\nname: app\nversion: 9.0.0\n',
    'templates/a.yaml': map('a', '9'),
  })
  await helm('upgrade', 'app', byHand, '--force-conflicts')
  await has('1')
  await isReady(/kept by an undo of kubernetes-admin$/)
  assert.deepEqual((await history()).slice(-2), [
    '4 superseded app-9.0.0: Upgrade complete',
    '5 deployed app-1.0.1: Rollback to 3',
  ])

  assert.equal((await keelson('resume', 'hr/app')).exitCode, 0)
  await has('3')
  await isReady(/v6 with chart app@1\.0\.3/)
  assert.equal((await history()).at(-1), '6 deployed app-1.0.3: Upgrade complete')

  // To a run, by its name.
  const second = (await runs()).find(({ revision, result }) => revision === '1.0.2' && result === 'Succeeded')!
  assert.equal((await keelson('undo', 'hr/app', '--to', second.metadata.name)).exitCode, 0)
  await has('2')
  assert.equal(await live('b'), '2')
})
