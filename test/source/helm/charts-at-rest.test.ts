import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmChart } from '../../../lib/foundations/kinds/helm-chart.ts'
import { chartVisit } from '../../../lib/reconcile/source-artifact/visits.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { minute } from '../oci/oci-world.ts'
import { from, openHelmWorld } from './helm-world.ts'

test('charts of files at rest are visited together, and their source is not read again', async ({ mock }) => {
  const chart = (name: string) => ({ [`${name}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 0.1.0\n` })
  const git = await gitRepo({ ...chart('a'), ...chart('b'), 'b/values.yaml': '{}', 'b/prod.yaml': 'a: 1\n' })
  const world = await openHelmWorld()
  await world.applies('GitRepository', 'repo', { url: git.url, ref: { branch: 'main' } })
  // All in one of the four groups that charts of a source are divided into.
  const source = from('repo', 'GitRepository')
  const group = (name: string) => chartVisit({ metadata: { namespace: 'default', name }, spec: source } as HelmChart)
  const names = Array.from({ length: 40 }, (_, at) => `chart-${at}`).filter(name => group(name) === group('chart-0'))
  const specs = [
    { chart: './a' },
    { chart: 'a', reconcileStrategy: 'Revision' },
    { chart: 'b', valuesFiles: ['b/prod.yaml', 'b/none.yaml'], ignoreMissingValuesFiles: true },
  ]
  for (const [at, spec] of specs.entries()) await world.applies('HelmChart', names[at]!, { ...spec, ...source })
  await world.advance(45 * minute)
  const reads = mock.method(world.platform.artifacts, 'get')
  const writes = mock.method(world.platform.artifacts, 'put')
  for (const list of [world.visited, world.passes, world.changes]) list.splice(0)
  await world.advance(25 * minute)
  const looks = world.visited.map(({ unchanged }) => unchanged.filter(({ ref }) => ref.kind === 'HelmChart').length)
  assert.deepEqual(new Set(looks.filter(Boolean)), new Set([specs.length]))
  assert.deepEqual([world.passes.length, world.changes.length, writes.mock.callCount()], [0, 0, 0])
  assert.equal(reads.mock.callCount(), 0)

  const commit = await git.push({ 'a/values.yaml': 'a: 2\n' })
  await world.advance(12 * minute)
  assert.equal((await world.chart(names[1]!))!.artifact!.revision, `0.1.0+${commit.slice(0, 12)}`)
})

test('a source whose content has changed under the same revision is read again', async ({ mock }) => {
  const git = await gitRepo({ 'a/Chart.yaml': 'apiVersion: v2\nname: a\nversion: 0.1.0\n', 'a/values.yaml': 'a: 1\n' })
  const world = await openHelmWorld()
  const files = { url: git.url, ref: { branch: 'main' } }
  await world.applies('GitRepository', 'repo', files)
  await world.applies('HelmChart', 'a', { chart: './a', ...from('repo', 'GitRepository') })
  await world.advance(45 * minute)
  const reads = mock.method(world.platform.artifacts, 'get')
  await world.advance(15 * minute)
  assert.equal(reads.mock.callCount(), 0)
  await world.applies('GitRepository', 'repo', { ...files, ignore: 'a/values.yaml' })
  await world.advance(25 * minute)
  assert.ok(reads.mock.callCount() > 0)
})

test('the charts of the releases of a namespace are one visit, others of the source are divided', () => {
  const chart = (name: string, labels?: object) =>
    ({ metadata: { namespace: 'default', name, labels }, spec: from('repo') }) as HelmChart
  const ofReleases = (namespace: string) =>
    Array.from({ length: 20 }, (_, at) =>
      chartVisit(chart(`${namespace}-${at}`, { 'helm.toolkit.fluxcd.io/namespace': namespace })),
    )
  assert.equal(new Set(ofReleases('a')).size, 1)
  assert.equal(new Set([...ofReleases('a'), ...ofReleases('b')]).size, 2)
  const others = Array.from({ length: 40 }, (_, at) => chartVisit(chart(`chart-${at}`)))
  assert.equal(new Set([...others, ...ofReleases('a')]).size, 5)
})

test('a chart that changes its visit is looked at by the other, and not forgotten', async () => {
  const git = await gitRepo({ 'a/Chart.yaml': 'apiVersion: v2\nname: a\nversion: 0.1.0\n' })
  const world = await openHelmWorld()
  await world.applies('GitRepository', 'repo', { url: git.url, ref: { branch: 'main' } })
  const spec = { chart: './a', reconcileStrategy: 'Revision', ...from('repo', 'GitRepository') }
  await world.applies('HelmChart', 'a', spec)
  await world.advance(45 * minute)
  await world.applies('HelmChart', 'a', spec, { labels: { 'helm.toolkit.fluxcd.io/namespace': 'default' } })
  await world.advance(45 * minute)
  world.visited.splice(0)
  await world.advance(12 * minute)
  const groups = world.visited.flatMap(({ group, unchanged }) =>
    unchanged.some(({ ref }) => ref.kind === 'HelmChart') ? [group] : [],
  )
  assert.deepEqual(new Set(groups), new Set(['default/GitRepository/repo/releases/default']))
})
