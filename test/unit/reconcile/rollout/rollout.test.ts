import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rolloutsAnnotation } from '../../../../lib/foundations/kinds/rollout.ts'
import { shown } from '../world.ts'
import { openScene, type Scene, tier } from './scene.ts'

const minute = 60_000
const tiers = { canary: ['canary'], europe: ['paris', 'rome'], asia: ['tokyo'] }
const stages = [tier('canary'), tier('europe'), { name: 'others', maxConcurrency: '100%' }]
const all = (revision: string) => ({ canary: revision, paris: revision, rome: revision, tokyo: revision })

const begun = async (options: Partial<Parameters<typeof openScene>[0]> = {}): Promise<Scene> => {
  const scene = await openScene({ tiers, stages, ...options })
  await scene.settle()
  await scene.advance(5 * minute)
  return scene
}

const phaseOf = async (scene: Scene, run: string) => (await scene.run(run)).status?.phase

test('RO-01 RO-04 units take a revision in the order of their stages, say which run holds it, and keep it when the source moves on', async () => {
  const scene = await begun()
  assert.equal(await phaseOf(scene, 'web-1'), 'Succeeded')
  assert.deepEqual(await scene.revisions(), all('v1'))
  await scene.publish('v2')
  await scene.advance(5 * minute)
  assert.equal(await phaseOf(scene, 'web-2'), 'Succeeded')
  const order = scene.applied.filter(({ revision }) => revision === 'v2').map(({ unit }) => unit)
  assert.deepEqual(order, ['canary', 'paris', 'rome', 'tokyo'])
  const unit = await scene.unit('rome')
  const pinned = shown(unit).find(line => line.startsWith('Pinned'))
  assert.match(
    pinned ?? '',
    /^Pinned=True Pinned: RolloutRun apps\/web-2 holds it at revision v2, digest sha256:[0-9a-f]{64}, since 2026-/,
  )
  assert.match(
    shown(unit).join('\n'),
    /Ready=True ReconciliationSucceeded: Applied revision: v2, held by RolloutRun apps\/web-2$/m,
  )
  assert.deepEqual(
    (await scene.eventsOf(scene.rolloutRef))
      .filter(line => line.includes('web-2'))
      .map(line => line.replace(/ 1x.*?web-2:/, ''))
      .toSorted(),
    [
      'Normal StageBefore begins with v2',
      'Normal StageRolling stage canary starts on 1 cluster',
      'Normal StageAfter stage canary is ready on 1 of 1 cluster',
      'Normal StageBefore stage canary is done, europe is next',
      'Normal StageRolling stage europe starts on 2 clusters',
      'Normal StageAfter stage europe is ready on 2 of 2 clusters',
      'Normal StageBefore stage europe is done, others is next',
      'Normal StageRolling stage others starts on 1 cluster',
      'Normal StageAfter stage others is ready on 1 of 1 cluster',
      'Normal RolloutSucceeded all stages are done',
    ].toSorted(),
  )
  await scene.close()
})

test('RO-01 a stage that selects no cluster says so, and is done', async () => {
  const scene = await begun({ stages: [tier('mars'), { name: 'others' }] })
  await scene.publish('v2')
  await scene.advance(5 * minute)
  assert.deepEqual(await scene.revisions(), all('v2'))
  const said = (await scene.eventsOf(scene.rolloutRef)).filter(line => /web-2:.*mars/.test(line))
  assert.deepEqual(said.map(line => line.replace(/ 1x.*?web-2:/, '')).toSorted(), [
    'Normal StageAfter stage mars selects no cluster',
    'Normal StageBefore stage mars is done, others is next',
    'Normal StageRolling stage mars starts on no cluster',
  ])
  await scene.close()
})

test('RO-01 a push makes no pass of a unit that is pinned: only its next pin does', async () => {
  const scene = await begun({ stages: [{ ...tier('canary'), after: [{ wait: '1h' }] }, { name: 'others' }] })
  await scene.advance(70 * minute)
  const before = scene.passes.length
  await scene.publish('v2')
  await scene.advance(5 * minute)
  assert.deepEqual(await scene.revisions(), { ...all('v1'), canary: 'v2' })
  const passes = scene.passes.slice(before).flatMap(({ ref }) => (ref.kind === 'Kustomization' ? ref.name : []))
  assert.deepEqual(passes, ['canary'])
  await scene.close()
})

test('RO-02 a stage whose canary fails pauses the run; a fix replaces it, and a rollback brings all units back', async () => {
  const scene = await begun()
  scene.fates.of = (_, revision) => (revision === 'v2' ? 'failed' : 'ready')
  await scene.publish('v2')
  await scene.advance(5 * minute)
  const failed = await scene.run('web-2')
  assert.equal(failed.status?.phase, 'Paused')
  assert.equal(failed.status?.message, 'paused: stage canary failed on apps/canary')
  assert.equal(await scene.pinOf('paris'), 'apps/web-1')
  assert.match(
    shown(await scene.rollout()).join('\n'),
    /Ready=False RolloutFailed: RolloutRun web-2: paused: stage canary failed on apps\/canary/,
  )
  await scene.publish('v3')
  await scene.advance(5 * minute)
  assert.equal(await phaseOf(scene, 'web-2'), 'Superseded')
  assert.equal(await phaseOf(scene, 'web-3'), 'Succeeded')
  assert.deepEqual(await scene.revisions(), all('v3'))
  await scene.order('web-3', { type: 'Rollback', id: '1' })
  await scene.advance(5 * minute)
  assert.equal(await phaseOf(scene, 'web-3'), 'RolledBack')
  assert.deepEqual(await scene.revisions(), all('v1'))
  await scene.order('web-3', { type: 'Retry', id: '2' })
  await scene.advance(5 * minute)
  assert.equal(await phaseOf(scene, 'web-3'), 'Succeeded')
  assert.deepEqual(await scene.revisions(), all('v3'))
  await scene.close()
})

