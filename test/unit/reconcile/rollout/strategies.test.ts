/** Stages that a Rollout takes from a RolloutStrategy. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Rollout } from '../../../../lib/foundations/kinds/rollout.ts'
import type { StrategySpec } from '../../../../lib/foundations/kinds/rollout-stages.ts'
import type { Outcome } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { shown } from '../world.ts'
import { openScene, type Scene, tier } from './scene.ts'

const minute = 60_000
const tiers = { canary: ['canary'], europe: ['paris', 'rome'] }

const revisionsOf = async (scene: Scene) => Object.values(await scene.revisions())

test('RO-02 a Rollout takes its stages from the RolloutStrategy that it names: a change of it counts for the next run, and wakes the Rollout', async () => {
  let passes = 0
  const around = (pass: () => Promise<Outcome<Rollout>>) => {
    passes += 1
    return pass()
  }
  const scene = await openScene({ tiers, stages: undefined, more: { strategyRef: { name: 'careful' } }, around })
  const metadata = { namespace: 'apps', name: 'careful' }
  const careful = { group: 'fleet.keelson.dev', kind: 'RolloutStrategy', ...metadata }
  const create = (spec: StrategySpec) =>
    scene.hub.create(
      { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: careful.kind, metadata, spec } as KubernetesObject,
      { fieldManager: 'test' },
    )
  /** The number of passes that a change makes, without any passing of time. */
  const wakes = async (change: () => Promise<unknown>): Promise<number> => {
    const before = passes
    await change()
    await scene.settle()
    return passes - before
  }
  const readiness = async () => shown(await scene.rollout()).find(text => text.startsWith('Ready')) ?? ''
  assert.match(await readiness(), /^Ready=False StrategyNotFound: RolloutStrategy\/apps\/careful was not found$/)

  const canaryFirst = [
    { ...tier('canary'), after: [{ wait: '1h' }] },
    { ...tier('europe'), maxConcurrency: 2 },
  ]
  assert.notEqual(await wakes(() => create({ stages: canaryFirst, supersede: 'ReplaceNow' })), 0)
  await scene.advance(65 * minute)
  assert.equal((await scene.run('web-1')).status?.phase, 'Succeeded')
  assert.match(await readiness(), /^Ready=True RolloutSucceeded/)

  await scene.publish('v2')
  await scene.advance(5 * minute)
  const patch = { spec: { stages: [{ name: 'all', maxConcurrency: 3 }], offline: 'Block' } }
  const changed = await wakes(() => scene.hub.patch(careful, { type: 'merge', patch }, { fieldManager: 'test' }))
  assert.notEqual(changed, 0)
  assert.notEqual(await wakes(() => scene.hub.delete(careful, {})), 0)
  assert.match(
    await readiness(),
    /^Ready=Unknown .*: waits for gate wait: opens at .*; no newer one begins: RolloutStrategy\/apps/,
  )
  await scene.publish('v3')
  await scene.advance(5 * minute)
  assert.deepEqual(await revisionsOf(scene), ['v2', 'v1', 'v1'], 'no newer run takes over, as none can begin')
  await scene.advance(60 * minute)
  const { status, spec } = await scene.run('web-2')
  assert.deepEqual([status?.phase, spec.stages.length, spec.offline], ['Succeeded', 2, 'Skip'])
  assert.deepEqual(await revisionsOf(scene), ['v2', 'v2', 'v2'])
  assert.match(
    await readiness(),
    /^Ready=False StrategyNotFound: RolloutRun web-2: .*RolloutStrategy\/apps\/careful was not/,
  )

  assert.notEqual(await wakes(() => create(patch.spec as StrategySpec)), 0)
  await scene.advance(3 * minute)
  const { spec: next } = await scene.run('web-3')
  assert.deepEqual([next.stages.map(({ name }) => name), next.offline], [['all'], 'Block'])
  assert.deepEqual(await revisionsOf(scene), ['v3', 'v3', 'v3'])
  assert.match(await readiness(), /^Ready=True RolloutSucceeded/)
  await scene.close()
})
