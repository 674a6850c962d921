/** Gates of each cluster, with the real store, loop and reconciler. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { GateSpec, StageSpec } from '../../../../lib/foundations/kinds/rollout-stages.ts'
import { awaitedApprovals } from '../../../../lib/foundations/rollout/closed-gates.ts'
import { digestOfRun } from '../../../../lib/foundations/rules/stage-approval.ts'
import { openScene, type Scene, tier } from './scene.ts'

const minute = 60_000
const tiers = { europe: ['oslo', 'paris', 'rome'] }

/** A fleet at v1, to which v2 comes. */
const atSecond = async (
  eachCluster: NonNullable<StageSpec['eachCluster']>,
  { stage = {}, ...options }: Partial<Parameters<typeof openScene>[0]> & { readonly stage?: Partial<StageSpec> } = {},
): Promise<Scene> => {
  const stages = [{ ...tier('europe'), maxConcurrency: 3 }]
  const scene = await openScene({ tiers, stages, ...options })
  await scene.advance(2 * minute)
  assert.equal((await statusOf(scene, 'web-1')).phase, 'Succeeded')
  const spec = { stages: [{ ...tier('europe'), eachCluster, ...stage }] }
  await scene.hub.patch(scene.rolloutRef, { type: 'merge', patch: { spec } }, { fieldManager: 'test' })
  await scene.publish('v2')
  await scene.advance(2 * minute)
  return scene
}

const statusOf = async (scene: Scene, run = 'web-2') => (await scene.run(run)).status ?? {}
const waitsOf = async (scene: Scene) => (await statusOf(scene)).waitsFor
const revisionsOf = async (scene: Scene) => {
  const { oslo, paris, rome } = await scene.revisions()
  return [oslo, paris, rome].join(' ')
}

const clusterRef = (name: string) => ({ group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'apps', name })
const label = (scene: Scene, name: string, labels: Readonly<Record<string, string>>) =>
  scene.hub.patch(clusterRef(name), { type: 'merge', patch: { metadata: { labels } } }, { fieldManager: 'test' })
const breaker = (scene: Scene, name: string, state: 'Open' | 'Closed') =>
  scene.hub.patch(
    clusterRef(name),
    { type: 'merge', patch: { status: { breaker: { state, since: '2026-01-01T00:00:00Z' } } } },
    { fieldManager: 'test', subresource: 'status' },
  )

const drained: GateSpec = {
  name: 'drained',
  expression: "clusters.size() == 1 && units.size() == 1 && clusters.all(c, c.metadata.labels['drained'] == 'yes')",
}

test('RO-02 before each cluster: it starts when its own gate is open, in order, and the run says which one waits', async () => {
  const scene = await atSecond({ before: [drained] })
  assert.match((await waitsOf(scene))![0]!, /^gate drained of apps\/oslo: .*no such key/)
  assert.equal(await revisionsOf(scene), 'v1 v1 v1')
  await label(scene, 'rome', { drained: 'yes' })
  await scene.advance(3 * minute)
  assert.equal(await revisionsOf(scene), 'v1 v1 v1', 'oslo is before rome')
  await label(scene, 'oslo', { drained: 'yes' })
  await scene.advance(3 * minute)
  assert.equal(await revisionsOf(scene), 'v2 v1 v1')
  assert.equal((await waitsOf(scene))?.length, 1)
  assert.match((await waitsOf(scene))![0]!, /^gate drained of apps\/paris: /)
  await label(scene, 'paris', { drained: 'yes' })
  await scene.advance(3 * minute)
  assert.deepEqual([await revisionsOf(scene), (await statusOf(scene)).phase], ['v2 v2 v2', 'Succeeded'])
  await scene.close()
})

test('RO-02 clusters at their gates take up places: with more places, more of them wait, and each starts by its own', async () => {
  const scene = await atSecond({ before: [drained] }, { stage: { maxConcurrency: 2 } })
  assert.deepEqual(
    (await waitsOf(scene))?.map(text => text.split(':')[0]),
    ['gate drained of apps/oslo', 'gate drained of apps/paris'],
  )
  await label(scene, 'paris', { drained: 'yes' })
  await label(scene, 'rome', { drained: 'yes' })
  await scene.advance(3 * minute)
  assert.equal(await revisionsOf(scene), 'v1 v2 v2')
  await scene.close()
})

