import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ClusterClient } from '../../../../lib/clusters/client/client.ts'
import { waitForHook, waitForObjects } from '../../../../lib/clusters/helm-release/wait.ts'
import { current, failed } from '../../../../lib/engines/kstatus/result.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

const pod = (phase: string): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'apps' }, status: { phase } }) as KubernetesObject

/** What a wait needs, on a cluster that has one object. */
const watching = (object: KubernetesObject) => {
  const clock = manualClock()
  const cluster = { get: async () => object } as unknown as ClusterClient
  return {
    deps: { cluster, clock, storage: {} as never, maxPollMs: 0 },
    deadline: { since: clock.now(), timeoutMs: 60_000 },
  }
}

test('HR-055 a wait that something newer cancels ends at once; by the rules of Helm itself, and for a hook, it continues', async () => {
  const unready = pod('Pending')
  const { deps, deadline } = watching(unready)
  const request = { waitForJobs: true, isCanceled: true }
  const wait = (strategy: 'poller' | 'legacy' | 'none') =>
    waitForObjects(deps, [unready], { ...request, wait: strategy }, deadline)
  await assert.rejects(wait('poller'), { name: 'ActionFailed', message: 'context canceled' })
  await assert.rejects(wait('legacy'), { message: /^waiting for/ })
  await wait('none')
  await assert.rejects(waitForHook(deps, [unready], deadline), { message: /^waiting for/ })
})

test('HR-100 expressions judge an object in place of the rules of its kind', async () => {
  const { deps, deadline } = watching(pod('Pending'))
  const request = { wait: 'poller', waitForJobs: true } as const
  await waitForObjects(deps, [pod('Pending')], { ...request, judge: () => current('fine') }, deadline)
  const judge = () => failed('Broken', 'it says no')
  await assert.rejects(waitForObjects(deps, [pod('Pending')], { ...request, judge }, deadline), {
    message: /^failed early due to stalled resources: \[Pod\/apps\/p status: 'Failed'/,
  })
  await assert.rejects(waitForObjects(deps, [pod('Pending')], { ...request, judge: () => undefined }, deadline), {
    message: /^waiting for/,
  })
})
