import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spentIn } from '../../bench/profile.ts'

const frames = [
  ['(idle)', ''],
  ['(garbage collector)', ''],
  ['create', 'file:///keelson/lib/hub/store/hub.ts'],
  ['write', 'file:///keelson/node_modules/@aws-sdk/core/lib/index.js'],
  ['', 'node:internal/streams/readable'],
  ['post', 'node:inspector'],
  ['update', 'file:///keelson/lib/hub/store/records/write.ts'],
] as const
const nodes = frames.map(([functionName, url], id) => ({ id, callFrame: { functionName, url, lineNumber: 9 } }))
const profile = (...samples: readonly (readonly [id: number, us: number])[]) => ({
  nodes,
  samples: samples.map(([id]) => id),
  timeDeltas: samples.map(([, us]) => us),
})

test('a profile is told by room and by function, the largest first, without idle time and the profiler', () => {
  const { rooms, functions } = spentIn(
    profile([0, 9000], [2, 1000], [6, 3000], [3, 2000], [1, 500], [4, 700], [5, 8000], [2, 1000]),
  )
  assert.deepEqual(rooms, [
    ['lib/hub/store', 5],
    ['node_modules/@aws-sdk/core', 2],
    ['node:internal/streams', 0.7],
    ['garbage collector', 0.5],
  ])
  assert.deepEqual(functions.slice(0, 3), [
    ['update lib/hub/store/records/write.ts:10', 3],
    ['create lib/hub/store/hub.ts:10', 2],
    ['write node_modules/@aws-sdk/core/lib/index.js:10', 2],
  ])
})

test('a part of a profile is told by its seconds', () => {
  const { rooms } = spentIn(profile([2, 1_000_000], [3, 1_000_000], [2, 1_000_000]), 1.5, 2.5)
  assert.deepEqual(rooms, [['node_modules/@aws-sdk/core', 1000]])
})
