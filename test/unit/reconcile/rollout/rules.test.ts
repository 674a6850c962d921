/** The rules of a Rollout besides its gates: deadline, offline clusters, sets of sources, hotfixes, and what outlives a process. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blobNameOf } from '../../../../lib/foundations/kinds/artifact.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { RolloutRun } from '../../../../lib/foundations/kinds/rollout-run.ts'
import { digestOfRun } from '../../../../lib/foundations/rules/stage-approval.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { writePins } from '../../../../lib/reconcile/rollout/write-pins.ts'
import { shown } from '../world.ts'
import { openScene, type Scene, tier } from './scene.ts'

const minute = 60_000
const tiers = { canary: ['canary'], europe: ['paris', 'rome'] }
const stages = [tier('canary'), { ...tier('europe'), maxConcurrency: 2 }]

/** All units run v1. */
const begun = async (options: Partial<Parameters<typeof openScene>[0]> = {}): Promise<Scene> => {
  const scene = await openScene({ tiers, stages, ...options })
  await scene.advance(3 * minute)
  return scene
}

const statusOf = async (scene: Scene, run: string) => (await scene.run(run)).status ?? {}
const revisionsOf = async (scene: Scene) => {
  const { canary, paris, rome } = await scene.revisions()
  return [canary, paris, rome]
}

const breaker = (scene: Scene, name: string, state: 'Open' | 'Closed') =>
  scene.hub.patch(
    { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'apps', name },
    { type: 'merge', patch: { status: { breaker: { state, since: '2026-01-01T00:00:00Z' } } } },
    { fieldManager: 'test', subresource: 'status' },
  )

test('RO-02 a unit that is not ready within progressDeadline counts as failed, and not before', async () => {
  const scene = await begun({ more: { progressDeadline: '20m' } })
  // Its cluster is not known to be offline: it may respond at any time.
  scene.fates.of = cluster => (cluster === 'canary' ? 'unreachable' : 'ready')
  await scene.publish('v2')
  await scene.advance(18 * minute)
  const { phase, waitsFor } = await statusOf(scene, 'web-2')
  assert.deepEqual([phase, waitsFor], ['Running', ['apps/canary of stage canary']])
  await scene.advance(4 * minute)
  const failed = await statusOf(scene, 'web-2')
  assert.deepEqual([failed.phase, failed.message], ['Paused', 'paused: stage canary failed on apps/canary'])
  assert.deepEqual(await revisionsOf(scene), ['v1', 'v1', 'v1'])
  await scene.close()
})

test('RO-02 with offline: Block a stage waits for a cluster that does not respond, and continues when it is back', async () => {
  const scene = await begun({
    more: { offline: 'Block', progressDeadline: '3h' },
    stages: [...stages.slice(0, 1), { ...tier('europe'), maxConcurrency: 2 }, { name: 'others' }],
    tiers: { ...tiers, asia: ['tokyo'] },
  })
  scene.fates.of = cluster => (cluster === 'rome' ? 'unreachable' : 'ready')
  await breaker(scene, 'rome', 'Open')
  await scene.publish('v2')
  await scene.advance(60 * minute)
  const { phase, waitsFor } = await statusOf(scene, 'web-2')
  assert.deepEqual([phase, waitsFor], ['Running', ['apps/rome of stage europe']])
  assert.equal((await scene.revisions()).tokyo, 'v1', 'the next stage has not started')
  scene.fates.of = () => 'ready'
  await breaker(scene, 'rome', 'Closed')
  await scene.advance(3 * minute)
  assert.equal((await statusOf(scene, 'web-2')).phase, 'Succeeded')
  assert.deepEqual(await scene.revisions(), { canary: 'v2', paris: 'v2', rome: 'v2', tokyo: 'v2' })
  await scene.close()
})

test('RO-02 with offline: Block the deadline counts', async () => {
  const scene = await begun({ more: { offline: 'Block', progressDeadline: '20m' } })
  scene.fates.of = cluster => (cluster === 'rome' ? 'unreachable' : 'ready')
  await breaker(scene, 'rome', 'Open')
  await scene.publish('v2')
  await scene.advance(25 * minute)
  assert.equal((await statusOf(scene, 'web-2')).message, 'paused: stage europe failed on apps/rome')
  await scene.close()
})

