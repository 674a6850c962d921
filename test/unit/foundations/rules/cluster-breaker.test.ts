import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import { breakerAfter, isBreakerOpen, reachabilityOf } from '../../../../lib/foundations/rules/cluster-breaker.ts'
import { clusterAddress } from '../../../../lib/reconcile/cluster/cluster-address.ts'

const start = Date.UTC(2026, 10, 28, 12)
const minute = 60_000
const at = (minutes: number): string => new Date(start + minutes * minute).toISOString().replace('.000', '')

type Breaker = NonNullable<NonNullable<Cluster['status']>['breaker']>

const server = 'https://prod.example.com'
const clusterWith = (
  breaker: Breaker | undefined,
  reason = 'ClusterUnreachable',
  problem = 'connection refused',
): Cluster =>
  ({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Cluster',
    metadata: { name: 'prod', namespace: 'apps' },
    spec: { kubeConfig: { secretRef: { name: 'prod' } } },
    status: {
      server,
      ...(breaker && { breaker }),
      conditions: [
        {
          ...{ type: 'Reachable', status: reason === 'Responding' ? 'True' : 'False', reason },
          ...{ message: `cluster ${server} is unreachable: ${problem}`, lastTransitionTime: at(0) },
        },
      ],
    },
  }) as unknown as Cluster

test('a probe that fails opens it, later ones confirm it every five minutes, one that succeeds closes it', () => {
  assert.equal(breakerAfter(undefined, true, start), undefined)
  const opened = breakerAfter(undefined, false, start)!
  assert.deepEqual(opened, { state: 'Open', since: at(0), lastProbeTime: at(0) })
  assert.equal(breakerAfter(opened, false, start + 4 * minute), opened, 'nothing is written')
  const confirmed = breakerAfter(opened, false, start + 5 * minute)
  assert.deepEqual(confirmed, { state: 'Open', since: at(0), lastProbeTime: at(5) })
  const closed = breakerAfter(confirmed, true, start + 6 * minute)
  assert.deepEqual(closed, { state: 'Closed', since: at(6) })
  assert.equal(breakerAfter(closed, true, start + 60 * minute), closed)
  assert.deepEqual(breakerAfter(closed, false, start + 70 * minute), {
    ...{ state: 'Open', since: at(70), lastProbeTime: at(70) },
  })
})

test('units need not try while each of their Clusters was found dead a short time ago', () => {
  const open = (probed: number): Breaker => ({ state: 'Open', since: at(0), lastProbeTime: at(probed) })
  const known = (clusters: readonly Cluster[], minutes: number) => reachabilityOf(clusters, start + minutes * minute)
  assert.deepEqual(known([], 1), {})
  assert.deepEqual(known([clusterWith(undefined)], 1), {})
  assert.deepEqual(known([clusterWith(open(0))], 1), { outage: { server, problem: 'connection refused' } })
  // A probe that no longer comes, or whose clock is off, says nothing.
  assert.deepEqual(known([clusterWith(open(0))], 9.9), { outage: { server, problem: 'connection refused' } })
  assert.deepEqual(known([clusterWith(open(0))], 10), {})
  assert.deepEqual(known([clusterWith(open(20))], 1), {})
  // Two Clusters with the same access: one that responds is enough.
  const responds = clusterWith({ state: 'Closed', since: at(3) }, 'Responding')
  assert.deepEqual(known([clusterWith(open(0)), responds], 4), { recoveredAt: start + 3 * minute })
  assert.deepEqual(known([clusterWith(open(0)), clusterWith(undefined, 'Responding')], 4), {})
  // Its access can't be read: that is no outage.
  assert.deepEqual(known([clusterWith(open(0), 'AccessFailed')], 1), {})
})

test('units are woken when it closes, not when it opens', () => {
  const [never, open, closed] = [
    clusterWith(undefined, 'Responding'),
    clusterWith({ state: 'Open', since: at(0), lastProbeTime: at(0) }),
    clusterWith({ state: 'Closed', since: at(1) }, 'Responding'),
  ]
  assert.deepEqual([never, open, closed].map(isBreakerOpen), [false, true, false])
  const woken = (before: Cluster, after: Cluster) => clusterAddress.affects!(before, after).length > 0
  assert.equal(woken(never, open), false)
  assert.equal(woken(open, open), false)
  assert.equal(woken(open, closed), true)
  assert.equal(woken(closed, closed), false)
})
