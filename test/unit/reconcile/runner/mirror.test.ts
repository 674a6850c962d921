import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createMirror } from '../../../../lib/reconcile/runner/mirror.ts'
import { by, hubWorld } from '../../hub/store/world.ts'

const source: KubernetesObject = {
  apiVersion: 'source.toolkit.fluxcd.io/v1',
  kind: 'GitRepository',
  metadata: { namespace: 'shared', name: 'app', uid: 's', generation: 3 },
}

const unit: KubernetesObject = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { namespace: 'ships', name: 'app', uid: 'u', generation: 7, finalizers: ['finalizers.fluxcd.io'] },
  spec: { prune: true, interval: '1h', sourceRef: { kind: 'GitRepository', name: 'app', namespace: 'shared' } },
  status: { observedGeneration: 6 },
}

const [unitRef, sourceRef] = [
  { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'ships', name: 'app' },
  { group: 'source.toolkit.fluxcd.io', kind: 'GitRepository', namespace: 'shared', name: 'app' },
]

const fresh = () => false
const stale = () => true

const world = async () => {
  const { hub, platform } = await hubWorld()
  return { hub, platform, mirror: createMirror({ ...platform, hub }, () => []) }
}

test('a copy has the UIDs, generations and statuses of the hub, and its namespaces', async () => {
  const { hub, mirror } = await world()
  await mirror.take({ own: [unit], others: [source], settings: {} }, stale)
  await hub.settled()
  const copied = await hub.get<KubernetesObject>(unitRef)
  assert.deepEqual([copied?.metadata.uid, copied?.metadata.generation, copied?.status], ['u', 7, unit.status])
  assert.equal((await hub.get<KubernetesObject>(sourceRef))?.metadata.generation, 3)
  assert.deepEqual([mirror.isOwn(unit), mirror.isOwn(source)], [true, false])
})

test('the status of a unit is that of the runner, until only the one of the hub is certain', async () => {
  const { hub, mirror } = await world()
  const statusOf = async () => (await hub.get<KubernetesObject>(unitRef))?.status
  await mirror.take({ own: [unit], others: [], settings: {} }, stale)
  const patch = { status: { observedGeneration: 7 } }
  await hub.patch(unitRef, { type: 'merge', patch }, { ...by('loop'), subresource: 'status' })
  const changed = { ...unit, metadata: { ...unit.metadata, generation: 8 } }
  await mirror.take({ own: [changed], others: [], settings: {} }, fresh)
  assert.deepEqual(await statusOf(), { observedGeneration: 7 })
  await mirror.take({ own: [changed], others: [], settings: {} }, stale)
  assert.deepEqual(await statusOf(), { observedGeneration: 6 })
  const another = { ...unit, metadata: { ...unit.metadata, uid: 'other' } }
  await mirror.take({ own: [another], others: [], settings: {} }, fresh)
  assert.deepEqual(await statusOf(), unit.status, 'another object of the same name')
})

test('what the hub does not hand out any more is gone at once, without its finalizers', async () => {
  const { hub, mirror } = await world()
  await mirror.take({ own: [unit], others: [source], settings: {} }, stale)
  await mirror.take({ own: [], others: [], settings: {} }, fresh)
  assert.equal(await hub.get(unitRef), undefined)
  assert.equal(await hub.get(sourceRef), undefined)
})
