/** What becomes of objects whose passes end the process that they run in. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GitRepository } from '../../../../lib/foundations/kinds/git-repository.ts'
import type { Lease } from '../../../../lib/platform/ports/leases.ts'
import { suspectsLast } from '../../../../lib/reconcile/runtime/suspects.ts'
import { author, done, repository, repositoryRef, within } from './loop-scene.ts'

const lease = (abandoned: number): Lease => ({ ref: repositoryRef('app'), token: 1, expiresAt: 0, abandoned })

test('a pass whose predecessor ended its process waits for all others, and runs alone', async () => {
  const inOrder = suspectsLast()
  const told: string[] = []
  const pass = (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const run = async () => {
      told.push(`${name} begins`)
      await promise
      told.push(`${name} ends`)
    }
    return { run, end: resolve }
  }
  const [first, second, suspect, other] = ['first', 'second', 'suspect', 'other'].map(pass)
  const ended = [
    inOrder(lease(1), suspect!.run),
    inOrder(lease(0), first!.run),
    inOrder(lease(1), other!.run),
    inOrder(lease(0), second!.run),
  ]
  for (const { end } of [second!, suspect!, other!, first!]) {
    await new Promise(setImmediate)
    end()
  }
  await Promise.all(ended)
  assert.deepEqual(told, [
    ...['first begins', 'second begins', 'second ends', 'first ends'],
    ...['suspect begins', 'suspect ends', 'other begins', 'other ends'],
  ])
})

test('a pass that fails holds nobody up', async () => {
  const inOrder = suspectsLast()
  const failed = [0, 1].map(abandoned => inOrder(lease(abandoned), () => Promise.reject(new Error('failed'))))
  for (const one of failed) await assert.rejects(one, /failed/)
  assert.equal(await inOrder(lease(1), async () => 'done'), 'done')
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
