import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Queue } from '../../../../lib/platform/ports/queue.ts'
import { kustomizationAddress } from '../../../../lib/reconcile/kustomization/kustomization-address.ts'
import { resourceSetAddress } from '../../../../lib/reconcile/resource-set/resource-set-address.ts'
import { createMirror } from '../../../../lib/reconcile/runner/mirror.ts'
import type { Addressed } from '../../../../lib/reconcile/runtime/reconciler.ts'
import { unitMemory } from '../../../../lib/reconcile/runtime/unit-memory.ts'
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
  const sent: string[] = []
  const queue: Queue = {
    ...platform.queue,
    send: async messages => void sent.push(...messages.map(({ ref }) => `${ref.kind}/${ref.name}`)),
  }
  const mirror = createMirror({ ...platform, queue, hub }, () => [
    kustomizationAddress as Addressed,
    resourceSetAddress as Addressed,
  ])
  return { hub, mirror, sent, platform }
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

test('a unit looks again when its source has another artifact, not while the source is only fetched', async () => {
  const { mirror, sent } = await world()
  const fetched = (digest: string, reconciling: string): KubernetesObject => ({
    ...source,
    status: {
      artifact: { path: `gitrepository/shared/app/${digest}.tar.gz`, digest, revision: 'main@sha1:1' },
      conditions: [{ type: 'Reconciling', status: reconciling, reason: 'Progressing', message: '' }],
    },
  })
  const after = async (other: KubernetesObject) => {
    await mirror.take({ own: [unit], others: [other], settings: {} }, fresh)
    return sent.splice(0)
  }
  await after(fetched('sha256:a', 'False'))
  assert.deepEqual(await after(fetched('sha256:a', 'True')), [])
  assert.deepEqual(await after(fetched('sha256:b', 'True')), ['Kustomization/app'])
})

test('a unit looks again when a unit that it depends on has another state', async () => {
  const { mirror, sent } = await world()
  const dependent = { ...unit, spec: { ...(unit.spec as object), dependsOn: [{ name: 'base' }] } }
  const base = (status: string): KubernetesObject => ({
    ...{ ...unit, metadata: { namespace: 'ships', name: 'base', uid: 'b', generation: 1 } },
    status: { conditions: [{ type: 'Ready', status, reason: 'x', message: '' }] },
  })
  await mirror.take({ own: [dependent], others: [base('False')], settings: {} }, fresh)
  sent.splice(0)
  await mirror.take({ own: [dependent], others: [base('True')], settings: {} }, fresh)
  assert.deepEqual(sent, ['Kustomization/app'])
})

test("a hub can't write over what the runner has noted about a unit itself", async () => {
  const { hub, mirror, platform } = await world()
  await mirror.take({ own: [unit], others: [], settings: {} }, stale)
  const notes = unitMemory(platform.objects)
  await notes.write(unit, { approved: { build: 'sha256:signed', generation: 7 } })
  const forged = {
    ...{ apiVersion: 'facts.unit.kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization' },
    metadata: { namespace: 'ships', name: 'u' },
    approved: { build: 'sha256:forged', generation: 7 },
  }
  for (const copy of [
    { own: [unit], others: [forged] },
    { own: [unit, forged], others: [] },
  ])
    await mirror.take({ ...copy, settings: {} }, stale)
  await hub.settled()
  assert.equal((await notes.read(unit)).approved?.build, 'sha256:signed')
})

test('a ResourceSet looks again when a provider that it names or selects exports other inputs, or is no longer there', async () => {
  const { mirror, sent } = await world()
  const operator = (kind: string, name: string, rest: object) =>
    ({
      ...{ apiVersion: 'fluxcd.controlplane.io/v1', kind },
      metadata: { namespace: 'ships', name, uid: name, generation: 1 },
      ...rest,
    }) as KubernetesObject
  const named = operator('ResourceSet', 'named', { spec: { inputsFrom: [{ name: 'color' }] } })
  const selecting = operator('ResourceSet', 'selecting', { spec: { inputsFrom: [{ selector: {} }] } })
  const after = async (...colors: readonly string[]) => {
    const status = { exportedInputs: colors.map(color => ({ color })) }
    const others = colors.length > 0 ? [operator('ResourceSetInputProvider', 'color', { status })] : []
    await mirror.take({ own: [named, selecting], others, settings: {} }, fresh)
    return sent.splice(0).sort()
  }
  await after('blue')
  assert.deepEqual(await after('blue'), [])
  const both = ['ResourceSet/named', 'ResourceSet/selecting']
  assert.deepEqual([await after('green'), await after(), await after()], [both, both, []])
})
