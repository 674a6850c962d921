import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../bed/eventually.ts'

test('returns the result of the first successful probe', async () => {
  const answers = [null, false, 'found', 'too late'] as const
  let looks = 0
  assert.equal(await eventually(() => answers[looks++]!, { every: 1 }), 'found')
  assert.equal(looks, 3)
})

test('is content with assertions that hold', async () => {
  let looks = 0
  await eventually(
    async () => {
      assert.equal(++looks, 3)
    },
    { every: 1 },
  )
  assert.equal(looks, 3)
})

test('finds what is falsy, but neither false nor null', async () => {
  assert.equal(await eventually(() => 0), 0)
  assert.equal(await eventually(() => ''), '')
})

test('fails with the error of the last probe, and how long it tried', async () => {
  let looks = 0
  const probe = () => assert.equal(++looks, 0)
  await assert.rejects(eventually(probe, { within: 20, every: 5 }), (error: assert.AssertionError) => {
    assert.match(error.message, /^not within 0.02 s: Expected values to be strictly equal/)
    assert.deepEqual([error.actual, error.expected], [looks, 0])
    return true
  })
  assert.ok(looks > 1)
})

test('probes at least once, however short its timeout', async () => {
  assert.equal(await eventually(() => true, { within: 0 }), true)
  await assert.rejects(
    eventually(() => false, { within: 0 }),
    /^Error: not within 0 s: the probe returned false$/,
  )
})

test('does not compile with a probe that may not find anything and does not say so', async () => {
  const all: readonly string[] = ['a']
  // @ts-expect-error undefined would pass for success
  await eventually(() => all.find(one => one === 'a'))
  await eventually(() => all.find(one => one === 'a') ?? null)
})