test('RO-03 the sources of a Rollout move as a set: a run has one artifact of each, and a unit takes that of its own', async () => {
  const scene = await openScene({
    tiers,
    stages: [
      { ...tier('canary'), after: [{ wait: '30m' }] },
      { ...tier('europe'), maxConcurrency: 2 },
    ],
    more: {
      sources: [
        { kind: 'GitRepository', name: 'app' },
        { kind: 'GitRepository', name: 'lib' },
      ],
    },
  })
  const create = (object: object) => scene.hub.create(object as KubernetesObject, { fieldManager: 'test' })
  assert.equal((await scene.rollout()).status?.currentRun, undefined, 'without an artifact of each there is no set')
  await create({
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    metadata: { name: 'lib', namespace: 'apps' },
    spec: { url: 'https://example.com/lib', interval: '1h' },
  })
  await create({
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'lib-rome', namespace: 'apps' },
    spec: {
      ...{ interval: '24h', prune: true, path: './' },
      sourceRef: { kind: 'GitRepository', name: 'lib' },
      kubeConfig: { secretRef: { name: 'rome' } },
    },
  })
  await scene.publish('l1', {}, 'lib')
  await scene.advance(40 * minute)
  const setOf = async (run: string) => (await scene.run(run)).spec.sources.map(({ artifact }) => artifact.revision)
  assert.deepEqual(await setOf('web-1'), ['v1', 'l1'])
  assert.equal((await statusOf(scene, 'web-1')).phase, 'Succeeded')
  await scene.publish('v2')
  await scene.advance(2 * minute)
  await scene.publish('l2', {}, 'lib')
  await scene.advance(40 * minute)
  assert.deepEqual(await setOf('web-2'), ['v2', 'l1'], 'the set of when it began')
  assert.deepEqual(await setOf('web-3'), ['v2', 'l2'])
  await scene.advance(40 * minute)
  const { rome, 'lib-rome': lib } = await scene.revisions()
  assert.deepEqual([rome, lib], ['v2', 'l2'])
  await scene.close()
})

test('RO-03 a changed input is a new revision: it takes the stages, and a rollback brings back the data of before', async () => {
  const scene = await openScene({
    ...{ tiers, config: 'vars', more: { inputs: [{ kind: 'ConfigMap', name: 'vars' }] } },
    stages: [
      { ...tier('canary'), after: [{ wait: '1h' }] },
      { ...tier('europe'), maxConcurrency: 2 },
    ],
  })
  assert.match(shown(await scene.rollout()).join(), /Ready=False SourceNotReady: ConfigMap\/apps\/vars was not found/)
  const labels = { 'reconcile.fluxcd.io/watch': 'Enabled' }
  const vars = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'vars', namespace: 'apps', labels } }
  await scene.hub.create({ ...vars, data: { value: 'one' } } as KubernetesObject, { fieldManager: 'test' })
  await scene.advance(70 * minute)
  assert.equal((await statusOf(scene, 'web-1')).phase, 'Succeeded')
  assert.deepEqual(scene.configs, { canary: 'one', paris: 'one', rome: 'one' })

  const change = (value: string | null) =>
    scene.hub.patch(
      { group: '', kind: 'ConfigMap', namespace: 'apps', name: 'vars' },
      { type: 'merge', patch: { data: { value } } },
      { fieldManager: 'test' },
    )
  await change('two')
  await scene.advance(5 * minute)
  assert.match((await scene.rollout()).status?.currentRevision ?? '', /^v1, vars@sha256:[0-9a-f]{64}$/)
  assert.deepEqual(scene.configs, { canary: 'two', paris: 'one', rome: 'one' })
  assert.notEqual(digestOfRun(await scene.run('web-2')), digestOfRun(await scene.run('web-1')))
  await scene.advance(70 * minute)
  assert.equal((await statusOf(scene, 'web-2')).phase, 'Succeeded')
  assert.deepEqual(scene.configs, { canary: 'two', paris: 'two', rome: 'two' })

  await scene.order('web-2', { type: 'Rollback', id: 'back' })
  await scene.advance(3 * minute)
  assert.equal((await statusOf(scene, 'web-2')).phase, 'RolledBack')
  assert.deepEqual(scene.configs, { canary: 'one', paris: 'one', rome: 'one' })
  await change('x'.repeat(64 * 1024))
  await scene.advance(15 * minute)
  assert.match(shown(await scene.rollout()).join(), /no newer one begins: the data of its inputs is larger than 64 KiB/)
  await scene.close()
})

