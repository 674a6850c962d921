/** A process that dies at a write: each write of a rollout is tried, before it is made and after. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Hub } from '../../../../lib/hub/store/hub.ts'
import { openScene, tier } from './scene.ts'

const minute = 60_000
const tiers = { canary: ['canary'], europe: ['paris', 'rome'] }
const stages = [{ ...tier('canary'), after: [{ wait: '1m' }] }, tier('europe')]

interface Crash {
  /** Number of the write, from 1; none with 0. */
  readonly at: number
  readonly when: 'before' | 'after'
}

/** A hub at v1, on which one revision after the other is rolled out and comes back, each with a crash. */
const openStory = async (canaryFails: boolean) => {
  let crash: Crash = { at: 0, when: 'before' }
  let writes = 0
  let round = 1
  const dying =
    <Arguments extends readonly unknown[], Result>(write: (...args: Arguments) => Promise<Result>) =>
    async (...args: Arguments): Promise<Result> => {
      writes += 1
      const dies = writes === crash.at
      if (dies && crash.when === 'before') throw new Error('the process has died')
      const result = await write(...args)
      if (dies) throw new Error('the process has died')
      return result
    }
  const through = (hub: Hub): Hub => ({ ...hub, create: dying(hub.create), patch: dying(hub.patch) }) as Hub
  const scene = await openScene({ tiers, stages, through, more: { onFailure: 'Rollback' } })
  await scene.advance(3 * minute)
  assert.equal((await scene.run('web-1')).status?.phase, 'Succeeded')
  scene.fates.of = (_, revision) => (revision !== 'v1' && canaryFails ? 'failed' : 'ready')
  const rollOut = async (with_: Crash) => {
    round += 1
    crash = with_
    writes = 0
    scene.applied.length = 0
    await scene.publish(`v${round}`)
    await scene.advance(3 * minute)
    if (!canaryFails) await scene.order(`web-${round}`, { type: 'Rollback', id: '1' })
    await scene.advance((canaryFails ? 15 : 2) * minute)
    const { phase, message } = (await scene.run(`web-${round}`)).status ?? {}
    const applied = scene.applied.map(({ unit, revision }) => `${unit} ${revision === 'v1' ? 'back' : 'new'}`)
    return {
      writes,
      story: {
        onward: applied.filter(line => line.endsWith('new')),
        back: applied.filter(line => line.endsWith('back')).toSorted(),
        end: [phase, message],
        pins: await Promise.all(['canary', 'paris', 'rome'].map(name => scene.pinOf(name))),
        revisions: await scene.revisions(),
      },
    }
  }
  return { rollOut, close: scene.close }
}

for (const [title, canaryFails] of [
  ['a rollout and its rollback by order', false],
  ['a canary that fails, and the rollback by rule', true],
] as const)
  test(`RO-11 a crash at any write changes nothing of what follows: ${title}`, async t => {
    const { rollOut, close } = await openStory(canaryFails)
    const { story, writes } = await rollOut({ at: 0, when: 'before' })
    t.diagnostic(`${writes} writes`)
    assert.deepEqual(story.end, ['RolledBack', 'all units are back'])
    assert.deepEqual(story.onward, canaryFails ? [] : ['canary new', 'paris new', 'rome new'])
    for (let at = 1; at <= writes; at++)
      for (const when of ['before', 'after'] as const)
        assert.deepEqual((await rollOut({ at, when })).story, story, `a crash ${when} write ${at}`)
    await close()
  })
