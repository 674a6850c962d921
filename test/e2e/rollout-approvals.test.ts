/** `keelson rollout approve`, on real clusters: of a stage's plans, of one cluster at its gate, and of an upgrade of a HelmRelease. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import type { RolloutRun } from '../../lib/foundations/kinds/rollout-run.ts'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { type GitRepo, gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const plansGate = 'before: [{name: plans, approval: {of: Plans}}]'

const binding = (user: string, role: string) => `
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: ${user}-${role}, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: ${role}}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ${user}}]
---`

/** Jane may approve, edith may change everything but not approve. */
const people = binding('jane', 'view') + binding('jane', 'keelson-approver') + binding('edith', 'edit')

const keelson = (on: Hub, user: string, ...args: readonly string[]): Promise<Ending> =>
  ending(process.execPath, [program, ...args, '-n', 'default', '--kubeconfig', on.kubeconfig, '--as', user])

const runOf = (on: Hub, name: string): Promise<RolloutRun> => on.get<RolloutRun>('rolloutrun', name)

/** Until a run waits for exactly this. Returns the digest that its text names, if any. */
const waitsFor = async (on: Hub, name: string, wanted: RegExp): Promise<string | undefined> => {
  let text = ''
  await eventually(async () => {
    const { status } = await runOf(on, name)
    text = status?.waitsFor?.join('; ') ?? ''
    assert.match(text, wanted, JSON.stringify(status))
  })
  return /digest (sha256:[0-9a-f]{64})/.exec(text)?.[1]
}

const succeeds = (on: Hub, name: string): Promise<void> =>
  eventually(async () => {
    const { status } = await runOf(on, name)
    assert.equal(status?.phase, 'Succeeded', JSON.stringify(status))
  })

/** The plans of a run: unit, what would change, where it is, and who approved its stage. */
const plansOf = async (on: Hub, run: string) => {
  const { items } = await on.get<{ readonly items: readonly Plan[] }>('plans', '-n', 'default')
  return items
    .filter(({ spec }) => spec.rolloutRun === `default/${run}`)
    .map(({ spec, status }) => [spec.unit.name, spec.summary, status?.phase, status?.stageApprovedBy?.join()])
    .toSorted()
}

const push = async (on: Hub, repo: GitRepo, files: Readonly<Record<string, string>>): Promise<void> => {
  await repo.push(files)
  await on.kubectl('annotate', '--overwrite', 'gitrepository/fleet', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
}

const configMap = (version: string) => ({
  'app.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: default}\ndata: {version: "${version}"}\n`,
})

const unit = (name: string) => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default, labels: {city: ${name}}}
spec: {interval: 1m, kubeConfig: {secretRef: {name: ${name}}}}
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app-${name}, namespace: default}
spec: {interval: 1h, retryInterval: 2s, prune: true, path: ./, sourceRef: {kind: GitRepository, name: fleet}, kubeConfig: {secretRef: {name: ${name}}}}
---`

const web = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: web, namespace: default}
spec:
  sources: [{kind: GitRepository, name: fleet}]
  stages:
    - {name: first, clusterSelector: {matchLabels: {city: paris}}, ${plansGate}}
    - {name: others, eachCluster: {before: [{name: go, approval: {}}]}}
---`

