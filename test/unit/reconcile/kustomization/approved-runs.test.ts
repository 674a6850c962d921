import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { approvedBy, decide, openPlan, phases, required } from './approvals-scene.ts'
import { author, configMap, onStage } from './scene.ts'
import { annotate, conditionsOf } from './windows-scene.ts'

test('objects that get healthy in a later pass, or that are applied by another attempt, belong to the approved plan', async () => {
  let isRefused = false
  const refusing = (hub: ClusterClient): ClusterClient => ({
    ...hub,
    apply: async (object, options) => {
      if (isRefused && !options.dryRun) throw new ClusterError('invalid', 'not now')
      return hub.apply(object, options)
    },
  })
  await onStage({ cluster: refusing }, async scene => {
    const { push, kustomize, hub, advance, runs } = scene
    const repository = (interval: string) =>
      `apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: child, namespace: default}\nspec: {interval: ${interval}, url: "https://git.example/x"}\n`
    await push('1', { 'a.yaml': configMap('a', '1') })
    await kustomize('app', { wait: true, timeout: '1h', retryInterval: '1m' })
    await annotate(scene, required)
    await push('2', { 'child.yaml': repository('1m') })
    const first = await openPlan(scene)
    await decide(scene, first, 'jane')
    assert.equal((await openPlan(scene)).status?.phase, 'Approved', 'it waits for the repository')
    const child = { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'default', name: 'child' }
    const makeReady = async () => {
      const { generation } = (await hub.get<KubernetesObject>(child))!.metadata
      const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '' }
      const times = { lastTransitionTime: '2026-01-01T00:00:00Z', observedGeneration: generation }
      const status = { observedGeneration: generation, conditions: [{ ...ready, ...times }] }
      await hub.patch(child, { type: 'merge', patch: { status } }, { subresource: 'status', ...author })
      await advance(60_000)
    }
    await makeReady()
    assert.deepEqual(await phases(scene), ['Applied'])
    assert.deepEqual((await runs()).at(-1)?.plan, approvedBy(first, 'jane'))

    await push('3', { 'child.yaml': repository('2m') })
    const second = await openPlan(scene)
    isRefused = true
    await decide(scene, second, 'bob')
    assert.equal((await conditionsOf(scene)).ready?.status, 'False')
    isRefused = false
    await advance(120_000)
    await makeReady()
    assert.deepEqual(await phases(scene), ['Applied', 'Applied'])
    const run = (await runs()).at(-1)
    assert.deepEqual([run?.result, run?.plan], ['Succeeded', approvedBy(second, 'bob')])
  })
})
