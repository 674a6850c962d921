import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KeptBuild, stillKept, withApplied } from '../../../../lib/foundations/rules/kept-builds.ts'

const build = (digest: string, appliedAt: number): KeptBuild => ({ digest, revision: `main@${digest}`, appliedAt })
const digests = (kept: readonly KeptBuild[]) => kept.map(({ digest }) => digest).join('')
const limits = { count: 3, ttlMs: 100 }

test('what was applied comes first, once; the earlier ones by their number', () => {
  let kept: readonly KeptBuild[] = []
  const seen: string[] = []
  for (const [digest, at] of [
    ['a', 1],
    ['b', 2],
    ['c', 3],
    ['a', 4],
    ['d', 5],
  ] as const) {
    kept = withApplied(kept, build(digest, at), limits)
    seen.push(digests(kept))
  }
  assert.deepEqual(seen, ['a', 'ba', 'cba', 'acb', 'dac'])
})

test('what is applied again changes nothing, so nothing need be stored', () => {
  const kept = [build('b', 2), build('a', 1)]
  assert.deepEqual(withApplied(kept, build('b', 50), limits), kept)
})

test('a build is as old as what has replaced it; the applied one has no age', () => {
  const kept = [build('c', 200), build('b', 150), build('a', 0)]
  assert.equal(digests(stillKept(kept, limits, 249)), 'cba')
  assert.equal(digests(stillKept(kept, limits, 250)), 'cb')
  assert.equal(digests(stillKept(kept, limits, 300)), 'c')
  assert.equal(digests(stillKept(kept, limits, 1e9)), 'c')
})

test('with a count of 0 nothing is kept', () => {
  assert.deepEqual(withApplied([build('a', 1)], build('b', 2), { ...limits, count: 0 }), [])
  assert.equal(digests(withApplied([build('a', 1)], build('b', 2), { ...limits, count: 1 })), 'b')
})
