/** A probe that finds nothing new is a part of the visit of its cluster, and writes nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ClusterClient, ClusterError } from '../../../../lib/clusters/client/client.ts'
import type { Cluster } from '../../../../lib/foundations/kinds/cluster.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { visitRef } from '../../../../lib/platform/ports/visits.ts'
import { clusterReconciler } from '../../../../lib/reconcile/cluster/cluster.ts'
import type { Reconciler } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { openWorld } from '../world.ts'

const minute = 60_000
const author = { fieldManager: 'someone' }
const ref = { group: 'fleet.keelson.dev', kind: 'Cluster', namespace: 'default', name: 'prod' }
/** That of the Kustomizations with the same kubeconfig. */
const visit = visitRef('apply', 'default/prod')

const kubeconfig = `apiVersion: v1
kind: Config
current-context: a
contexts: [{name: a, context: {cluster: a, user: a}}]
clusters: [{name: a, cluster: {server: 'https://prod.example.com'}}]
users: [{name: a, user: {token: t}}]
`

interface Says {
  version: string
  problem?: string
  /** What it responds at /readyz, if that is not `ok`. */
  readyz?: { readonly status: number; readonly body: string }
}

/** A Cluster after its first probes, and what the cluster says. */
const atRest = async (
  story: (
    scene: Awaited<ReturnType<typeof openWorld>> & {
      readonly says: Says
      get(): Promise<Cluster>
      /** How often it was probed so far. */
      probes(): number
    },
  ) => Promise<void>,
): Promise<void> => {
  const says: Says = { version: 'v1.36.3' }
  let probes = 0
  const answer = async <T>(value: T): Promise<T> => {
    if (says.problem) throw new ClusterError('unreachable', says.problem)
    return value
  }
  const client = {
    server: 'https://prod.example.com',
    identity: () => {
      probes++
      return answer({ uid: 'one' })
    },
    serverVersion: () => answer(says.version),
    readiness: () => answer(says.readyz ?? { status: 200, body: 'ok' }),
  } as unknown as ClusterClient
  const clusters = { fromKubeconfig: () => client, fromConfigMap: async () => client }
  const world = await openWorld(({ hub, references, clock }) => [
    clusterReconciler({ hub, references, clock, clusters }) as unknown as Reconciler<KubernetesObject>,
  ])
  try {
    const { hub } = world
    const data = { value: Buffer.from(kubeconfig).toString('base64') }
    const metadata = { name: 'prod', namespace: 'default' }
    await hub.create({ apiVersion: 'v1', kind: 'Secret', metadata, data } as KubernetesObject, author)
    const spec = { kubeConfig: { secretRef: { name: 'prod' } } }
    const apiVersion = 'fleet.keelson.dev/v1alpha1'
    await hub.create({ apiVersion, kind: 'Cluster', metadata, spec } as KubernetesObject, author)
    await world.settle()
    await world.advance(30 * minute)
    const get = async () => (await hub.get<Cluster>(ref))!
    await story({ ...world, says, get, probes: () => probes })
  } finally {
    await world.close()
  }
}

test('CL-009 at rest a Cluster is a member of the visit of its units, has no due time of its own, and is not written', () =>
  atRest(async ({ advance, platform, passes, changes, probes, get }) => {
    assert.deepEqual(
      (await platform.visits.read(visit))?.members.map(member => member.ref),
      [ref],
    )
    assert.equal(await platform.schedule.dueOf(ref), undefined)
    const before = { passes: passes.length, changes: changes.length, probes: probes() }
    await advance(60 * minute)
    assert.ok(probes() >= before.probes + 5, `${probes() - before.probes} probes in an hour`)
    assert.deepEqual([passes.length, changes.length], [before.passes, before.changes])
    assert.equal((await get()).status?.conditions?.[0]?.status, 'True')
  }))

