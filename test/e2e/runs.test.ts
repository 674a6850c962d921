/** What changed between two moments, and who asked for it: Runs of a hub that applies to a real cluster. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

const program = join(import.meta.dirname, '../../lib/cli/keelson.js')

const config = (color: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config, namespace: default}\ndata: {color: ${color}, size: large}\n`

const login = (password: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: default}\nstringData: {password: ${password}}\n`

/** A value of a Secret of the hub, as it is and cut in two. */
const database = `apiVersion: v1
kind: ConfigMap
metadata: {name: database, namespace: default}
data: {url: "db://\${token}@db", part: "\${token:0:12}", size: large}
`

const token = (value: string): string => `
apiVersion: v1
kind: Secret
metadata: {name: token, namespace: default}
stringData: {token: ${value}}
---`

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec:
  interval: 1h
  retryInterval: 1s
  prune: true
  path: ./
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {secretRef: {name: prod}}
  postBuild: {substituteFrom: [{kind: Secret, name: token}]}
---`

const planted = ['old-password-of-login', 'new-password-of-login', 'old-token-of-the-hub', 'new-token-of-the-hub']
const [oldPassword, newPassword, oldToken, newToken] = planted as [string, string, string, string]

test('Runs say what changed on a cluster, why, and what failed, and hold no secret', async () => {
  const files = { 'config.yaml': config('blue'), 'login.yaml': login(oldPassword), 'database.yaml': database }
  const [target, repo, on] = await Promise.all([cluster(), gitRepo(files), hub()])
  const runs = async (...args: string[]) => (await on.get<{ items: readonly Run[] }>('runs', ...args)).items
  const newest = (count: number): Promise<Run> =>
    eventually(async () => {
      const found = await runs()
      assert.equal(found.length, count, JSON.stringify(found, null, 1))
      return found[0]!
    })
  const request = (object: string) =>
    on.kubectl('annotate', object, '--overwrite', `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`)
  const keelson = async (...args: string[]): Promise<string> => {
    const called = [program, 'runs', ...args, '--kubeconfig', on.kubeconfig, '-n', 'default']
    const { exitCode, stdout, stderr } = await ending(process.execPath, called)
    assert.equal(exitCode, 0, stderr)
    return stdout
  }

  await on.apply(kubeconfigSecret('prod', target) + token(oldToken) + fleetRepository(repo) + unit)
  // A pass that comes before the source waits for it: that is none of the Runs.
  const first = await newest(1)
  assert.deepEqual([first.cause.type, first.result, first.counts], ['Spec', 'Succeeded', { created: 3 }])
  assert.deepEqual(first.cluster, { kind: 'Secret', namespace: 'default', name: 'prod' })
  assert.deepEqual(
    first.phases?.map(({ name }) => name),
    ['Fetch', 'Build', 'Apply'],
  )

  // A push, and a new token.
  await on.apply(token(newToken))
  await repo.push({ 'config.yaml': config('green'), 'login.yaml': login(newPassword) })
  const pushed = new Date()
  await request('gitrepository/fleet')
  const second = await newest(2)
  assert.deepEqual([second.cause, second.result], [{ type: 'Source' }, 'Succeeded'])
  assert.equal(second.previousRevision, first.revision)
  const fields = Object.fromEntries((second.changes ?? []).map(({ name, fields }) => [name, fields]))
  assert.deepEqual(fields, {
    config: [{ path: 'data.color', before: 'blue', after: 'green' }],
    database: [
      { path: 'data.part', before: '***', after: '***' },
      { path: 'data.url', before: '***', after: '***' },
    ],
    login: [{ path: 'data.password', before: '***', after: '***' }],
  })

  // A person asks: nothing changes, and it is on record.
  await request('kustomization/app')
  const third = await newest(3)
  assert.deepEqual(
    [third.cause.type, third.cause.user, third.result, third.changes],
    ['Request', 'kubernetes-admin', 'Succeeded', undefined],
  )

  // A manifest that the cluster refuses: one Run, however often it is tried.
  await repo.push({ 'config.yaml': `${config('red')}immutable: ${newPassword}\n` })
  await request('gitrepository/fleet')
  const fourth = await eventually(async () => {
    const [run] = await runs()
    assert.ok((run?.repeats ?? 0) >= 2, JSON.stringify(run))
    return run!
  })
  assert.deepEqual([(await runs()).length, fourth.cause.type, fourth.result], [4, 'Source', 'Failed'])
  assert.equal(fourth.errors?.[0]?.object, 'ConfigMap/default/config')
  assert.match(fourth.errors?.[0]?.file ?? '', /^config\.yaml/)

  // kubectl and keelson answer the same.
  const table = (await on.kubectl('get', 'runs')).trimEnd().split('\n')
  assert.match(table[0]!, /^NAME +AGE +UNIT +CAUSE +REVISION +CHANGES +RESULT$/)
  assert.match(
    table[1]!,
    /^kustomization-app-\w+ +\S+ +Kustomization\/app +Source +main@sha1:[0-9a-f]{8} +Failed \(x\d+\)$/,
  )
  assert.match(table[3]!, /Source +main@sha1:[0-9a-f]{8} +~3 +Succeeded$/)
  assert.equal((await keelson()).trimEnd().split('\n').length, 5)
  assert.match(
    await keelson('kustomization/app', '--by', 'kubernetes-admin'),
    /^NAME.*\n\S+ +\S+ +Kustomization\/app +Request +kubernetes-admin.*\n$/,
  )
  const times = ['--since', pushed.toISOString(), '--until', new Date().toISOString()]
  const shown = JSON.parse(await keelson(...times, '--cluster', 'prod', '--result', 'succeeded', '-o', 'json'))
  assert.deepEqual(
    shown.map(({ metadata }: Run) => metadata.name),
    [third.metadata.name, second.metadata.name],
  )
  const described = await keelson(second.metadata.name)
  assert.match(described, /^Cluster: +Secret\/default\/prod$/m)
  assert.match(
    described,
    /^ {2}ConfigMap\/default\/config configured \(from config\.yaml\)\n {4}data\.color: blue -> green$/m,
  )

  const everything = JSON.stringify(await runs()) + described + (await keelson('-o', 'wide'))
  const encoded = planted.map(text => Buffer.from(text).toString('base64'))
  for (const value of [...planted, ...encoded, 'old-token-of', 'new-token-of'])
    assert.equal(everything.includes(value), false, value)
})
