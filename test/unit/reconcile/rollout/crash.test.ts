/**
 * A process that dies at a write: each write of a rollout is tried. One that dies before a write leaves what one leaves that dies after the
 * write before it, so only the last is also tried after it was made.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Plan } from '../../../../lib/foundations/kinds/plan.ts'
import type { Rollout } from '../../../../lib/foundations/kinds/rollout.ts'
import type { RolloutRun } from '../../../../lib/foundations/kinds/rollout-run.ts'
import { digestOfRun } from '../../../../lib/foundations/rules/stage-approval.ts'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { openScene, type Scene, tier } from './scene.ts'

const minute = 60_000
const fleet = 'fleet.keelson.dev'
const tiers = { canary: ['canary'], europe: ['paris', 'rome'] }
const canary = { ...tier('canary'), after: [{ wait: '1m' }] }

interface Story {
  readonly stages: Rollout['spec']['stages']
  readonly canaryFails?: boolean
  /** How long it takes at most, also with a crash. */
  readonly minutes: number
  /** Number of approvals that a user gives. */
  readonly approvals: number
}

const stories: Readonly<Record<string, Story>> = {
  'a rollout and its rollback by order': { stages: [canary, tier('europe')], minutes: 3, approvals: 0 },
  'a canary that fails, and the rollback by rule': {
    ...{ stages: [canary, tier('europe')], minutes: 15, approvals: 0 },
    canaryFails: true,
  },
  'the plans of a stage, their approval as one, and the marks of each': {
    stages: [canary, { ...tier('europe'), maxConcurrency: 2, before: [{ name: 'plans', approval: { of: 'Plans' } }] }],
    ...{ minutes: 8, approvals: 1 },
  },
  'gates before and after each cluster': {
    stages: [
      canary,
      { ...tier('europe'), eachCluster: { before: [{ name: 'go', approval: {} }], after: [{ wait: '1m' }] } },
    ],
    ...{ minutes: 12, approvals: 2 },
  },
}

interface Crash {
  /** Number of the write, from 1; none with 0. */
  readonly at: number
  readonly when: 'before' | 'after'
}

const died = () => new Error('the process has died')

/** A hub whose process dies at a write: it makes no other one until the next pass. */
const mortal = () => {
  let crash: Crash = { at: 0, when: 'before' }
  let writes = 0
  let isDead = false
  const dying =
    <Arguments extends readonly unknown[], Result>(write: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      if (isDead) throw died()
      writes += 1
      isDead = writes === crash.at
      if (isDead && crash.when === 'before') throw died()
      const isLast = isDead
      const result = await write(...args)
      if (isLast) throw died()
      return result
    }
  return {
    through: (hub: Hub): Hub =>
      ({ ...hub, create: dying(hub.create), patch: dying(hub.patch), update: dying(hub.update) }) as Hub,
    around: <T>(pass: () => Promise<T>): Promise<T> => {
      isDead = false
      return pass()
    },
    begin: (next: Crash) => {
      crash = next
      writes = 0
    },
    writes: () => writes,
  }
}

const waitsForApproval = /^gate \w+(?: of (?<cluster>\S+))?: waits for an approval(?:.*, digest (?<digest>\S+))?$/

/** A user who approves what a run waits for, once each. Returns how often that was. */
const attend = async (scene: Scene, run: string, minutes: number): Promise<number> => {
  const decided = new Set<string>()
  for (let passed = 0; passed < minutes; passed++) {
    await scene.advance(minute)
    const found: RolloutRun | undefined = await scene.run(run)
    for (const text of found?.status?.waitsFor ?? []) {
      const { cluster, digest = digestOfRun(found) } = waitsForApproval.exec(text)?.groups ?? {}
      const key = `${cluster} ${digest}`
      if (!waitsForApproval.test(text) || decided.has(key)) continue
      decided.add(key)
      await approve(scene, found, { digest, ...(cluster && { cluster }) })
    }
  }
  return decided.size
}

const approve = (
  { hub }: Scene,
  { metadata: { name } }: RolloutRun,
  { digest, ...of }: { readonly digest: string; readonly cluster?: string },
) =>
  hub.create(
    {
      apiVersion: `${fleet}/v1alpha1`,
      kind: 'Approval',
      metadata: { generateName: 'approval-', name: '', namespace: 'apps' },
      spec: { subject: { kind: 'RolloutRun', name, stage: 'europe', ...of }, digest },
    } as KubernetesObject,
    { fieldManager: 'test', user: 'ann' },
  )

/** The plans that a run has had made: one of each unit. */
const plansOf = async ({ hub }: Scene, run: string) =>
  (await hub.list<Plan>({ group: fleet, kind: 'Plan', namespace: 'apps' })).items
    .filter(({ spec }) => spec.rolloutRun === `apps/${run}`)
    .map(({ spec, status }) => `${spec.unit.name} ${status?.phase} ${status?.stageApprovedBy}`)
    .toSorted()

/** A hub at v1, on which one revision after the other is rolled out and comes back, each with a crash. */
const openStory = async ({ stages, canaryFails = false, minutes }: Story) => {
  const { through, around, begin, writes } = mortal()
  const left = { passMs: 1 }
  const scene = await openScene({ tiers, stages, through, around, left, more: { onFailure: 'Rollback' } })
  await attend(scene, 'web-1', minutes)
  assert.equal((await scene.run('web-1')).status?.phase, 'Succeeded')
  scene.fates.of = (_, revision) => (revision !== 'v1' && canaryFails ? 'failed' : 'ready')
  let round = 1
  const rollOut = async (crash: Crash) => {
    round += 1
    const run = `web-${round}`
    begin(crash)
    scene.applied.length = 0
    await scene.publish(`v${round}`)
    const approvals = await attend(scene, run, minutes)
    if (!canaryFails) await scene.order(run, { type: 'Rollback', id: '1' })
    await scene.advance(2 * minute)
    const { phase, message } = (await scene.run(run)).status ?? {}
    const applied = scene.applied.map(({ unit, revision }) => `${unit} ${revision === 'v1' ? 'back' : 'new'}`)
    return {
      writes: writes(),
      story: {
        onward: applied.filter(line => line.endsWith('new')),
        back: applied.filter(line => line.endsWith('back')).toSorted(),
        end: [phase, message],
        pins: await Promise.all(['canary', 'paris', 'rome'].map(name => scene.pinOf(name))),
        revisions: await scene.revisions(),
        approvals,
        plans: await plansOf(scene, run),
      },
    }
  }
  return { rollOut, close: scene.close }
}

for (const [title, story] of Object.entries(stories))
  test(`RO-11 a crash at any write changes nothing of what follows: ${title}`, async t => {
    const { rollOut, close } = await openStory(story)
    const { story: wanted, writes } = await rollOut({ at: 0, when: 'before' })
    t.diagnostic(`${writes} writes`)
    assert.deepEqual(wanted.end, ['RolledBack', 'all units are back'])
    assert.deepEqual(wanted.onward, story.canaryFails ? [] : ['canary new', 'paris new', 'rome new'])
    assert.equal(wanted.approvals, story.approvals)
    const isPlanned = JSON.stringify(story.stages).includes('Plans')
    assert.deepEqual(wanted.plans, isPlanned ? ['paris Applied ann', 'rome Applied ann'] : [])
    const crashes = Array.from({ length: writes }, (_, index): Crash => ({ at: index + 1, when: 'before' }))
    for (const crash of [...crashes, { at: writes, when: 'after' } as const])
      assert.deepEqual((await rollOut(crash)).story, wanted, `a crash ${crash.when} write ${crash.at}`)
    await close()
  })