test('RO-02 after each cluster: the next one starts when the units of the last have been ready for so long', async () => {
  const scene = await atSecond({ after: [{ name: 'soak', healthyFor: '20m' }] })
  const { waitsFor, stages } = await statusOf(scene)
  assert.match(waitsFor!.join(), /^gate soak of apps\/oslo: opens at /)
  assert.deepEqual([stages?.[0]?.ready, stages?.[0]?.progressing], [0, 1])
  await scene.advance(16 * minute)
  assert.equal(await revisionsOf(scene), 'v2 v1 v1')
  await scene.advance(6 * minute)
  assert.equal(await revisionsOf(scene), 'v2 v2 v1')
  assert.deepEqual((await statusOf(scene)).passed, ['apps/oslo'])
  await scene.advance(44 * minute)
  const { phase, passed } = await statusOf(scene)
  assert.deepEqual([await revisionsOf(scene), phase, passed], ['v2 v2 v2', 'Succeeded', undefined])
  await scene.close()
})

test('RO-02 a cluster that is sick at its gate holds up its stage, and does not pass', async () => {
  const scene = await atSecond({ after: [{ healthyFor: '10m' }] })
  scene.fates.of = () => 'failed'
  const requested = { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } }
  const oslo = { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'apps', name: 'oslo' }
  await scene.hub.patch(oslo, { type: 'merge', patch: requested }, { fieldManager: 'test' })
  await scene.advance(15 * minute)
  const { phase, message } = await statusOf(scene)
  assert.deepEqual([phase, message], ['Paused', 'paused: stage europe failed on apps/oslo'])
  assert.equal(await revisionsOf(scene), 'v2 v1 v1')
  await scene.close()
})

test('RO-02 wait: before a cluster so long after the last one started, after it so long after it was ready', async () => {
  const scene = await atSecond({ before: [{ name: 'pace', wait: '30m' }] }, { stage: { maxConcurrency: 3 } })
  assert.equal(await revisionsOf(scene), 'v1 v1 v1', 'the stage has just begun')
  await scene.advance(30 * minute)
  assert.equal(await revisionsOf(scene), 'v2 v2 v2', 'as many start together as there are places')
  await scene.close()
  const one = await atSecond({ before: [{ name: 'pace', wait: '30m' }], after: [{ name: 'rest', wait: '10m' }] })
  await one.advance(30 * minute)
  assert.equal(await revisionsOf(one), 'v2 v1 v1')
  assert.match((await waitsOf(one))!.join(), /^gate rest of apps\/oslo: opens at /)
  await one.advance(15 * minute)
  assert.match((await waitsOf(one))!.join(), /^gate pace of apps\/paris: opens at /)
  await one.advance(20 * minute)
  assert.equal(await revisionsOf(one), 'v2 v2 v1')
  await one.close()
})

test('RO-02 a query names its cluster in the URL', async () => {
  const open = new Set(['oslo'])
  const scene = await atSecond(
    {
      after: [
        {
          name: 'errors',
          query: { url: 'https://metrics.example.com/{namespace}/{cluster}?q={x}', expression: 'status == 200' },
        },
      ],
    },
    {
      query: async url => {
        const [, name = ''] = /^https:\/\/metrics\.example\.com\/apps\/([a-z]+)\?q=\{x\}$/.exec(url) ?? []
        assert.notEqual(name, '', url)
        return { status: open.has(name) ? 200 : 503, body: null, value: null }
      },
    },
  )
  await scene.advance(5 * minute)
  assert.equal(await revisionsOf(scene), 'v2 v2 v1')
  assert.deepEqual(await waitsOf(scene), ['gate errors of apps/paris: its expression is not true: status == 200'])
  open.clear()
  open.add('paris')
  open.add('rome')
  await scene.advance(10 * minute)
  assert.equal((await statusOf(scene)).phase, 'Succeeded', 'a cluster that is through is not asked about again')
  await scene.close()
})

