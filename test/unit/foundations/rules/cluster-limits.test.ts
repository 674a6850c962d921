import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import { shareOf } from '../../../../lib/foundations/rules/cluster-limits.ts'

const share = (...limits: readonly Cluster['spec']['limits'][]) =>
  shareOf(limits.map(limits => ({ spec: { kubeConfig: {}, limits } }) as Cluster))

test('requests are divided among passes, and their sum is never more', () => {
  assert.deepEqual(share({ concurrentPasses: 4, concurrentRequests: 20 }), { passes: 4, requests: 5 })
  assert.deepEqual(share({ concurrentPasses: 3, concurrentRequests: 20 }), { passes: 3, requests: 6 })
  assert.deepEqual(share({ concurrentPasses: 8, concurrentRequests: 3 }), { passes: 3, requests: 1 })
  assert.deepEqual(share({ concurrentRequests: 20 }), { passes: 4, requests: 5 })
  assert.deepEqual(share({ concurrentRequests: 1 }), { passes: 1, requests: 1 })
})

test('without a limit on requests a pass sends as many as any', () => {
  assert.deepEqual(share({ concurrentPasses: 2 }), { passes: 2 })
  assert.equal(share(undefined), undefined)
  assert.equal(share({}), undefined)
})

test('of several Clusters with one access the lowest limits apply', () => {
  assert.deepEqual(share({ concurrentPasses: 4 }, undefined, { concurrentPasses: 2, concurrentRequests: 10 }), {
    passes: 2,
    requests: 5,
  })
})

test('a rate of requests is divided among passes, too', () => {
  assert.deepEqual(share({ requestsPerSecond: 10 }), { passes: 4, perSecond: 2.5 })
  assert.deepEqual(share({ requestsPerSecond: 2 }), { passes: 2, perSecond: 1 })
  assert.deepEqual(share({ concurrentPasses: 2, concurrentRequests: 6, requestsPerSecond: 20 }), {
    ...{ passes: 2, requests: 3, perSecond: 10 },
  })
})
