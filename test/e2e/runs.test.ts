/** What changed between two moments, and who asked for it: Runs of a hub that applies to a real cluster. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

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

/** Of all commits of the test bed. */

const unit = fleetUnit('prod', '  postBuild: {substituteFrom: [{kind: Secret, name: token}]}\n')

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
  assert.deepEqual([second.cause, second.result], [{ type: 'Source', user: 'kubernetes-admin' }, 'Succeeded'])
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
    await keelson('kustomization/app', '--by', 'kubernetes-admin', '--result', 'succeeded'),
    /^NAME.*\n\S+ +\S+ +Kustomization\/app +Request +kubernetes-admin.*\n\S+ +\S+ +Kustomization\/app +Source +kubernetes-admin.*\n\S+ +\S+ +Kustomization\/app +Spec +kubernetes-admin.*\n$/,
  )
  const times = ['--since', pushed.toISOString(), '--until', new Date().toISOString()]
  const shown = JSON.parse(await keelson(...times, '--cluster', 'prod', '--result', 'succeeded', '-o', 'json'))
  assert.deepEqual(
    shown.map(({ metadata }: Run) => metadata.name),
    [third.metadata.name, second.metadata.name],
  )
  const fetched = JSON.parse(await keelson(...times, '--cause', 'source', '--result', 'succeeded', '-o', 'json'))
  assert.deepEqual(
    fetched.map(({ metadata }: Run) => metadata.name),
    [second.metadata.name],
  )
  const described = await keelson(second.metadata.name)
  assert.match(described, /^Cluster: +Secret\/default\/prod$/m)
  assert.match(
    described,
    /^ {2}ConfigMap\/default\/config configured \(from config\.yaml\)\n {4}data\.color: blue -> green$/m,
  )

  // A tenant sees those of its own namespaces, and none elsewhere.
  await on.kubectl('create', 'namespace', 'others')
  await on.kubectl('create', 'rolebinding', 'viewer', '--clusterrole=view', '--user=tenant', '-n', 'others')
  const asTenant = (...args: string[]) => on.kubectl('get', 'runs', '--as', 'tenant', '-o', 'name', ...args)
  assert.equal(await asTenant('-n', 'others'), '')
  for (const place of [['-n', 'default'], ['-n', 'default', second.metadata.name], ['-A']])
    await assert.rejects(asTenant(...place), /forbidden/i)
  await on.kubectl('create', 'rolebinding', 'viewer', '--clusterrole=view', '--user=tenant', '-n', 'default')
  await eventually(async () => assert.equal((await asTenant('-n', 'default')).trimEnd().split('\n').length, 4))

  const everything = JSON.stringify(await runs()) + described + (await keelson('-o', 'wide'))
  const encoded = planted.map(text => Buffer.from(text).toString('base64'))
  for (const value of [...planted, ...encoded, 'old-token-of', 'new-token-of'])
    assert.equal(everything.includes(value), false, value)
})

const chart = (version: string, color: string): Readonly<Record<string, string>> => ({
  'chart/Chart.yaml': `apiVersion: v2\nname: app\nversion: ${version}\n`,
  'chart/values.yaml': 'password: none\n',
  'chart/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data: {color: ${color}, encoded: "{{ .Values.password | b64enc }}"}
`,
})

const release = (name: string, more = ''): string => `
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  timeout: 30s
  chart: {spec: {chart: ./chart, interval: 1h, reconcileStrategy: Revision, sourceRef: {kind: GitRepository, name: fleet}}}
  kubeConfig: {secretRef: {name: prod}}
${more}
---`

test('Runs of a HelmRelease say what an upgrade changed, and what failed', async () => {
  const [target, repo, on] = await Promise.all([cluster(), gitRepo(chart('1.0.0', 'blue')), hub()])
  const runsOf = async (name: string): Promise<readonly Run[]> => {
    const selector = `unit.kind=HelmRelease,unit.name=${name}`
    return (await on.get<{ items: readonly Run[] }>('runs', '--field-selector', selector)).items.toReversed()
  }
  const brief = (runs: readonly Run[]) =>
    runs.map(({ cause, result, reason, counts, revision = '' }) => [
      ...[cause.type, result, reason, revision.split('+')[0]],
      JSON.stringify(counts),
    ])
  const values = `
apiVersion: v1
kind: Secret
metadata: {name: values, namespace: default}
stringData: {values.yaml: 'password: planted-password'}
---`
  const valuesFrom = '  valuesFrom: [{kind: Secret, name: values}]'
  await on.apply(
    kubeconfigSecret('prod', target) + fleetRepository(repo) + values + release('open') + release('closed', valuesFrom),
  )
  const installed = ['Spec', 'Succeeded', 'InstallSucceeded', '1.0.0', '{"created":1}']
  await eventually(async () => {
    for (const name of ['open', 'closed']) assert.deepEqual(brief(await runsOf(name)), [installed])
  })
  await repo.push(chart('1.1.0', 'green'))
  await on.kubectl('annotate', 'gitrepository/fleet', `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`)
  const upgraded = ['Source', 'Succeeded', 'UpgradeSucceeded', '1.1.0', '{"configured":1}']
  await eventually(async () => {
    for (const name of ['open', 'closed']) assert.deepEqual(brief(await runsOf(name)), [installed, upgraded])
  })
  const fieldsOf = async (name: string) =>
    (await runsOf(name)).at(-1)?.changes?.map(({ name, fields }) => [name, fields])
  assert.deepEqual(await fieldsOf('open'), [['open', [{ path: 'data.color', before: 'blue', after: 'green' }]]])
  assert.deepEqual(await fieldsOf('closed'), [['closed', [{ path: 'data.color', before: '***', after: '***' }]]])
  const last = (await runsOf('open')).at(-1)
  assert.deepEqual(last?.cluster, { kind: 'Secret', namespace: 'default', name: 'prod' })

  // The cluster refuses what the chart makes.
  await repo.push({
    'chart/Chart.yaml': 'apiVersion: v2\nname: app\nversion: 1.2.0\n',
    'chart/templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}", labels: {wrong: "{{ .Values.password }} is no label"}}
`,
  })
  await on.kubectl(
    ...['annotate', '--overwrite', 'gitrepository/fleet'],
    `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`,
  )
  await eventually(async () => {
    for (const name of ['open', 'closed']) {
      const [, , failed] = await runsOf(name)
      assert.deepEqual([failed?.cause.type, failed?.result, failed?.reason], ['Source', 'Stalled', 'UpgradeFailed'])
      assert.match(failed?.message ?? '', / is no label/)
    }
  })
  const everything = await on.kubectl('get', 'runs', '-o', 'json')
  for (const value of ['planted-password', Buffer.from('planted-password').toString('base64')])
    assert.equal(everything.includes(value), false, value)
})
