import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Reachability } from '../../../../lib/foundations/rules/cluster-breaker.ts'
import type { Pass } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { confined } from '../../../../lib/reconcile/windows/confinement.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'

const server = 'https://prod.example.com'
const outage = { server, problem: 'connection refused' }

/** The cluster as a pass gets it, and the calls that reach it. */
const confinedCluster = async (reachability: Reachability, { isRequested = false, at = server } = {}) => {
  const calls: string[] = []
  const cluster = {
    server: at,
    hasResponded: (agoMs: number) => calls.push(`has responded ${agoMs} ms ago`),
    list: async () => {
      calls.push('list')
      return { items: [], resourceVersion: '1' }
    },
    identity: async () => {
      calls.push('identity')
      return {}
    },
  } as unknown as ClusterClient
  const clock = manualClock(10_000)
  const given = {
    signal: new AbortController().signal,
    confine: async (cluster: ClusterClient) => cluster,
  } as unknown as Pass<never>
  const pass = confined(given, { isRequested, clock }, async () => ({ protections: [], reachability }))
  return { calls, cluster: await pass.confine(cluster) }
}

const query = { apiVersion: 'v1', kind: 'ConfigMap' }

test('a cluster that probes have found dead gets no request, and fails as by an open breaker', async () => {
  const { calls, cluster } = await confinedCluster({ outage })
  for (const request of [() => cluster.list(query), () => cluster.identity()])
    await assert.rejects(request, (error: ClusterError) => {
      assert.ok(error instanceof ClusterError)
      assert.deepEqual([error.code, error.outage], ['unreachable', outage])
      assert.equal(error.message, `cluster ${server} is unreachable: connection refused`)
      return true
    })
  assert.deepEqual([calls, cluster.server], [[], server])
})

test('a requested pass tries, and so does one of a cluster that has moved to another address', async () => {
  for (const options of [{ isRequested: true }, { at: 'https://new.example.com' }]) {
    const { calls, cluster } = await confinedCluster({ outage }, options)
    await cluster.list(query)
    assert.deepEqual(calls, ['list'])
  }
})

test('after a recovery the breaker of each process learns of it', async () => {
  const { calls, cluster } = await confinedCluster({ recoveredAt: 9_000 })
  await cluster.list(query)
  assert.deepEqual(calls, ['has responded 1000 ms ago', 'list'])
})