const decide = async (scene: Scene, cluster: string | undefined, decision = 'Approved') => {
  const digest = digestOfRun(await scene.run('web-2'))
  const subject = { kind: 'RolloutRun', name: 'web-2', stage: 'europe', ...(cluster && { cluster }) }
  const metadata = { generateName: 'decision-', namespace: 'apps' }
  const spec = { subject, digest, decision, comment: 'as agreed' }
  const approval = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Approval', metadata, spec }
  await scene.hub.create(approval as unknown as KubernetesObject, { fieldManager: 'test', user: 'ann' })
  await scene.advance(2 * minute)
}

test('RO-02 an approval opens the gate of one cluster, not that of another, and one of the stage opens none', async () => {
  const scene = await atSecond({ before: [{ name: 'go', approval: {} }] })
  assert.deepEqual(await waitsOf(scene), ['gate go of apps/oslo: waits for an approval'])
  const digest = digestOfRun(await scene.run('web-2'))
  const about = { stage: 'europe', cluster: 'apps/oslo' }
  const closed = { ...about, step: 'Before', gate: 'go', message: 'waits for an approval', digest }
  assert.deepEqual((await statusOf(scene)).closedGates, [closed])
  assert.deepEqual(awaitedApprovals(await scene.run('web-2')), [{ ...about, digests: [digest] }])
  await decide(scene, undefined)
  await decide(scene, 'apps/rome')
  assert.equal(await revisionsOf(scene), 'v1 v1 v1')
  await decide(scene, 'apps/oslo')
  assert.equal(await revisionsOf(scene), 'v2 v1 v1')
  await decide(scene, 'apps/paris', 'Rejected')
  const { phase, message } = await statusOf(scene)
  assert.deepEqual([phase, message], ['Paused', 'paused: gate go of apps/paris: rejected by ann: as agreed'])
  assert.equal((await statusOf(scene)).closedGates, undefined, 'an order is what it waits for now')
  await scene.close()
})

test('RO-02 windows hold back each cluster as it comes', async () => {
  // The clock of a scene begins at midnight UTC.
  const windows = [{ action: 'Allow', schedule: '0 2 * * *', duration: '2h' } as const]
  const scene = await atSecond({ before: [{ name: 'nights', windows }] })
  assert.match((await waitsOf(scene))!.join(), /^gate nights of apps\/oslo: .*0 2 \* \* \*/)
  await scene.advance(125 * minute)
  assert.equal((await statusOf(scene)).phase, 'Succeeded')
  await scene.close()
})

test('RO-02 a cluster that was not there goes through its gate when it is back, after the run has ended', async () => {
  const scene = await atSecond({ before: [drained] }, { stage: { maxConcurrency: 3 } })
  for (const name of ['oslo', 'paris']) await label(scene, name, { drained: 'yes' })
  await breaker(scene, 'rome', 'Open')
  await scene.advance(5 * minute)
  assert.deepEqual([await revisionsOf(scene), (await statusOf(scene)).phase], ['v2 v2 v1', 'Succeeded'])
  assert.equal(await scene.pinOf('rome'), 'apps/web-1')
  await breaker(scene, 'rome', 'Closed')
  await scene.advance(15 * minute)
  assert.equal(await revisionsOf(scene), 'v2 v2 v1', 'it is back, but its gate is closed')
  assert.match((await waitsOf(scene))!.join(), /^gate drained of apps\/rome: /)
  await label(scene, 'rome', { drained: 'yes' })
  await scene.advance(3 * minute)
  assert.deepEqual([await revisionsOf(scene), await waitsOf(scene)], ['v2 v2 v2', []])
  await scene.close()
})

test('RO-02 a hotfix goes through the gates of each cluster that are its own', async () => {
  const scene = await atSecond(
    { before: [drained] },
    { more: { hotfix: { eachCluster: { after: [{ name: 'glance', wait: '5m' }] } } } },
  )
  await scene.publish('v3', { 'keelson.dev/hotfix': 'v3' })
  await scene.advance(2 * minute)
  assert.equal(await revisionsOf(scene), 'v3 v1 v1')
  assert.match((await statusOf(scene, 'web-3')).waitsFor!.join(), /^gate glance of apps\/oslo: opens at /)
  await scene.advance(20 * minute)
  assert.equal((await statusOf(scene, 'web-3')).phase, 'Succeeded')
  await scene.close()
})
