import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ignoredFields } from '../../lib/clusters/apply/ignored-fields.ts'
import { correct, describeDifference, diff } from '../../lib/clusters/helm-release/drift.ts'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { chartFiles, configMap, helmReleaseBed, intercepted } from './helm-release-bed.ts'

const bed = await helmReleaseBed()

test('HR-085 HR-086 HR-087 drift is seen, reported without values, and corrected', async () => {
  const space = await bed.space()
  const files = chartFiles({
    'a.yaml': configMap('a', { x: '1' }),
    'b.yaml': configMap('b'),
    'c.yaml': configMap('c', {}, { 'helm.toolkit.fluxcd.io/driftDetection': 'disabled' }),
    'd.yaml': configMap('d', { ignored: '1' }),
    'e.yaml': configMap('e'),
  })
  const { release } = await install(space.deps, await space.installOf(files))
  const owner = { group: 'helm.toolkit.fluxcd.io', name: 'app', namespace: space.namespace }
  const options = {
    ...{ owner, fieldManager: 'helm-controller', overriddenManagers: [] },
    ignored: ignoredFields([{ paths: ['/data/ignored'], target: { kind: 'ConfigMap', name: 'd' } }]),
  }
  const look = () => diff(space.deps, release, space.namespace, options)
  const excluded = `ConfigMap/${space.namespace}/c excluded`
  assert.deepEqual((await look()).map(describeDifference), [excluded])

  await space.kubectl('patch', 'configmap', 'a', '--type=merge', '-p', '{"data":{"x":"secret"}}')
  await space.kubectl('patch', 'configmap', 'd', '--type=merge', '-p', '{"data":{"ignored":"2"}}')
  await space.kubectl('patch', 'configmap', 'e', '--type=merge', '-p', '{"data":{"own":"2"}}')
  await space.kubectl('delete', 'configmap', 'b')
  const differences = await look()
  assert.deepEqual(differences.map(describeDifference), [
    `ConfigMap/${space.namespace}/a changed (0 additions, 1 changes, 0 removals)`,
    `ConfigMap/${space.namespace}/b removed`,
    excluded,
  ])
  const { corrected, failures } = await correct(space.deps, differences, 'helm-controller')
  assert.deepEqual([corrected.map(({ metadata }) => metadata.name), failures], [['b', 'a'], []])
  assert.deepEqual((await look()).map(describeDifference), [excluded])
  assert.equal((await space.live('configmap', 'a')).data.x, '1')
  assert.equal((await space.live('configmap', 'd')).data.ignored, '2')
})

test('HR-085 a release at rest is checked by one list per kind, without a dry run', async () => {
  const space = await bed.space()
  const files = chartFiles(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`c${n}.yaml`, configMap(`c${n}`)])))
  const { release } = await install(space.deps, await space.installOf(files))
  const calls: string[] = []
  const counting = intercepted(bed.client, async (name, call) => {
    calls.push(name)
    return call()
  })
  const owner = { group: 'helm.toolkit.fluxcd.io', name: 'app', namespace: space.namespace }
  const options = { owner, fieldManager: 'helm-controller', overriddenManagers: [], ignored: ignoredFields([]) }
  assert.deepEqual(await diff(space.depsWith(counting), release, space.namespace, options), [])
  assert.deepEqual(calls, ['list'])
})
