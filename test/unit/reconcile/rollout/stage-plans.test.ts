/** RO-05, RO-06: what a stage would change is planned unit by unit, approved as one, and applied exactly so. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import { awaitedApprovals } from '../../../../lib/foundations/rollout/closed-gates.ts'
import { digestOfRun } from '../../../../lib/foundations/rules/stage-approval.ts'
import { shown } from '../world.ts'
import { openScene, type Scene, tier } from './scene.ts'

const minute = 60_000
const fleet = 'fleet.keelson.dev'
const tiers = { canary: ['canary'], europe: ['paris', 'rome'] }
const approval = (minApprovals = 1) => ({ name: 'plans', approval: { of: 'Plans', minApprovals } }) as const
const stages = (minApprovals?: number) => [
  tier('canary'),
  { ...tier('europe'), maxConcurrency: 2, before: [approval(minApprovals)] },
]

/** v1 is everywhere, v2 is on the canary, and Europe waits. */
const waiting = async (more: Partial<Parameters<typeof openScene>[0]> = {}): Promise<Scene> => {
  const scene = await openScene({ tiers, stages: stages(), ...more })
  await scene.advance(2 * minute)
  assert.equal((await scene.run('web-1')).status?.phase, 'Succeeded', 'nothing changes: there is nothing to approve')
  await scene.publish('v2')
  await scene.advance(3 * minute)
  return scene
}

const plansIn = async (scene: Scene, run = 'web-2') =>
  (await scene.run(run)).status?.stages?.find(({ name }) => name === 'europe')?.plans

/** Of a unit: the plan that is not finished. */
const openPlan = async ({ hub }: Scene, unit: string): Promise<Plan | undefined> =>
  (await hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'apps' })).items.find(
    ({ spec, status }) => spec.unit.name === unit && ['Waiting', 'Approved', 'Rejected'].includes(status?.phase ?? ''),
  )

const create = async (scene: Scene, user: string, spec: object) => {
  const metadata = { generateName: 'approval-', name: '', namespace: 'apps' }
  const object = { apiVersion: `${fleet}/v1alpha1`, kind: 'Approval', metadata, spec } as KubernetesObject
  await scene.hub.create(object, { fieldManager: 'test', user })
  await scene.settle()
}

const decide = async (scene: Scene, user: string, run = 'web-2', decision = 'Approved') => {
  const { digest } = (await plansIn(scene, run))!
  await create(scene, user, { subject: { kind: 'RolloutRun', name: run, stage: 'europe' }, digest, decision })
}

const waitsFor = async (scene: Scene, run = 'web-2') => (await scene.run(run)).status?.waitsFor?.[0] ?? ''
const europe = async (scene: Scene) => {
  const { paris, rome } = await scene.revisions()
  return [paris, rome]
}

test('RO-05 RO-06 the units of a stage are planned while they keep their revision; approved as one, each applies its plan', async () => {
  const scene = await waiting()
  const plans = await plansIn(scene)
  assert.deepEqual([plans?.units, plans?.summary], [2, '+2'])
  assert.match(
    await waitsFor(scene),
    /^gate plans: waits for an approval of 2 plans \(\+2\), digest sha256:[0-9a-f]{64}$/,
  )
  assert.deepEqual(awaitedApprovals(await scene.run('web-2')), [{ stage: 'europe', digests: [plans?.digest] }])
  assert.deepEqual(await europe(scene), ['v1', 'v1'])
  assert.deepEqual([await scene.pinOf('paris'), await scene.pinOf('rome')], ['apps/web-1', 'apps/web-1'])
  const rome = shown(await scene.unit('rome')).join('\n')
  assert.match(rome, /^Planned=True Planned: RolloutRun apps\/web-2: plan kustomization-rome-\w+, \+1, digest sha256:/m)
  assert.match(rome, /^Ready=True .*Applied revision: v1, held by RolloutRun apps\/web-1$/m)
  assert.equal((await openPlan(scene, 'rome'))?.spec.revision, 'v2')

  // An approval of the artifacts is none of what they change.
  const subject = { kind: 'RolloutRun', name: 'web-2', stage: 'europe' }
  await create(scene, 'eve', { subject, digest: digestOfRun(await scene.run('web-2')) })
  assert.deepEqual(await europe(scene), ['v1', 'v1'])

  await decide(scene, 'ann')
  await scene.advance(2 * minute)
  assert.deepEqual(await europe(scene), ['v2', 'v2'])
  assert.equal((await scene.run('web-2')).status?.phase, 'Succeeded')
  const applied = (await scene.hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'apps' })).items.filter(
    ({ spec }) => spec.rolloutRun === 'apps/web-2',
  )
  assert.deepEqual(
    applied.map(({ status }) => [status?.phase, status?.stageApprovedBy]),
    [
      ['Applied', ['ann']],
      ['Applied', ['ann']],
    ],
  )
  await scene.close()
})

