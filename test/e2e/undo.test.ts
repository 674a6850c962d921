/** Undo on a real cluster: by command, and by itself after a failed health check. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { failingJob } from './failing-job.ts'

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: "${value}"}\n`

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  {interval: 2s, prune: true, wait: true, timeout: 2m, path: ./app, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---`

test('a unit returns to an earlier run by command, stays there, and follows its source again; it goes back by itself if it is told to', async () => {
  const first = { 'app/a.yaml': configMap('a', '1') }
  const [target, on, repo] = await Promise.all([cluster(), hub(), gitRepo(first)])
  await on.apply(kubeconfigSecret('prod', target) + appRepository(repo) + unit)
  const env = { PATH: process.env.PATH, KUBECONFIG: on.kubeconfig }
  const keelson = (...args: string[]) => ending(process.execPath, [program, ...args, '-n', 'default'], { env })
  const live = (name: string) => target.kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.value}')
  const has = (value: string) => eventually(async () => assert.equal(await live('a'), value))
  const readyOf = async () => {
    const { status } = await on.get<Kustomization>('kustomization', 'app')
    return conditionOf(status?.conditions, 'Ready')
  }
  const isReady = (message: RegExp) => eventually(async () => assert.match((await readyOf())?.message ?? '', message))
  const push = async (files: Readonly<Record<string, string | null>>) => {
    await repo.push(files)
    await on.kubectl('annotate', 'gitrepository/app', '--overwrite', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  }
  await has('1')
  await isReady(/^Applied revision: main@sha1:\w+$/)

  const nothing = await keelson('undo', 'kustomization/app')
  assert.deepEqual([nothing.exitCode, /has nothing to return to/.test(nothing.stderr)], [1, true])

  await push({ ...first, 'app/a.yaml': configMap('a', '2'), 'app/b.yaml': configMap('b', '1') })
  await has('2')
  await isReady(/^Applied revision: main@sha1:\w+$/)
  const trial = await keelson('undo', 'kustomization/app', '--dry-run')
  assert.match(trial.stdout, /Kustomization\/default\/app would return to revision main@sha1:\w+, manifests sha256:/)
  const undone = await keelson('undo', 'kustomization/app')
  assert.deepEqual([undone.exitCode, undone.stderr], [0, ''])
  await has('1')
  await assert.rejects(live('b'), /not found/)
  await isReady(/^Applied revision: main@sha1:\w+, kept by an undo of kubernetes-admin$/)
  const why = await keelson('why', 'kustomization/app')
  assert.match(why.stdout, /undone +kubernetes-admin has undone it: revision main@sha1:\w+ is kept/)
  assert.match((await keelson('fleet')).stdout, /1 unit: .*; 1 undone/)
  const again = await keelson('undo', 'kustomization/app')
  assert.match(again.stderr, /undone already/)

  // It is told as any other unit; drift is corrected.
  await target.kubectl('patch', 'configmap', 'a', '--type=merge', '-p', '{"data":{"value":"drifted"}}')
  await has('1')
  const { items } = await on.get<{ items: readonly Run[] }>('runs', '-n', 'default')
  const byUndo = items.find(({ cause }) => cause.type === 'Undo')
  assert.deepEqual([byUndo?.cause.user, byUndo?.result, byUndo?.counts.deleted], ['kubernetes-admin', 'Succeeded', 1])

  const resumed = await keelson('resume', '--all', 'kustomization')
  assert.match(resumed.stdout, /nothing to do/)
  await keelson('resume', 'kustomization/app')
  await has('2')
  await isReady(/^Applied revision: main@sha1:\w+$/)

  // To a run, by its name.
  const second = items.find(({ manifests }) => manifests !== undefined && manifests !== byUndo!.manifests)!
  await push({ 'app/a.yaml': configMap('a', '3') })
  await has('3')
  assert.equal((await keelson('undo', 'kustomization/app', '--to', second.metadata.name)).exitCode, 0)
  await has('2')
  await keelson('resume', 'kustomization/app')
  await has('3')
  await isReady(/^Applied revision: main@sha1:\w+$/)

  await on.kubectl('annotate', 'kustomization/app', 'keelson.dev/on-failure=undo')
  await push({ 'app/a.yaml': configMap('a', '4'), 'app/job.yaml': failingJob })
  await eventually(async () => assert.equal((await readyOf())?.reason, 'Undone'))
  assert.equal(await live('a'), '3')
  await assert.rejects(target.kubectl('get', 'job', 'migrate'), /not found/)
  const failed = await on.get<{ items: readonly Run[] }>('runs', '-n', 'default', '--field-selector', 'result=Failed')
  const tried = failed.items.find(({ reason }) => reason === 'HealthCheckFailed')
  const { created, configured } = tried?.counts ?? {}
  assert.deepEqual([created, configured], [1, 1], 'the failed revision was applied in between')
  const events = await on.kubectl(
    'get',
    'events',
    '-n',
    'default',
    '--field-selector',
    'reason=Undone',
    '-o',
    'jsonpath={.items[*].message}',
  )
  assert.match(events, /^revision main@sha1:\w+ has failed its health checks: going back to revision main@sha1:\w+$/)

  await push({ 'app/a.yaml': configMap('a', '5'), 'app/job.yaml': null })
  await has('5')
  await isReady(/^Applied revision: main@sha1:\w+$/)
})
