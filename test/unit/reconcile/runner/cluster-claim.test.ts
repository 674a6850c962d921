import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { clusterClaim } from '../../../../lib/reconcile/runner/cluster-claim.ts'

/** A cluster that has at most one Lease; `failing` is what its next requests fail with. */
const scene = () => {
  const it = { lease: undefined as KubernetesObject | undefined, requests: 0, failing: undefined as Error | undefined }
  const answer = async <T>(value: () => T): Promise<T> => {
    it.requests++
    if (it.failing) throw it.failing
    return value()
  }
  const client = {
    get: () => answer(() => it.lease),
    apply: (object: KubernetesObject) =>
      answer(() => {
        it.lease = object
        return object
      }),
  } as unknown as ClusterClient
  const claimOf = (holder: string) =>
    clusterClaim({ client: async () => client, of: { namespace: 'ships', name: 'aurora' }, holder })
  return { it, claimOf }
}

test('the last runner that claims a cluster has it', async () => {
  const { it, claimOf } = scene()
  const [first, second] = [claimOf('first'), claimOf('second')]
  assert.equal(await first.isOurs(), false)
  await first.raise(true)
  assert.deepEqual(it.lease?.metadata, { namespace: 'kube-system', name: 'keelson-runner.ships.aurora' })
  assert.equal(await first.isOurs(), true)
  await second.raise(true)
  assert.deepEqual([await first.isOurs(), await second.isOurs()], [false, true])
  await first.raise(true)
  assert.equal(await first.isOurs(), false, 'it claims once, and does not take the cluster back')
})

test('a runner that never works alone claims only a cluster that has been claimed, and asks once', async () => {
  const { it, claimOf } = scene()
  const [alone, other] = [claimOf('alone'), claimOf('other')]
  await other.raise(false)
  await other.raise(false)
  assert.deepEqual([it.lease, it.requests], [undefined, 1])
  await alone.raise(true)
  const later = claimOf('later')
  await later.raise(false)
  assert.deepEqual([await alone.isOurs(), await later.isOurs()], [false, true])
  await other.raise(true)
  assert.equal(await other.isOurs(), true, 'the policy has changed')
})

test('a runner without the right never has the claim; a cluster that does not respond is asked again', async () => {
  const { it, claimOf } = scene()
  const claim = claimOf('it')
  it.failing = new ClusterError('unreachable', 'gone')
  await assert.rejects(claim.raise(true), /gone/)
  it.failing = undefined
  await claim.raise(true)
  assert.equal(await claim.isOurs(), true)
  it.failing = new ClusterError('unreachable', 'gone')
  assert.equal(await claim.isOurs(), false)
  it.failing = new ClusterError('forbidden', 'no')
  const forbidden = claimOf('forbidden')
  await forbidden.raise(true)
  it.failing = undefined
  await forbidden.raise(true)
  assert.equal(await forbidden.isOurs(), false)
})
