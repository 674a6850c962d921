import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { envelopeKeys } from '../../../lib/platform/adapters/envelope-keys.ts'
import type { KeyScope } from '../../../lib/platform/ports/keys.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const plain = Buffer.from('x')
const scope: KeyScope = { purpose: 'secrets', namespace: 'one' }

function world(limits = { uses: 3, ageMs: 1000, remembered: 2 }) {
  const clock = manualClock()
  const calls = { generate: 0, unwrap: 0 }
  const asks: (KeyScope | undefined)[] = []
  const source = {
    isScoped: true,
    generate: async () => {
      calls.generate += 1
      const key = systemRandom.bytes(32)
      return { plain: key, wrapped: key }
    },
    unwrap: async (wrapped: Uint8Array, asked: KeyScope | undefined) => {
      calls.unwrap += 1
      asks.push(asked)
      return wrapped
    },
  }
  return { clock, calls, asks, source, keys: envelopeKeys(source, { clock, random: systemRandom, limits }) }
}

test('takes a new data key after so many uses, and after so long', async () => {
  const { clock, calls, keys } = world()
  await Promise.all([keys.seal(plain, 'c', scope), keys.seal(plain, 'c', scope), keys.seal(plain, 'c', scope)])
  assert.equal(calls.generate, 1)
  await keys.seal(plain, 'c', scope)
  assert.equal(calls.generate, 2)
  await clock.advance(1000)
  await keys.seal(plain, 'c', scope)
  assert.equal(calls.generate, 3)
})

test('unwraps a data key once while it is remembered, and forgets the one used longest ago', async () => {
  const { calls, keys } = world({ uses: 1, ageMs: 1000, remembered: 2 })
  const [a, b, c] = [
    await keys.seal(plain, 'c', scope),
    await keys.seal(plain, 'c', scope),
    await keys.seal(plain, 'c', scope),
  ]
  for (const sealed of [a, b, a, a, b]) await keys.open(sealed, 'c', scope)
  assert.equal(calls.unwrap, 2)
  await keys.open(c, 'c', scope)
  await keys.open(b, 'c', scope)
  assert.equal(calls.unwrap, 3)
  await keys.open(a, 'c', scope)
  assert.equal(calls.unwrap, 4)
})

test('retries the source after a failure', async () => {
  const { source, keys } = world()
  const { generate } = source
  source.generate = () => Promise.reject(new Error('throttled'))
  await assert.rejects(keys.seal(plain, 'c', scope), /throttled/)
  source.generate = generate
  assert.deepEqual(Buffer.from(await keys.open(await keys.seal(plain, 'c', scope), 'c', scope)), plain)
})

test('a data key encrypts for one scope, and is requested from its source for that scope', async () => {
  const { calls, asks, keys } = world()
  const other: KeyScope = { purpose: 'secrets', namespace: 'two' }
  const [one, two] = [await keys.seal(plain, 'c', scope), await keys.seal(plain, 'c', other)]
  await keys.seal(plain, 'c', { purpose: 'builds' })
  assert.equal(calls.generate, 3)
  await keys.open(one, 'c', scope)
  await keys.open(two, 'c', other)
  await keys.open(one, 'c', other)
  assert.deepEqual(asks, [scope, other, other], 'what was opened under one scope is not remembered for another')
})

/** As it was sealed before there were scopes, under a data key of 32 bytes of 7. */
const earlier = 'AQAHd3JhcHBlZAkJCQkJCQkJCQkJCUal9/HdgqQVgA2tGIeEg7q1wg+aUZzXsgrCI8emEcSGpGBWFPEt/6Bx1Unyg9Q='

test('opens what an earlier release sealed, whose data keys are of no scope', async () => {
  const { source, asks, clock } = world()
  const unwrap = async (wrapped: Uint8Array, asked: KeyScope | undefined) => {
    await source.unwrap(wrapped, asked)
    return Buffer.alloc(32, 7)
  }
  const limits = { uses: 3, ageMs: 1000, remembered: 2 }
  const keys = envelopeKeys({ ...source, unwrap }, { clock, random: systemRandom, limits })
  const opened = await keys.open(Buffer.from(earlier, 'base64'), '|Secret|default|a', scope)
  assert.equal(Buffer.from(opened).toString(), 'a secret of an earlier release')
  assert.deepEqual(asks, [undefined])
})