test('RO-05 a stage needs as many users as its gate says, and one rejection pauses the run', async () => {
  const scene = await waiting({ stages: stages(2) })
  await decide(scene, 'ann')
  await decide(scene, 'ann')
  assert.match(await waitsFor(scene), /waits for an approval, approved by ann of 2 plans/)
  assert.deepEqual(await europe(scene), ['v1', 'v1'])
  await decide(scene, 'ben')
  await scene.advance(2 * minute)
  assert.deepEqual(await europe(scene), ['v2', 'v2'])
  await scene.publish('v3')
  await scene.advance(3 * minute)
  await decide(scene, 'ann', 'web-3', 'Rejected')
  assert.match((await scene.run('web-3')).status?.message ?? '', /^paused: gate plans of stage europe: rejected by ann/)
  assert.deepEqual(await europe(scene), ['v2', 'v2'])
  await scene.close()
})

test('RO-06 an approval is of exactly these plans: another change on a cluster needs another one', async () => {
  const scene = await waiting()
  const before = (await plansIn(scene))!
  scene.live.rome = 'changed'
  await scene.hub.patch(
    { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'apps', name: 'rome' },
    { type: 'merge', patch: { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } } },
    { fieldManager: 'test' },
  )
  await scene.advance(2 * minute)
  const after = (await plansIn(scene))!
  assert.notEqual(after.digest, before.digest)
  const subject = { kind: 'RolloutRun', name: 'web-2', stage: 'europe' }
  await create(scene, 'ann', { subject, digest: before.digest })
  await scene.advance(2 * minute)
  assert.deepEqual(await europe(scene), ['v1', 'v1'])
  await create(scene, 'ann', { subject, digest: after.digest })
  await scene.advance(2 * minute)
  assert.deepEqual(await europe(scene), ['v2', 'v2'])
  await scene.close()
})

test('RO-06 a unit whose change is another one when it applies waits for an approval of its new plan', async () => {
  const scene = await waiting({
    stages: [tier('canary'), { ...tier('europe'), maxConcurrency: 1, before: [approval()] }],
  })
  scene.fates.of = cluster => {
    if (cluster === 'paris') scene.live.rome = 'changed since'
    return 'ready'
  }
  await decide(scene, 'ann')
  await scene.advance(2 * minute)
  assert.deepEqual(await europe(scene), ['v2', 'v1'])
  assert.match(
    shown(await scene.unit('rome')).join('\n'),
    /Waiting=True ApprovalRequired: revision v2 waits for an approval of plan kustomization-rome-\w+ .*as RolloutRun apps\/web-2 requires/,
  )
  assert.equal(await waitsFor(scene), 'apps/rome of stage europe')
  const plan = (await openPlan(scene, 'rome'))!
  await create(scene, 'ben', { subject: { kind: 'Plan', name: plan.metadata.name }, digest: plan.spec.digest })
  await scene.advance(2 * minute)
  assert.deepEqual(await europe(scene), ['v2', 'v2'])
  await scene.close()
})

test('RO-06 what can not be planned is said, and pauses the run after the deadline, so that a fix takes over', async () => {
  const scene = await waiting()
  scene.fates.of = (cluster, revision) => (cluster === 'rome' && revision === 'v3' ? 'unplanned' : 'ready')
  await decide(scene, 'ann')
  await scene.advance(2 * minute)
  await scene.publish('v3')
  await scene.advance(4 * minute)
  assert.equal(await waitsFor(scene, 'web-3'), 'gate plans: no plan of Kustomization/apps/rome: the build failed')
  await scene.advance(10 * minute)
  assert.match((await scene.run('web-3')).status?.message ?? '', /^paused: gate plans of stage europe: no plan of/)
  await scene.publish('v4')
  await scene.advance(4 * minute)
  assert.equal((await scene.run('web-3')).status?.phase, 'Superseded')
  await decide(scene, 'ann', 'web-4')
  await scene.advance(2 * minute)
  assert.deepEqual(await europe(scene), ['v4', 'v4'])
  await scene.close()
})

test('RO-05 a cluster that joins a stage after its approval needs one of its own', async () => {
  const scene = await waiting()
  await decide(scene, 'ann')
  await scene.advance(2 * minute)
  await scene.addCluster('berlin', 'europe')
  await scene.advance(12 * minute)
  assert.equal((await scene.revisions()).berlin, undefined)
  const plan = (await openPlan(scene, 'berlin'))!
  await create(scene, 'ben', { subject: { kind: 'Plan', name: plan.metadata.name }, digest: plan.spec.digest })
  await scene.advance(2 * minute)
  assert.equal((await scene.revisions()).berlin, 'v2')
  await scene.close()
})
