/** `keelson fleet`, `why` and `runs` on real clusters: what fails anywhere and why, each cause once; what changed, and who asked. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FleetSummary } from '../../lib/foundations/fleet/fleet-summary.ts'
import { kubeconfigThatExpiresSoon } from '../bed/aged-token.ts'
import { cluster } from '../bed/cluster.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, kubeconfigSecret } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { askers, changesOf, inAnHour, onlyRunSince, pushAs, runsSince, yearLong } from './asked-parts.ts'

const keelson = (on: Hub, ...args: readonly string[]): Promise<Ending> =>
  ending(process.execPath, [program, ...args, '--kubeconfig', on.kubeconfig])

const clusterOf = (name: string): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default}
spec: {interval: 1s, timeout: 2s, kubeConfig: {secretRef: {name: ${name}}}}
---`

const unitOn = (at: string, name: string, path: string): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 1h
  retryInterval: 5s
  prune: true
  path: ${path}
  sourceRef: {kind: GitRepository, name: app}
  kubeConfig: {secretRef: {name: ${at}}}
  postBuild: {substitute: {unit: ${name}}}
---`

const config = (color: string) => ({
  'app/config.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "\${unit}", namespace: default}\ndata: {color: ${color}}\n`,
})

const files = {
  ...config('blue'),
  'broken/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [broken\n',
}

const namesOn = (at: string): readonly string[] => Array.from({ length: 10 }, (_, i) => `${at}-${i}`)

const tenUnitsOn = (at: string, broken?: string): string =>
  namesOn(at)
    .map(name => unitOn(at, name, name === broken ? 'broken' : 'app'))
    .join('')

test('CL-010 30 Kustomizations on 3 clusters, one of them dead, a broken manifest, a credential that expires soon: the first screen names the three causes, and runs tells who asked for what changed', async () => {
  const [one, dead, old, repo, on] = await Promise.all([cluster(), cluster(), cluster(), gitRepo(files), hub()])
  const expiring = join(tempDir({}), 'kubeconfig')
  writeFileSync(expiring, await kubeconfigThatExpiresSoon(old))
  await dead.stop()
  await on.apply(
    appRepository(repo) +
      askers +
      kubeconfigSecret('one', one) +
      kubeconfigSecret('dead', dead) +
      kubeconfigSecret('old', { kubeconfig: expiring }) +
      ['one', 'dead', 'old'].map(clusterOf).join('') +
      tenUnitsOn('one', 'one-3') +
      tenUnitsOn('dead') +
      tenUnitsOn('old'),
  )
  const { stdout } = await eventually(
    async () => {
      const said = await keelson(on, 'fleet', '-n', 'default')
      assert.match(
        said.stdout,
        /^3 clusters: 2 ready, 1 unreachable; 30 units: 19 ready, 11 failed$/m,
        said.stdout + said.stderr,
      )
      assert.equal(said.exitCode, 1, said.stderr)
      return said
    },
    { every: 500 },
  )
  const screen = stdout.split('\n').slice(0, 24)
  const causes = screen.filter(line => /^(error|warning) /.test(line))
  assert.equal(causes.length, 3, stdout)
  assert.match(causes[0]!, /^error +10 +\S+ +Cluster\/default\/dead +ClusterUnreachable: .*connection refused/)
  assert.match(causes[1]!, /^error +1 +\S+ +Kustomization\/default\/one-3 +BuildFailed: .*config\.yaml/)
  assert.match(
    causes[2]!,
    /^warning +10 +\S* +Cluster\/default\/old +ExpiresSoon: the token expires at \S+: replace it/,
  )
  assert.match(stdout, /^Cluster\/default\/dead +no +10 +0 +0 +10 +0 /m)
  assert.match(stdout, /^Cluster\/default\/one +yes +10 +9 +0 +1 +0 /m)

  const wide = await keelson(on, 'fleet', '-A', '-o', 'wide')
  assert.match(wide.stdout, /^Cluster\/default\/one .* v1\.\S+ +Kustomization 9\/10$/m)
  const paged = await keelson(on, 'fleet', '-A', '--limit', '2', '-o', 'json')
  const summary: FleetSummary = JSON.parse(paged.stdout)
  assert.deepEqual([summary.causes.length, summary.moreCauses, summary.rows.length, summary.continue], [2, 1, 2, '2'])
  assert.deepEqual(summary.causes[0]?.units.total, 10)
  const rest: FleetSummary = JSON.parse(
    (await keelson(on, 'fleet', '-A', '--limit', '2', '-o', 'json', '--continue', '2')).stdout,
  )
  assert.deepEqual([rest.rows.map(({ cluster }) => cluster), rest.continue], [['Cluster/default/old'], undefined])

  // What a Cluster itself tells.
  const why = (name: string) => keelson(on, 'why', `cluster/${name}`, '-n', 'default')
  await eventually(async () => {
    const { exitCode, stdout } = await why('dead')
    assert.equal(exitCode, 1)
    assert.match(stdout, /^Cluster\/default\/dead is failing, and is retried, since \d+\w+ \(\S+\)$/m)
    assert.match(stdout, /^ {2}reason +ClusterUnreachable: .*connection refused/m)
    assert.match(stdout, /^ {2}breaker +open since \d+\w+ \(\S+\): units fail without a request$/m)
    assert.match(stdout, /^ {2}next +retried with growing delays/m)
    assert.match(stdout, /Warning +ClusterUnreachable/)
  })
  const healthy = await why('one')
  assert.equal(healthy.exitCode, 0)
  assert.match(healthy.stdout, /^Cluster\/default\/one is ready, since /)
  assert.match(healthy.stdout, /^ {2}version +v1\.\S+, responds in \d+ms$/m)
  assert.match((await why('old')).stdout, /^ {2}credential +Token, valid for (47h|2d)\w* more \(until \S+\)$/m)

  // What changes while that lasts: a push to all units,
  const from = new Date()
  const push = (color: string) => pushAs('mona', config(color), repo, on)
  const commit = await push('green')
  const succeeded = ['--result', 'succeeded']
  const applied = [...namesOn('one').filter(name => name !== 'one-3'), ...namesOn('old')]
  const ofPush = await eventually(async () => {
    const runs = await runsSince(on, from, '--by', 'mona', ...succeeded)
    assert.deepEqual(runs.map(({ unit }) => unit.name).toSorted(), applied.toSorted())
    return runs
  })
  for (const run of ofPush) {
    assert.deepEqual(run.cause, { type: 'Source', user: 'Receiver default/github for mona' })
    assert.equal(run.revision, `main@sha1:${commit}`)
    assert.deepEqual(changesOf(run), [[run.unit.name, 'data.color: blue -> green']])
  }

  // a request by a person,
  const annotate = (user: string, text: string) =>
    on.kubectl('annotate', '--overwrite', 'kustomization/one-0', text, '--as', user)
  await annotate('jane', `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`)
  const requested = await onlyRunSince(on, from, '--by', 'jane')
  assert.deepEqual(
    [requested.unit.name, requested.cause.type, requested.cause.user, changesOf(requested)],
    ['one-0', 'Request', 'jane', []],
  )

  // and a window of a Cluster that holds a push back, until a person overrides it for one unit.
  const held = new Date()
  await on.kubectl('patch', 'cluster/one', '--type=merge', '-p', JSON.stringify({ spec: { windows: [yearLong] } }))
  const fix = await push('red')
  await eventually(async () => {
    const { stdout } = await keelson(on, 'fleet', '-n', 'default')
    assert.match(stdout, /^Cluster\/default\/one +yes +10 +9 +0 +1 +0 +0 +9$/m, stdout)
  })
  assert.deepEqual(await runsSince(on, held, '--cluster', 'one', ...succeeded), [])
  await annotate('omar', `keelson.dev/override-window=${inAnHour()} the fix of the outage`)
  const overridden = await onlyRunSince(on, held, '--cluster', 'one', ...succeeded)
  assert.deepEqual(
    [overridden.unit.name, overridden.cause, overridden.revision, changesOf(overridden)],
    [
      'one-0',
      { type: 'Override', user: 'omar', reason: 'the fix of the outage' },
      `main@sha1:${fix}`,
      [['one-0', 'data.color: green -> red']],
    ],
  )
  const overriding = await keelson(on, 'why', 'kustomization/one-0', '-n', 'default')
  assert.match(overriding.stdout, /^ {2}override +omar overrides the windows until \S+: the fix of the outage$/m)
  const changed = await runsSince(on, from, '--cluster', 'one', ...succeeded)
  assert.deepEqual(changed.slice(0, 2), [overridden, requested])
  assert.deepEqual(
    changed.slice(2),
    ofPush.filter(({ cluster }) => cluster?.name === 'one'),
  )

  await dead.start()
  await eventually(
    async () => {
      const said = await keelson(on, 'fleet', '-n', 'default')
      assert.match(said.stdout, /^3 clusters: 3 ready; 30 units: 29 ready, 1 failed$/m, said.stdout)
    },
    { every: 500 },
  )
})
