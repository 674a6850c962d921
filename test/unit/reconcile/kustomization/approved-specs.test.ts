import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KustomizationSpec } from '../../../../lib/foundations/kinds/kustomization.ts'
import { kustomizationRef } from '../../hub/store/world.ts'
import { decide, openPlan, phases, required, withUnit } from './approvals-scene.ts'
import { author, configMap, onStage, type Scene } from './scene.ts'
import { annotate, conditionsOf, hour, waiting } from './windows-scene.ts'

// A new spec is a change that needs approval. Until then the unit is what its former spec makes of it.

const child = `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: child, namespace: default}
spec: {interval: 10m, prune: true, path: ./child, sourceRef: {kind: GitRepository, name: app}}
`
const app = kustomizationRef('app')
const configMapA = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }
const drift = ({ hub }: Scene) =>
  hub.patch(configMapA, { type: 'merge', patch: { data: { value: 'drifted' } } }, author)
const specify = async ({ hub, settle }: Scene, spec: Partial<KustomizationSpec>) => {
  await hub.patch(app, { type: 'merge', patch: { spec } }, author)
  await settle()
}
const generations = async (scene: Scene) => {
  const { metadata, status } = (await scene.read('app'))!
  const { ready } = await conditionsOf(scene)
  return [metadata.generation, status?.observedGeneration, ready?.observedGeneration]
}

test('drift is corrected while a new spec waits, with the spec that was approved; Ready is about that one', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    await specify(scene, { commonMetadata: { labels: { tier: 'web' } } })
    const plan = await openPlan(scene)
    await drift(scene)
    await scene.advance(hour)
    assert.deepEqual(await scene.values(), { a: '1' })
    const { ready } = await conditionsOf(scene)
    assert.deepEqual([ready?.status, ready?.message], ['True', 'Applied revision: main@sha1:1'])
    assert.deepEqual(await generations(scene), [2, 1, 1], 'the new spec is not ready')
    assert.match((await waiting(scene)) ?? '', /ApprovalRequired/)
    await scene.advance(hour)
    assert.equal((await openPlan(scene)).metadata.name, plan.metadata.name, 'it is the same plan')
    await decide(scene, plan, 'jane')
    assert.deepEqual(await generations(scene), [2, 2, 2])
    assert.equal(await waiting(scene), undefined)
  })
})

test('a new spec waits also if it makes the same objects, and if the pass before has failed', async () => {
  await onStage({}, async scene => {
    await withUnit(scene)
    await specify(scene, { force: true, dependsOn: [{ name: 'first' }] })
    assert.equal((await conditionsOf(scene)).ready?.reason, 'DependencyNotReady')
    await scene.kustomize('first')
    await scene.advance(hour)
    assert.match((await waiting(scene)) ?? '', /ApprovalRequired/)
    assert.deepEqual(await phases(scene), ['Waiting'])
  })
})

for (const cancelHealthChecks of [false, true])
  test(`the health of what was approved is checked as its own spec says (${cancelHealthChecks ? 'with' : 'without'} CancelHealthCheckOnNewRevision)`, async () => {
    await onStage({ settings: { cancelHealthChecks } }, async scene => {
      const files = { 'app/child.yaml': child, 'child/a.yaml': configMap('a', '1') }
      await scene.push('1', files)
      await scene.kustomize('app', { path: './app', wait: true, timeout: '1m', retryInterval: '1h' })
      await scene.advance(10_000)
      await annotate(scene, required)
      await specify(scene, { wait: false })
      await scene.push('2', { ...files, 'app/b.yaml': configMap('b', '1') })
      const changeChild = (spec: object) =>
        scene.hub.patch(kustomizationRef('child'), { type: 'merge', patch: { spec } }, author)

      await changeChild({ sourceRef: { name: 'never' } })
      await scene.advance(hour + 30_000)
      assert.deepEqual(await generations(scene), [2, 1, 1])
      const { ready } = await conditionsOf(scene)
      assert.equal(ready?.message, 'Applied revision: main@sha1:1', 'the child is ready again')
      assert.equal((await scene.read('child'))?.spec.sourceRef.name, 'app')

      await changeChild({ dependsOn: [{ name: 'never' }] }) // a field that is not applied
      await scene.advance(hour + 90_000)
      const { ready: failed } = await conditionsOf(scene)
      assert.deepEqual([failed?.status, failed?.reason, failed?.observedGeneration], ['False', 'HealthCheckFailed', 1])
      await scene.advance(3 * hour)
      assert.match((await waiting(scene)) ?? '', /ApprovalRequired/, 'nothing else is applied')
      assert.deepEqual(await generations(scene), [2, 1, 1])
      await decide(scene, await openPlan(scene), 'jane')
      assert.deepEqual([(await conditionsOf(scene)).ready?.status, await generations(scene)], ['True', [2, 2, 2]])
    })
  })
