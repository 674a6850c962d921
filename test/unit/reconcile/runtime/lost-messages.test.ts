import assert from 'node:assert/strict'
import { test } from 'node:test'
import { requestedAtAnnotation } from '../../../../lib/foundations/kinds/flux.ts'
import type { KubernetesObject, ObjectRef } from '../../../../lib/foundations/kinds/object.ts'
import type { DueObject } from '../../../../lib/platform/ports/schedule.ts'
import { shown, type World } from '../world.ts'
import { author, done, passesOf, repository, repositoryRef, within } from './loop-scene.ts'

test('writes nothing any more once another process has taken the object over', () => {
  let world: World
  let leased = 0
  return within(
    async (_, pass) => {
      await world.clock.advance(0)
      await world.platform.leases.release({ ref: repositoryRef('app'), token: leased, expiresAt: 0, abandoned: 0 })
      await world.platform.leases.acquire(repositoryRef('app'), 60_000)
      await pass.progress('too late')
      return done
    },
    async opened => {
      world = opened
      const { leases } = world.platform
      const acquire = leases.acquire.bind(leases)
      leases.acquire = async (ref, ttl) => {
        const lease = await acquire(ref, ttl)
        leased ||= lease?.token ?? 0
        return lease
      }
      await world.hub.create(repository('app'), author)
      await world.settle()
      assert.deepEqual(shown(await world.hub.get(repositoryRef('app'))), [])
      assert.ok(world.lines.some(({ msg }) => msg === 'another process has taken over'))
    },
  )
})

test('finds due objects again when their messages were lost', () =>
  within(
    async () => done,
    async world => {
      const { hub, waiting, advance } = world
      await hub.create(repository('app'), author)
      await hub.settled()
      waiting.length = 0
      await advance(60_000)
      assert.equal(passesOf(world, 'app'), 1)
    },
  ))

test('keeps an object due while a pass is under way, so that its death is made up for', () => {
  let dueDuringPass: readonly DueObject[] = []
  let look = async () => {}
  return within(
    async () => {
      await look()
      return done
    },
    async ({ hub, clock, settle, platform }) => {
      look = async () => {
        dueDuringPass = await platform.schedule.dueBy(clock.now() + 120_000, 10)
      }
      await hub.create(repository('app'), author)
      await settle()
      assert.deepEqual(
        dueDuringPass.map(({ ref }) => ref.name),
        ['app'],
      )
      assert.deepEqual(await platform.schedule.dueBy(clock.now() + 120_000, 10), [])
    },
  )
})

test('takes up at the start what an earlier process had only enqueued', () =>
  within(
    async () => done,
    async world => {
      const { hub, settle, waiting, loop } = world
      await hub.create(repository('app'), author)
      await hub.settled()
      await loop.tick()
      waiting.length = 0
      await loop.resume()
      await settle()
      assert.equal(passesOf(world, 'app'), 1)
    },
  ))

test('keeps an object due that had news during its pass, though their message is lost', () => {
  let news: (() => Promise<void>) | undefined
  return within(
    async () => {
      await news?.()
      news = undefined
      return done
    },
    async world => {
      const { hub, clock, settle, platform, waiting } = world
      news = () => platform.schedule.setDue(repositoryRef('app'), clock.now())
      await hub.create(repository('app'), author)
      await settle()
      waiting.length = 0
      const due = await platform.schedule.dueBy(clock.now(), 10)
      assert.deepEqual(
        due.map(({ ref }) => ref.name),
        ['app'],
      )
    },
  )
})

test('a call whose message comes more than once, as where a tick finds it still waiting, is looked into once', () =>
  within(
    async () => done,
    async world => {
      const { hub, clock, settle, loop, waiting } = world
      await hub.create(repository('app'), author)
      await settle()
      const patch = { metadata: { annotations: { [requestedAtAnnotation]: 'now' } } }
      await clock.advance(60_000)
      const before = passesOf(world, 'app')
      await hub.patch(repositoryRef('app'), { type: 'merge', patch }, author)
      await loop.tick()
      waiting.push(...waiting, ...waiting)
      await settle()
      assert.equal(passesOf(world, 'app') - before, 1)
    },
  ))

test('leaves an object alone that is deleted while a pass over it begins: its message is not delivered again', () =>
  within(
    async () => done,
    async world => {
      const { hub, settle, ports, lines } = world
      const { get } = ports.hub
      await hub.create(repository('app'), author)
      let isDeleted = false
      ports.hub.get = async <T extends KubernetesObject>(ref: ObjectRef) => {
        const found = await get<T>(ref)
        if (ref.name === 'app' && !isDeleted) {
          isDeleted = true
          await hub.delete(ref, {})
        }
        return found
      }
      await settle()
      assert.ok(isDeleted)
      assert.equal(await hub.get(repositoryRef('app')), undefined)
      assert.ok(lines.some(({ msg, name }) => msg === 'another process has taken over' && name === 'app'))
    },
  ))
