import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { envelopeKeys } from '../../../lib/platform/adapters/envelope-keys.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const plain = Buffer.from('x')

function world(limits = { uses: 3, ageMs: 1000, remembered: 2 }) {
  const clock = manualClock()
  const calls = { generate: 0, unwrap: 0 }
  const source = {
    generate: async () => {
      calls.generate += 1
      const key = systemRandom.bytes(32)
      return { plain: key, wrapped: key }
    },
    unwrap: async (wrapped: Uint8Array) => {
      calls.unwrap += 1
      return wrapped
    },
  }
  return { clock, calls, source, keys: envelopeKeys(source, { clock, random: systemRandom, limits }) }
}

test('takes a new data key after so many uses, and after so long', async () => {
  const { clock, calls, keys } = world()
  await Promise.all([keys.seal(plain, 'c'), keys.seal(plain, 'c'), keys.seal(plain, 'c')])
  assert.equal(calls.generate, 1)
  await keys.seal(plain, 'c')
  assert.equal(calls.generate, 2)
  await clock.advance(1000)
  await keys.seal(plain, 'c')
  assert.equal(calls.generate, 3)
})

test('unwraps a data key once while it is remembered, and forgets the one used longest ago', async () => {
  const { calls, keys } = world({ uses: 1, ageMs: 1000, remembered: 2 })
  const [a, b, c] = [await keys.seal(plain, 'c'), await keys.seal(plain, 'c'), await keys.seal(plain, 'c')]
  for (const sealed of [a, b, a, a, b]) await keys.open(sealed, 'c')
  assert.equal(calls.unwrap, 2)
  await keys.open(c, 'c')
  await keys.open(b, 'c')
  assert.equal(calls.unwrap, 3)
  await keys.open(a, 'c')
  assert.equal(calls.unwrap, 4)
})

test('asks the source again after it has failed', async () => {
  const { source, keys } = world()
  const { generate } = source
  source.generate = () => Promise.reject(new Error('throttled'))
  await assert.rejects(keys.seal(plain, 'c'), /throttled/)
  source.generate = generate
  assert.deepEqual(Buffer.from(await keys.open(await keys.seal(plain, 'c'), 'c')), plain)
})