test('RO-03 a hotfix overtakes a run that soaks, through gates of its own', async () => {
  const scene = await openScene({
    tiers,
    stages: [
      { ...tier('canary'), after: [{ wait: '5h' }] },
      { ...tier('europe'), maxConcurrency: 2, before: [{ wait: '5h' }] },
    ],
    more: { hotfix: { after: [{ name: 'glance', wait: '10m' }] } },
  })
  await scene.advance(11 * 60 * minute)
  await scene.publish('v2')
  await scene.advance(5 * minute)
  assert.deepEqual(await revisionsOf(scene), ['v2', 'v1', 'v1'])
  await scene.publish('v3', { 'keelson.dev/hotfix': 'v3' })
  await scene.advance(5 * minute)
  assert.equal((await statusOf(scene, 'web-2')).phase, 'Superseded')
  assert.match((await statusOf(scene, 'web-3')).waitsFor?.[0] ?? '', /^gate glance: opens at /)
  assert.deepEqual(await revisionsOf(scene), ['v3', 'v1', 'v1'])
  await scene.advance(25 * minute)
  assert.equal((await statusOf(scene, 'web-3')).phase, 'Succeeded')
  assert.deepEqual(await revisionsOf(scene), ['v3', 'v3', 'v3'])
  await scene.close()
})

test('RO-09 a time that a run waits for is a due time: without any message it goes on', async () => {
  const scene = await begun({
    stages: [
      { ...tier('canary'), after: [{ wait: '1h' }] },
      { ...tier('europe'), maxConcurrency: 2 },
    ],
  })
  await scene.advance(70 * minute)
  await scene.publish('v2')
  await scene.advance(5 * minute)
  for (let minutes = 0; minutes < 60; minutes++) {
    scene.waiting.length = 0
    await scene.advance(minute)
  }
  await scene.advance(5 * minute)
  assert.equal((await statusOf(scene, 'web-2')).phase, 'Succeeded')
  await scene.close()
})

test('RO-10 a run keeps its artifacts: a rollback needs nothing of the source', async () => {
  const scene = await begun()
  await scene.publish('v2')
  await scene.advance(3 * minute)
  const { artifacts } = scene.platform
  const [kept] = (await scene.run('web-1')).spec.sources
  assert.equal(kept?.artifact.path, 'rolloutrun/apps/web-1/v1.tar.gz')
  await artifacts.delete(blobNameOf({ ...kept!.artifact, path: 'gitrepository/apps/app/v1.tar.gz' }))
  assert.ok(await artifacts.has(blobNameOf(kept!.artifact)))
  await scene.order('web-2', { type: 'Rollback', id: 'back' })
  await scene.advance(3 * minute)
  assert.equal((await statusOf(scene, 'web-2')).phase, 'RolledBack')
  assert.deepEqual(await revisionsOf(scene), ['v1', 'v1', 'v1'])
  await scene.close()
})

test('RO-11 a pass that has lost its lock stores nothing over what the next holder has stored, and starts nobody', async () => {
  let isStolen = false
  const through = (hub: Hub): Hub => ({
    ...hub,
    patch: async (ref, change, options) => {
      const { patch } = change as unknown as { readonly patch: Partial<RolloutRun> }
      if (!isStolen && ref.name === 'web-2' && patch.status?.step === 'Rolling') {
        isStolen = true
        const aborted = { status: { phase: 'Aborted', message: 'by the next holder' } }
        await hub.patch(ref, { type: 'merge', patch: aborted }, options)
      }
      return hub.patch(ref, change, options)
    },
  })
  const scene = await begun({ through })
  await scene.publish('v2')
  await scene.advance(5 * minute)
  assert.ok(isStolen)
  const { phase, message } = await statusOf(scene, 'web-2')
  assert.deepEqual([phase, message], ['Aborted', 'by the next holder'])
  assert.deepEqual(await revisionsOf(scene), ['v1', 'v1', 'v1'])
  await scene.close()
})

test('RO-11 a pass that loses its lock while it pins starts no further unit', async () => {
  const lock = new AbortController()
  const pinned: string[] = []
  const hub = {
    patch: async ({ name }: ObjectRef) => {
      pinned.push(name)
      lock.abort()
    },
  } as unknown as Pick<Hub, 'patch'>
  const target = { metadata: { namespace: 'apps', name: 'web-2' } } as RolloutRun
  const pins = Array.from({ length: 100 }, (_, at) => ({ key: `Kustomization/apps/app-${at}`, to: 'target' as const }))
  const pinning = writePins(pins, { target, previous: undefined, all: new Map() }, { hub, now: 0, signal: lock.signal })
  await assert.rejects(pinning, { name: 'AbortError' })
  assert.deepEqual(pinned, ['app-0'])
})
