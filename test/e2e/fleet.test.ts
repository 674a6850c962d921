/** `keelson fleet` on real clusters: what fails anywhere and why, each cause once, under the caller's rights. */
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
import { tempDir } from '../bed/temp-dir.ts'

const program = join(import.meta.dirname, '../../lib/cli/keelson.js')

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

const files = {
  'app/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "${unit}", namespace: default}\n',
  'broken/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: [broken\n',
}

const tenUnitsOn = (at: string, broken?: number): string =>
  Array.from({ length: 10 }, (_, i) => unitOn(at, `${at}-${i}`, i === broken ? 'broken' : 'app')).join('')

test('CL-010 30 Kustomizations on 3 clusters, one of them dead, a broken manifest, a credential that expires soon: the first screen names the three causes', async () => {
  const [one, dead, old, repo, on] = await Promise.all([cluster(), cluster(), cluster(), gitRepo(files), hub()])
  const expiring = join(tempDir({}), 'kubeconfig')
  writeFileSync(expiring, await kubeconfigThatExpiresSoon(old))
  await dead.stop()
  await on.apply(
    appRepository(repo) +
      kubeconfigSecret('one', one) +
      kubeconfigSecret('dead', dead) +
      kubeconfigSecret('old', { kubeconfig: expiring }) +
      ['one', 'dead', 'old'].map(clusterOf).join('') +
      tenUnitsOn('one', 3) +
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

  await dead.start()
  await eventually(
    async () => {
      const said = await keelson(on, 'fleet', '-n', 'default')
      assert.match(said.stdout, /^3 clusters: 3 ready; 30 units: 29 ready, 1 failed$/m, said.stdout)
    },
    { every: 500 },
  )
})