test('RO-03 a newer revision waits until the run has ended, or takes over as its rule says; a hotfix always does', async () => {
  const gate = { ...tier('canary'), after: [{ wait: '1h' }] }
  const soaking = [gate, ...stages.slice(1)]
  for (const [supersede, annotations, phase] of [
    ['Finish', {}, 'Running'],
    ['ReplaceAtStage', {}, 'Superseded'],
    ['ReplaceNow', {}, 'Superseded'],
    ['Finish', { 'keelson.dev/hotfix': 'v3' }, 'Superseded'],
  ] as const) {
    const scene = await openScene({ tiers, stages: soaking, more: { supersede } })
    await scene.advance(70 * minute)
    await scene.publish('v2')
    await scene.advance(5 * minute)
    assert.equal(await phaseOf(scene, 'web-2'), 'Running')
    await scene.publish('v3', annotations)
    await scene.advance(5 * minute)
    assert.equal(await phaseOf(scene, 'web-2'), phase, `${supersede} ${JSON.stringify(annotations)}`)
    const isHotfix = Object.keys(annotations).length > 0
    if (phase === 'Superseded') assert.equal(await phaseOf(scene, 'web-3'), isHotfix ? 'Succeeded' : 'Running')
    await scene.advance(150 * minute)
    assert.deepEqual(await scene.revisions(), all('v3'))
    await scene.close()
  }
})

test('RO-11 a cluster that does not respond holds nothing up, and takes the revision of the run when it is back', async () => {
  const scene = await begun()
  let isBack = false
  scene.fates.of = cluster => (cluster === 'rome' && !isBack ? 'unreachable' : 'ready')
  await scene.hub.patch(
    { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'apps', name: 'rome' },
    { type: 'merge', patch: { status: { breaker: { state: 'Open', since: '2026-01-01T00:00:00Z' } } } },
    { fieldManager: 'test', subresource: 'status' },
  )
  await scene.publish('v2')
  await scene.advance(5 * minute)
  assert.equal(await phaseOf(scene, 'web-2'), 'Succeeded')
  assert.deepEqual(await scene.revisions(), { ...all('v2'), rome: 'v1' })
  const [, europe] = (await scene.run('web-2')).status?.stages ?? []
  assert.deepEqual([europe?.ready, europe?.skipped], [1, 1])
  isBack = true
  await scene.advance(5 * minute)
  assert.deepEqual(await scene.revisions(), all('v2'))
  await scene.close()
})

test('RO-11 a Rollout that is deleted leaves units at their revisions; a unit that is new to a Rollout waits for its pin, and gets that of the units beside it', async () => {
  const scene = await begun({
    isFirst: true,
    stages: [
      { ...tier('canary'), after: [{ approval: {} }] },
      { name: 'others', maxConcurrency: 9 },
    ],
  })
  // The first run waits for its approval: later stages have no revision yet.
  assert.deepEqual(await scene.revisions(), { canary: 'v1', paris: undefined, rome: undefined, tokyo: undefined })
  assert.match(
    shown(await scene.unit('rome')).join('\n'),
    /Waiting=True WaitsForRollout: its first revision waits: Rollout apps\/web has not started it/,
  )
  await scene.order('web-1', { type: 'Retry', id: '1' })
  await scene.advance(minute)
  assert.deepEqual((await scene.run('web-1')).status?.waitsFor, ['gate approval: waits for an approval'])
  await scene.hub.delete(scene.rolloutRef, {})
  await scene.settle()
  const namespace = await scene.hub.get({ group: '', kind: 'Namespace', namespace: '', name: 'apps' })
  assert.equal(namespace?.metadata.annotations?.[rolloutsAnnotation], undefined)
  await scene.publish('v2')
  await scene.advance(5 * minute)
  assert.equal((await scene.revisions()).canary, 'v1', 'it is pinned')
  await scene.close()
})

test('RO-11 a cluster that joins during a run gets the revision of before until its stage has started', async () => {
  const scene = await openScene({
    tiers,
    stages: [
      { ...tier('canary'), after: [{ wait: '1h' }] },
      { name: 'others', maxConcurrency: 9 },
    ],
  })
  await scene.advance(70 * minute)
  await scene.publish('v2')
  await scene.advance(5 * minute)
  await scene.addCluster('berlin', 'europe')
  await scene.advance(5 * minute)
  assert.deepEqual(await scene.revisions(), { ...all('v1'), canary: 'v2', berlin: 'v1' })
  await scene.advance(70 * minute)
  assert.deepEqual(await scene.revisions(), { ...all('v2'), berlin: 'v2' })
  await scene.close()
})
