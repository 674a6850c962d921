import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { clockWatch, correctDueTimes } from '../../../../lib/reconcile/runtime/clock-steps.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'
import type { World } from '../world.ts'
import { author, done, passesOf, repository, repositoryRef, within } from './loop-scene.ts'

const day = 24 * 3_600_000
const minute = 60_000

/** Every repository may wait for ten minutes; those that are named `calendar` for ever. */
const sources = {
  kind: repositoryRef(''),
  intervalOf: () => 10 * minute,
  maxWaitOf: ({ metadata }: KubernetesObject) => (metadata.name === 'calendar' ? Infinity : 10 * minute),
} as unknown as Reconciler<KubernetesObject>

const near = ({ platform, hub }: World, mayBackOff: boolean) =>
  correctDueTimes({ ...platform, hub }, [sources], { jitterPercentage: 5, tickMs: minute }, { mayBackOff })

test('after the clock was set back by a day, objects are checked again within their interval', () =>
  within(
    async () => done,
    async world => {
      const { clock, hub, advance } = world
      await hub.create(repository('app'), author)
      await advance(minute)
      assert.equal(passesOf(world, 'app'), 1)
      clock.set(-day)
      await advance(30 * minute)
      assert.equal(passesOf(world, 'app'), 1, 'without help nothing happens: else this test shows nothing')
      assert.equal(await near(world, false), 1)
      await advance(minute)
      assert.equal(passesOf(world, 'app'), 2)
      await advance(11 * minute)
      assert.equal(passesOf(world, 'app'), 3)
    },
  ))

test('what is due within its interval, or when the calendar says so, is left as it is', () =>
  within(
    async () => done,
    async world => {
      const { clock, hub, platform, settle } = world
      for (const name of ['app', 'failing', 'calendar']) await hub.create(repository(name), author)
      await settle()
      const dueAt = async (name: string, ms: number) => platform.schedule.setDue(repositoryRef(name), clock.now() + ms)
      await dueAt('app', 10.5 * minute)
      await dueAt('failing', 16 * minute)
      await dueAt('calendar', 30 * day)
      assert.equal(await near(world, true), 0)
      assert.equal(await near(world, false), 1)
      const due = await platform.schedule.dueBy(clock.now(), 10)
      assert.deepEqual(
        due.map(({ ref }) => ref.name),
        ['failing'],
      )
    },
  ))

test('a clock watch reports by how much the clock was set since the last call, and ignores drift', async () => {
  const clock = manualClock()
  const step = clockWatch(clock)
  await clock.advance(5_000)
  assert.equal(step(), 0)
  clock.set(1_500)
  assert.equal(step(), 0)
  clock.set(-day)
  assert.equal(step(), -day)
  assert.equal(step(), 0)
  clock.set(day)
  assert.equal(step(), day)
})
