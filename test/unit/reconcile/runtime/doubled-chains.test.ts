import assert from 'node:assert/strict'
import { test } from 'node:test'
import { author, repository, repositoryRef, within } from './loop-scene.ts'

const waiting = { type: 'waiting', afterMs: 5_000 } as const

test('two messages for an object that waits make one chain of passes, not two', async () => {
  let passes = 0
  await within(
    async () => {
      passes += 1
      return waiting
    },
    async ({ hub, loop, waiting: queued, settle, advance }) => {
      await hub.create(repository('app'), author)
      await settle()
      assert.equal(passes, 1)
      // A standard queue delivers twice what it likes; the second pass makes a continuation of its own.
      const { message } = queued.find(({ message }) => message.ref.name === 'app')!
      const { dueAt, ...unconditional } = message
      assert.ok(dueAt, 'a continuation says which pass it brings')
      const first = { ...message }
      await loop.handle(unconditional)
      assert.equal(passes, 2)
      await loop.handle(first)
      assert.equal(passes, 2, 'the first chain ends: the second has set another due time')
      await advance(60_000)
      assert.ok(passes >= 12 && passes <= 14, `${passes} passes in a minute`)
      assert.equal((await hub.get(repositoryRef('app')))?.metadata.name, 'app')
    },
  )
})
