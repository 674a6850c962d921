/** Receipts of Runs whose key can't be used for a time. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmbeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { KeysUnavailable } from '../../../../lib/platform/ports/keys.ts'
import { brief, create, done, failed, noteChange, verified, within } from './run-scene.ts'

test('a Run without a receipt, as its key could not be used, gets one from the pass that continues it', async () => {
  let isAway = true
  const through = (platform: EmbeddedPlatform): EmbeddedPlatform => ({
    ...platform,
    keys: {
      ...platform.keys,
      seal: async (plain, context, scope) => {
        if (isAway && scope.purpose === 'receipts') throw new KeysUnavailable('the key service is away')
        return platform.keys.seal(plain, context, scope)
      },
    },
  })
  await within(
    async (world, follow) => {
      let startedAt = 0
      follow(pass => {
        startedAt = pass.startedAt
        noteChange(pass, 'created')
        return failed('not healthy')
      })
      await create(world)
      const [bare] = await world.runs()
      assert.deepEqual([brief([bare!]), bare?.receipt], [['Spec Failed 1 created'], undefined])
      isAway = false
      follow(pass => {
        pass.note({ continues: startedAt })
        return done
      })
      await world.advance(61_000)
      const [run, ...others] = await world.runs()
      assert.deepEqual([brief([run!]), others, await verified(world)], [['Spec Succeeded 1 created'], [], [true]])
    },
    { through },
  )
})