test('what a probe in a visit finds out is written by a pass of its own', () =>
  atRest(async ({ advance, says, get, passes }) => {
    says.version = 'v1.37.0'
    const before = passes.length
    await advance(15 * minute)
    assert.equal((await get()).status?.kubernetesVersion, 'v1.37.0')
    assert.equal(passes.length, before + 1)
  }))

test('an outage shows within an interval, is then probed each minute, and after it the Cluster is visited again', () =>
  atRest(async ({ advance, says, get, platform, probes, eventsOf }) => {
    const reachable = async () => (await get()).status?.conditions?.find(({ type }) => type === 'Reachable')?.status
    says.problem = 'cluster https://prod.example.com is unreachable: connection refused'
    await advance(11 * minute)
    assert.deepEqual([await reachable(), (await get()).status?.breaker?.state], ['False', 'Open'])
    const before = probes()
    await advance(5 * minute)
    assert.ok(probes() - before >= 4, `${probes() - before} probes in five minutes`)
    delete says.problem
    await advance(2 * minute)
    assert.deepEqual([await reachable(), (await get()).status?.breaker?.state], ['True', 'Closed'])
    await advance(25 * minute)
    assert.deepEqual(
      (await platform.visits.read(visit))?.members.map(member => member.ref),
      [ref],
    )
    const warnings = (await eventsOf(ref)).filter(text => text.startsWith('Warning'))
    assert.equal(warnings.length, 1, warnings.join('\n'))
  }))

test('a Cluster is written about every six hours, to say that it was seen', () =>
  atRest(async ({ advance, get, passes }) => {
    const [before, first] = [passes.length, (await get()).status?.lastContactTime ?? '']
    await advance(12 * 60 * minute)
    assert.ok(passes.length - before <= 2, `${passes.length - before} passes in 12 hours`)
    assert.ok(Date.parse((await get()).status?.lastContactTime ?? '') >= Date.parse(first) + 6 * 3_600_000)
  }))

/** As kube-apiserver responds when its etcd does not. */
const withoutEtcd = `[+]ping ok
[+]log ok
[-]etcd failed: reason withheld
[-]etcd-readiness failed: reason withheld
[+]informer-sync ok
[+]shutdown ok
readyz check failed
`

test('CL-002 a control plane whose checks fail is named with them once, while its cluster stays ready, and once more when it is healthy again', () =>
  atRest(async ({ advance, says, get, passes, eventsOf }) => {
    const conditionsNow = async () =>
      Object.fromEntries(
        ((await get()).status?.conditions ?? []).map(({ type, status, reason, message }) => [
          type,
          `${status} ${reason}: ${message}`,
        ]),
      )
    assert.equal((await conditionsNow()).ControlPlaneHealthy, 'True ChecksPassed: all checks of /readyz pass')
    says.readyz = { status: 500, body: withoutEtcd }
    await advance(11 * minute)
    const failing = await conditionsNow()
    assert.equal(failing.ControlPlaneHealthy, 'False ChecksFailed: /readyz fails: etcd, etcd-readiness')
    assert.match(failing.Ready!, /^True /)
    const events = async () => (await eventsOf(ref)).filter(text => text.includes('ControlPlane'))
    const before = passes.length
    await advance(30 * minute)
    assert.equal(passes.length, before, 'what is known is not written again')
    assert.equal((await events()).length, 1)
    says.readyz = { status: 403, body: '' }
    await advance(11 * minute)
    assert.match((await conditionsNow()).ControlPlaneHealthy!, /^Unknown ChecksUnknown: .*status 403/)
    says.readyz = { status: 502, body: '<html>' }
    await advance(11 * minute)
    assert.match((await conditionsNow()).ControlPlaneHealthy!, /^False ChecksFailed: \/readyz responds with status 502/)
    delete says.readyz
    await advance(11 * minute)
    assert.match((await conditionsNow()).ControlPlaneHealthy!, /^True /)
    const healthy = (await events()).filter(text => text.startsWith('Normal ControlPlaneHealthy'))
    assert.equal(healthy.length, 1, (await events()).join('\n'))
  }))
