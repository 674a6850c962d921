/** What becomes of objects whose passes end the process that they run in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import { author, done, repository, repositoryRef, within } from './loop-scene.ts'

test('a pass whose predecessor ended its process runs in isolation: its message is sent again, and the count stays', async () => {
  let passes = 0
  await within(
    async () => {
      passes++
      return done
    },
    async ({ hub, platform, loop, settle }) => {
      const { acquire, release } = platform.leases
      let abandoned = 1
      const released: (number | undefined)[] = []
      platform.leases.acquire = async (...asked) => {
        const held = await acquire(...asked)
        return held && { ...held, abandoned }
      }
      platform.leases.release = async (lease, count) => {
        released.push(count)
        return release(lease)
      }
      await hub.create(repository('app'), author)
      await settle()
      assert.equal(passes, 1)
      assert.deepEqual(released, [1, 0], 'the first message is sent again, to run alone; the pass that ran has ended')

      // A duplicate that finds nothing due has tried nothing.
      released.splice(0)
      await loop.handle({ stage: 'source', ref: repositoryRef('app'), alone: true, dueAt: 1 })
      assert.deepEqual(released, [1])

      // One that is skipped has shown nothing either: the next one runs in isolation.
      released.splice(0)
      abandoned = 2
      await hub.patch(repositoryRef('app'), { type: 'merge', patch: { spec: { interval: '20m' } } }, author)
      await settle()
      assert.equal(passes, 1)
      assert.deepEqual(released, [1])
    },
  )
})

test('an object whose last two passes ended their process is left alone, and says so, until it changes or an hour is over', async () => {
  let passes = 0
  await within(
    async () => {
      passes++
      return done
    },
    async ({ hub, platform, settle, advance }) => {
      const { acquire } = platform.leases
      let abandoned = 2
      platform.leases.acquire = async (...asked) => {
        const held = await acquire(...asked)
        return held && { ...held, abandoned: asked[0].name === 'app' ? abandoned : 0 }
      }
      await hub.create(repository('app'), author)
      await settle()
      const ready = async () =>
        (await hub.get<GitRepository>(repositoryRef('app')))?.status?.conditions?.find(({ type }) => type === 'Ready')
      assert.equal(passes, 0)
      const { status, reason, message } = (await ready())!
      assert.deepEqual([status, reason], ['False', 'ReconciliationFailed'])
      assert.match(message, /^the process ended during each of the last 2 passes, most likely out of memory or time/)

      // Giving the lease back has reset the count.
      abandoned = 0
      await advance(30 * 60_000)
      assert.equal(passes, 0)
      await advance(31 * 60_000)
      assert.equal(passes, 1)
      assert.equal((await ready())?.status, 'True')

      abandoned = 2
      await hub.patch(repositoryRef('app'), { type: 'merge', patch: { spec: { interval: '20m' } } }, author)
      await settle()
      assert.equal((await ready())?.status, 'False')
      abandoned = 0
      await hub.patch(repositoryRef('app'), { type: 'merge', patch: { spec: { interval: '30m' } } }, author)
      await settle()
      assert.equal(passes, 2)
    },
  )
})
