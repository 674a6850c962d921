import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type KeyScope, type Keys, UnsealFailed } from '../../lib/platform/ports/keys.ts'

export interface KeysWorld {
  readonly keys: Keys
  /** The same master key in a new process. */
  reopen(): Promise<KeysWorld>
  /** Keys of another platform, with a master key of its own. */
  stranger(): Promise<Keys>
  close(): Promise<void>
}

/** What every keeper of keys must do. */
export function describeKeys(name: string, open: () => Promise<KeysWorld>): void {
  const within = (story: (world: KeysWorld) => Promise<void>) => async () => {
    const world = await open()
    try {
      await story(world)
    } finally {
      await world.close()
    }
  }
  const scope: KeyScope = { purpose: 'secrets', namespace: 'default' }
  const secret = Buffer.from('correct horse battery staple')

  describe(`keys: ${name}`, () => {
    test(
      'opens what it sealed, whatever it is',
      within(async ({ keys }) => {
        await fc.assert(
          fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.string(), async (plain, context) => {
            const opened = await keys.open(await keys.seal(plain, context, scope), context, scope)
            assert.deepEqual(Buffer.from(opened), Buffer.from(plain))
          }),
          { numRuns: 50 },
        )
        const large = Buffer.alloc(2 << 20, 7)
        assert.ok(large.equals(await keys.open(await keys.seal(large, 'c', scope), 'c', scope)))
      }),
    )

    test(
      'opens in another process what an earlier one sealed',
      within(async world => {
        const sealed = await world.keys.seal(secret, 'Secret/default/a', scope)
        const { keys } = await world.reopen()
        assert.deepEqual(Buffer.from(await keys.open(sealed, 'Secret/default/a', scope)), secret)
      }),
    )

    test(
      'shows nothing of the content, and never seals twice alike',
      within(async ({ keys }) => {
        const [one, two] = [await keys.seal(secret, 'c', scope), await keys.seal(secret, 'c', scope)]
        assert.notDeepEqual(one, two)
        assert.equal(Buffer.from(one).includes('horse'), false)
      }),
    )

    test(
      'does not open what belongs to something else',
      within(async ({ keys }) => {
        const sealed = await keys.seal(secret, 'Secret/default/a', scope)
        for (const context of ['', 'Secret/default/b', 'Secret/default/a/', 'ecret/default/a'])
          await assert.rejects(keys.open(sealed, context, scope), UnsealFailed)
      }),
    )

    test(
      'does not open what another master key sealed',
      within(async ({ keys, stranger }) => {
        await assert.rejects(keys.open(await (await stranger()).seal(secret, 'c', scope), 'c', scope), UnsealFailed)
      }),
    )

    test(
      'does not open what was altered, by whichever bit, or cut short',
      within(async ({ keys }) => {
        const sealed = Buffer.from(await keys.seal(secret, 'c', scope))
        for (let index = 0; index < sealed.length; index++) {
          const altered = Buffer.from(sealed)
          altered[index]! ^= 1 << (index % 8)
          await assert.rejects(keys.open(altered, 'c', scope), UnsealFailed, `byte ${index}`)
          await assert.rejects(keys.open(sealed.subarray(0, index), 'c', scope), UnsealFailed, `${index} bytes`)
        }
        await assert.rejects(keys.open(Buffer.concat([sealed, Buffer.from([0])]), 'c', scope), UnsealFailed)
        assert.deepEqual(Buffer.from(await keys.open(sealed, 'c', scope)), secret)
      }),
    )
  })
}