test('RO-02 RO-05 keelson rollout approve: a stage applies the plans that were approved as one, and a cluster starts by an approval of its own', async () => {
  const [on, repo, paris, rome] = await Promise.all([hub(), gitRepo(configMap('1')), cluster(), cluster()])
  const secrets = kubeconfigSecret('paris', paris) + kubeconfigSecret('rome', rome)
  await on.apply(people + secrets + web + fleetRepository(repo) + unit('paris') + unit('rome'))
  const approve = (user: string, ...more: readonly string[]) => keelson(on, user, 'rollout', 'approve', 'web', ...more)
  const live = () =>
    Promise.all(
      [paris, rome].map(target =>
        target.kubectl('get', 'configmap', 'app', '-o', 'jsonpath={.data.version}', '--ignore-not-found'),
      ),
    )

  await waitsFor(on, 'web-1', /^gate plans: waits for an approval of 1 plan \(\+1\), digest \S+$/)
  assert.deepEqual(await live(), ['', ''])
  assert.equal((await approve('jane')).exitCode, 0)
  await waitsFor(on, 'web-1', /^gate go of default\/rome: waits for an approval$/)
  assert.deepEqual(await live(), ['1', ''])
  const atGate = await keelson(on, 'jane', 'rollout', 'status', 'web')
  assert.match(atGate.stdout, /^Approve: {3}keelson rollout approve web -n default --cluster default\/rome$/m)
  assert.match(
    atGate.stdout,
    /^CLUSTER AT A GATE +STAGE +GATE +WAITS FOR\ndefault\/rome +others +go +waits for an approval$/m,
  )
  assert.equal((await approve('jane', '--cluster', 'default/rome')).exitCode, 0)
  await succeeds(on, 'web-1')
  assert.deepEqual(await live(), ['1', '1'])

  await push(on, repo, configMap('2'))
  const digest = await waitsFor(on, 'web-2', /^gate plans: waits for an approval of 1 plan \(~1\), digest \S+$/)
  const shown = await keelson(on, 'jane', 'rollout', 'status', 'web')
  assert.match(shown.stdout, new RegExp(`^Plans: {5}1 of stage first, ~1, ${digest}$`, 'm'), shown.stderr)
  assert.match(shown.stdout, new RegExp(`^Approve: {3}keelson rollout approve web -n default --digest ${digest}$`, 'm'))
  const other = await approve('jane', '--digest', `sha256:${'0'.repeat(64)}`)
  assert.deepEqual(
    [other.exitCode, other.stderr],
    [1, '✗ stage first of web-2 has other plans by now: run keelson rollout status\n'],
  )
  const unable = await approve('edith')
  assert.equal(unable.exitCode, 1)
  assert.match(unable.stderr, /may not approve|cannot approve/)
  assert.deepEqual(await live(), ['1', '1'])
  const approved = await approve('jane', '--digest', digest!, '--comment', 'as agreed')
  assert.match(approved.stdout, /^✔ approved: stage first of web-2, main@sha1:[0-9a-f]{40}\n$/, approved.stderr)

  await waitsFor(on, 'web-2', /^gate go of default\/rome: waits for an approval$/)
  assert.deepEqual(await live(), ['2', '1'])
  assert.deepEqual(await plansOf(on, 'web-2'), [['app-paris', '~1', 'Applied', 'jane']])
  const stage = await approve('jane')
  assert.match(stage.stderr, /^✗ stage others of web-2 has no gate that needs an approval: name one with --stage\n$/)
  const elsewhere = await approve('edith', '--cluster', 'default/rome')
  assert.match(elsewhere.stderr, /may not approve|cannot approve/)
  const second = await approve('jane', '--cluster', 'default/rome')
  assert.match(second.stdout, /^✔ approved: default\/rome in stage others of web-2, main@sha1:[0-9a-f]{40}\n$/)
  await succeeds(on, 'web-2')
  assert.deepEqual(await live(), ['2', '2'])
})

const chart = (version: string) => ({
  'chart/Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.${version}\n`,
  'chart/templates/a.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: '{{ .Release.Name }}', namespace: default}\ndata: {version: "${version}"}\n`,
})

const chartSpec =
  'interval: 1h, chart: ./chart, reconcileStrategy: ChartVersion, sourceRef: {kind: GitRepository, name: fleet}'

const releases = `
apiVersion: source.toolkit.fluxcd.io/v1
kind: HelmChart
metadata: {name: app, namespace: default}
spec: {${chartSpec}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: app, namespace: default}
spec: {interval: 1h, chartRef: {kind: HelmChart, name: app}, kubeConfig: {secretRef: {name: paris}}}
---
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: own, namespace: default}
spec: {interval: 1h, chart: {spec: {${chartSpec}}}, kubeConfig: {secretRef: {name: paris}}}
---
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: releases, namespace: default}
spec:
  sources: [{kind: HelmChart, name: app}]
  stages: [{name: all, ${plansGate}}]
---`

test('RO-05 RO-06 HelmReleases with a chartRef and with a chart of their own are installed and upgraded by the plans that their stage has approved, and keep their charts until then', async () => {
  const [on, repo, paris] = await Promise.all([hub(), gitRepo(chart('1')), cluster()])
  await on.apply(people + kubeconfigSecret('paris', paris) + releases + fleetRepository(repo))
  const version = (name: string) =>
    paris.kubectl('get', 'configmap', name, '-o', 'jsonpath={.data.version}', '--ignore-not-found')
  const versions = () => Promise.all([version('app'), version('own')])
  const approve = async (digest: string | undefined) => {
    const { exitCode, stderr } = await keelson(on, 'jane', 'rollout', 'approve', 'releases', '--digest', digest!)
    assert.deepEqual([exitCode, stderr], [0, ''])
  }

  const first = await waitsFor(on, 'releases-1', /^gate plans: waits for an approval of 2 plans \(\+2\), digest \S+$/)
  assert.deepEqual(await versions(), ['', ''])
  await approve(first)
  await succeeds(on, 'releases-1')
  assert.deepEqual(await versions(), ['1', '1'])

  await push(on, repo, chart('2'))
  const second = await waitsFor(on, 'releases-2', /^gate plans: waits for an approval of 2 plans \(~2\), digest \S+$/)
  const ready = await on.kubectl(
    'get',
    'helmrelease',
    'app',
    '-o',
    'jsonpath={.status.conditions[?(@.type=="Ready")].status}',
  )
  assert.deepEqual([...(await versions()), ready], ['1', '1', 'True'], 'a plan disturbs nothing')
  await approve(second)
  await succeeds(on, 'releases-2')
  assert.deepEqual(await versions(), ['2', '2'])
  assert.deepEqual(await plansOf(on, 'releases-2'), [
    ['app', '~1', 'Applied', 'jane'],
    ['own', '~1', 'Applied', 'jane'],
  ])
  const installed = await on.kubectl('get', 'helmrelease', 'app', '-o', 'jsonpath={.status.history[*].chartVersion}')
  assert.equal(installed, '1.0.2 1.0.1')
})
