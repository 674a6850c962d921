/** HelmReleases on a cluster that only its runner reaches, on real parts: release storage and objects there, the HelmChart on the hub. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease } from '../../lib/foundations/kinds/helm-release.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { joinToken, runner } from '../bed/runner.ts'

const chartOf = (version: string, template = ''): Readonly<Record<string, string>> => ({
  'app/Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\n`,
  'app/templates/map.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data: {color: "{{ .Values.color }}", version: "{{ .Chart.Version }}", login: "{{ .Values.login }}"}
${template}`,
})

const release = (color: string): string => `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: web, namespace: default}
spec:
  interval: 2s
  kubeConfig: {configMapRef: {name: aurora}}
  chart: {spec: {chart: ./app, reconcileStrategy: ChartVersion, sourceRef: {kind: GitRepository, name: fleet}}}
  driftDetection: {mode: enabled}
  install: {remediation: {retries: 1}}
  upgrade: {remediation: {retries: 0, remediateLastFailure: true}}
  values: {color: ${color}}
  valuesFrom: [{kind: Secret, name: login, valuesKey: password, targetPath: login}]
---
apiVersion: v1
kind: Secret
metadata: {name: login, namespace: default}
stringData: {password: password-of-login}
`

test("a runner installs, upgrades, corrects, rolls back, undoes and uninstalls a HelmRelease, and the hub's users see it", async () => {
  const [target, repo, on] = await Promise.all([cluster(), gitRepo(chartOf('1.0.0')), hub()])
  const joining = await joinToken(on, 'aurora')
  await on.apply(`${fleetRepository(repo)}${release('blue')}`)
  const it = await runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags: ['--log-level', 'info'] })
  const dataOf = async () =>
    (await target.get<{ readonly data?: Record<string, string> }>('configmap', 'web').catch(() => undefined))?.data
  const showing = (expected: Readonly<Record<string, string>>) =>
    eventually(async () => assert.deepEqual(await dataOf(), { login: 'password-of-login', ...expected }))
  const readyFor = (reason: string, message: RegExp): Promise<HelmRelease> =>
    eventually(async () => {
      const found = await on.get<HelmRelease>('helmrelease', 'web')
      const ready = conditionOf(found.status?.conditions, 'Ready')
      assert.equal(ready?.reason, reason, JSON.stringify(found.status?.conditions, null, 1))
      assert.match(ready.message, message)
      return found
    })
  const refetch = () =>
    on.kubectl(
      'annotate',
      'gitrepository',
      'fleet',
      '--overwrite',
      `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`,
    )
  const keelson = (...args: readonly string[]) =>
    ending(process.execPath, [program, ...args, '-n', 'default', '--kubeconfig', on.kubeconfig])
  const plan = () => keelson('plan', 'helmrelease/web')
  const drift = () => keelson('drift', 'helmrelease/web')
  try {
    const installed = await readyFor('InstallSucceeded', /default\/web\.v1 with chart app@1\.0\.0/)
    await showing({ color: 'blue', version: '1.0.0' })
    assert.equal(installed.status?.helmChart, 'default/default-web')
    assert.match(
      await target.kubectl('get', 'secret', '-l', 'owner=helm', '-o', 'name'),
      /sh\.helm\.release\.v1\.web\.v1/,
    )

    await on.apply(release('green'))
    await readyFor('UpgradeSucceeded', /default\/web\.v2/)
    await showing({ color: 'green', version: '1.0.0' })

    await repo.push(chartOf('1.1.0'))
    await refetch()
    await readyFor('UpgradeSucceeded', /default\/web\.v3 with chart app@1\.1\.0/)
    await showing({ color: 'green', version: '1.1.0' })

    const nothing = await plan()
    assert.deepEqual([nothing.exitCode, nothing.stderr], [0, ''])
    assert.match(
      nothing.stdout,
      /^Plan of HelmRelease\/web at app@1\.1\.0 on the cluster of ConfigMap\/default\/aurora: nothing /,
    )

    const withLogs = await keelson('why', 'helmrelease/web', '--logs')
    assert.deepEqual([withLogs.exitCode, withLogs.stderr], [0, ''])
    assert.match(
      withLogs.stdout,
      /\nIts pods can't be read: the runner of Cluster default\/aurora can't show its cluster: its owner has not started it with --live\n$/,
    )

    const same = await drift()
    assert.deepEqual([same.exitCode, same.stderr], [0, ''])
    assert.match(
      same.stdout,
      /^HelmRelease\/default\/web is as web\.v3 with chart app@1\.1\.0, which was applied last\n/,
    )

    await target.kubectl('patch', 'configmap', 'web', '--type=merge', '-p', '{"data":{"color":"red"}}')
    await showing({ color: 'green', version: '1.1.0' })

    assert.match((await keelson('undo', 'helmrelease/web')).stdout, /returns to revision 1\.0\.0, manifests sha256:/)
    await readyFor('RollbackSucceeded', /to chart app@1\.0\.0 succeeded, kept by an undo of kubernetes-admin$/)
    await showing({ color: 'green', version: '1.0.0' })
    assert.match((await keelson('why', 'helmrelease/web')).stdout, /undone +kubernetes-admin has undone it: chart app@/)
    await keelson('resume', 'helmrelease/web')
    await readyFor('UpgradeSucceeded', /default\/web\.v5 with chart app@1\.1\.0/)
    await showing({ color: 'green', version: '1.1.0' })

    // The cluster refuses what this version adds: the release goes back.
    await repo.push(
      chartOf('1.2.0', '---\napiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 0}]}\n'),
    )
    await refetch()
    await readyFor('RollbackSucceeded', /default\/web\.v5/)
    await showing({ color: 'green', version: '1.1.0' })

    const refused = await plan()
    assert.equal(refused.exitCode, 2)
    assert.match(refused.stdout, /^Plan of HelmRelease\/web at app@1\.2\.0 /)
    assert.match(refused.stderr, /spec\.ports/)

    const runs = (await on.get<{ items: readonly Run[] }>('runs')).items
    const described = runs.map(({ cause, result, cluster }) => `${cause.type} ${result} ${cluster?.name}`)
    for (const expected of [
      'Spec Succeeded aurora',
      'Source Succeeded aurora',
      'Drift Succeeded aurora',
      'Undo Succeeded aurora',
      'Source Stalled aurora',
    ])
      assert.ok(described.includes(expected), described.join(', '))
    assert.equal(JSON.stringify(runs).includes('password-of-login'), false)

    await on.kubectl('delete', 'helmrelease', 'web', '--timeout', '60s')
    assert.equal(await dataOf(), undefined)
    assert.equal(await target.kubectl('get', 'secret', '-l', 'owner=helm', '-o', 'name'), '')
    assert.equal(await on.kubectl('get', 'helmchart', '-o', 'name'), '')
  } catch (error) {
    throw Object.assign(error as Error, {
      message: `${(error as Error).message}\nthe runner said:\n${it.said().slice(-8000)}`,
    })
  }
})
