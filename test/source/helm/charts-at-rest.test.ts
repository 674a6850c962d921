import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmChart } from '../../../lib/foundations/kinds/helm-chart.ts'
import { chartVisit } from '../../../lib/reconcile/source-artifact/visits.ts'
import { gitRepo } from '../../bed/git-repo.ts'
import { minute } from '../oci/oci-world.ts'
import { from, openHelmWorld } from './helm-world.ts'

test('charts of files at rest are visited: their source is read once a visit for all of them', async ({ mock }) => {
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
  assert.equal(reads.mock.callCount(), looks.filter(Boolean).length)

  const commit = await git.push({ 'a/values.yaml': 'a: 2\n' })
  await world.advance(12 * minute)
  assert.equal((await world.chart(names[1]!))!.artifact!.revision, `0.1.0+${commit.slice(0, 12)}`)
})
