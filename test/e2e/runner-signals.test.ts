/** What the users of a hub see of a unit that a runner reconciles, on real parts: Runs, health, the answers of the CLI. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { reportContainer, restarting, stuckDeployment } from '../bed/failing-pods.ts'
import { fleetRepository, fleetUnit } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { serveLogs } from '../bed/kubelet-logs.ts'
import { privateNetwork } from '../bed/private-network.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { endWithTest } from '../bed/teardown.ts'
import { failingJob } from './failing-job.ts'

const login = (password: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: default}\nstringData: {password: ${password}}\n`

const config = (color: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config, namespace: default}\ndata: {color: ${color}}\n`

/** Healthy once it is bound. */
const claim = `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: default}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: none}
`

const [oldPassword, newPassword] = ['old-password-of-login', 'new-password-of-login']

const unit = fleetUnit('aurora', '  wait: true\n  timeout: 2m\n')
  .replace('secretRef', 'configMapRef')
  .replace('interval: 1h', 'interval: 2s')
  .replace('namespace: default', 'namespace: default, annotations: {keelson.dev/on-failure: undo}')

test("a runner's unit is one like any other to the users of the hub: health, Runs, causes, why, logs, undo", async t => {
  const network = await privateNetwork(t)
  const files = { 'config.yaml': config('blue'), 'login.yaml': login(oldPassword), 'claim.yaml': claim }
  const [target, repo, on] = await Promise.all([cluster({ network }), gitRepo(files), hub()])
  const logs = endWithTest(await serveLogs(target, ({ isPrevious }) => (isPrevious ? 'it begins\nno database\n' : '')))
  const joining = await joinToken(on, 'aurora')
  await on.apply(fleetRepository(repo) + unit)
  const flags = ['--live', '--log-level', 'info']
  const it = await runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags, network })
  const runs = async () => (await on.get<{ items: readonly Run[] }>('runs')).items
  const newest = (when: (run: Run) => boolean): Promise<Run> =>
    eventually(async () => {
      const all = await runs()
      const found = all[0]
      assert.ok(found && when(found), JSON.stringify(all, null, 1))
      return found
    })
  const keelson = async (...args: string[]): Promise<string> => {
    const called = [program, ...args, '-n', 'default', '--kubeconfig', on.kubeconfig]
    const { stdout, stderr } = await ending(process.execPath, called)
    return stdout + stderr
  }
  const readyOf = async () => {
    const found = await on.get<Kustomization>('kustomization', 'app')
    return conditionOf(found.status?.conditions, 'Ready')
  }
  const push = async (changed: Readonly<Record<string, string | null>>) => {
    await repo.push(changed)
    const at = `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`
    await on.kubectl('annotate', '--overwrite', 'gitrepository/fleet', at)
  }
  const colorOf = () => target.kubectl('get', 'configmap', 'config', '-o', 'jsonpath={.data.color}')
  const passwordOf = async () =>
    Buffer.from(await target.kubectl('get', 'secret', 'login', '-o', 'jsonpath={.data.password}'), 'base64').toString()
  try {
    // Applied, and not healthy yet: the unit waits, and says for what.
    const waiting = await newest(({ result }) => result === 'Progressing')
    assert.deepEqual([waiting.cause, waiting.counts], [{ type: 'Spec', user: 'kubernetes-admin' }, { created: 3 }])
    assert.notEqual((await readyOf())?.status, 'True')
    assert.match(await keelson('why', 'kustomization/app'), /PersistentVolumeClaim\/default\/data/)

    await target.kubectl(
      'patch',
      'pvc',
      'data',
      '--subresource=status',
      '--type=merge',
      '-p',
      '{"status":{"phase":"Bound"}}',
    )
    const first = await newest(({ result }) => result === 'Succeeded')
    assert.equal(first.metadata.name, waiting.metadata.name, 'one Run from its beginning to its end')
    assert.deepEqual(first.cluster, { kind: 'ConfigMap', namespace: 'default', name: 'aurora' })
    assert.equal((await readyOf())?.status, 'True')

    await push({ 'config.yaml': config('green'), 'login.yaml': login(newPassword) })
    const second = await newest(({ cause }) => cause.type === 'Source')
    assert.deepEqual([second.cause.user, second.previousRevision], ['kubernetes-admin', first.revision])
    assert.deepEqual(Object.fromEntries((second.changes ?? []).map(({ name, fields }) => [name, fields])), {
      config: [{ path: 'data.color', before: 'blue', after: 'green' }],
      login: [{ path: 'data.password', before: '***', after: '***' }],
    })

    await target.kubectl('patch', 'configmap', 'config', '--type=merge', '-p', '{"data":{"color":"red"}}')
    const drift = await newest(({ cause }) => cause.type === 'Drift')
    assert.deepEqual(drift.counts.configured, 1)

    // Back by command, with the Secret of then, whatever is pushed; and by itself.
    assert.match(await keelson('undo', 'kustomization/app', '--reason', 'incident 4711'), /returns to revision main@/)
    const undone = await newest(({ cause, result }) => cause.type === 'Undo' && result === 'Succeeded')
    assert.deepEqual([undone.cause.user, undone.manifests], ['kubernetes-admin', first.manifests])
    assert.deepEqual([await colorOf(), await passwordOf()], ['blue', oldPassword])
    assert.match((await readyOf())?.message ?? '', /kept by an undo of kubernetes-admin$/)
    assert.match(
      await keelson('why', 'kustomization/app'),
      /undone +kubernetes-admin has undone it \(incident 4711\): revision main@\S+ is kept/,
    )
    await push({ 'config.yaml': config('yellow') })
    await target.kubectl('patch', 'configmap', 'config', '--type=merge', '-p', '{"data":{"color":"red"}}')
    await newest(({ cause }) => cause.type === 'Drift')
    assert.equal(await colorOf(), 'blue')
    await keelson('resume', 'kustomization/app')
    await eventually(async () => assert.equal(await colorOf(), 'yellow'))
    assert.equal(await passwordOf(), newPassword)
    await push({ 'config.yaml': config('red'), 'job.yaml': failingJob })
    await eventually(async () => assert.equal((await readyOf())?.reason, 'Undone', await keelson('why', 'ks/app')))
    await eventually(async () => assert.equal(await colorOf(), 'yellow'))

    await push({ 'job.yaml': null, 'config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [broken\n' })
    const failure = await newest(({ result, repeats = 0 }) => result === 'Failed' && repeats > 1)
    assert.equal(failure.reason, 'BuildFailed')
    assert.match(await keelson('why', 'kustomization/app'), /config\.yaml/)
    assert.match(await keelson('fleet'), /BuildFailed/)
    const listed = await keelson('runs')
    assert.match(listed, /Failed \(x\d+\)/)
    assert.match(listed, /Drift/)

    const mayView = ['-n', 'default', '--clusterrole=view', '--user=kubernetes-admin']
    await target.kubectl('create', 'rolebinding', 'admin-of-hub', ...mayView)
    await network?.forward(logs.port)
    await push({ 'config.yaml': config('red'), 'crew.yaml': stuckDeployment('crew') })
    const pod = await reportContainer(target, 'crew', restarting)
    await eventually(async () => assert.match(await keelson('why', 'ks/app'), /\nAdd --logs to see/))
    assert.match(
      await keelson('why', 'ks/app', '--logs', '--tail', '1'),
      new RegExp(
        `\nPod/default/${pod} of Deployment/default/crew, 3 restarts\n {2}container web .*\n {4}\\| no database\n`,
      ),
    )

    // A deletion waits for the end of a health check, and another spec ends it.
    await on.kubectl('patch', 'kustomization', 'app', '--type=merge', '-p', '{"spec":{"wait":false}}')
    await eventually(async () => assert.equal((await readyOf())?.status, 'True'))
    await on.kubectl('delete', 'kustomization', 'app', '--timeout', '60s')
    const last = await newest(({ result }) => result === 'Deleted')
    assert.deepEqual([last.cause, last.counts.deleted], [{ type: 'Deletion', user: 'kubernetes-admin' }, 4])

    const all = JSON.stringify(await runs()) + it.said()
    for (const secret of [oldPassword, newPassword]) {
      assert.equal(all.includes(secret), false)
      assert.equal(all.includes(Buffer.from(secret).toString('base64')), false)
    }
  } catch (error) {
    throw Object.assign(error as Error, {
      message: `${(error as Error).message}\nthe runner said:\n${it.said().slice(-6000)}`,
    })
  }
})
