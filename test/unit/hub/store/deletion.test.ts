import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KubernetesObject, type OwnerReference, refOf } from '../../../../lib/foundations/kinds/object.ts'
import type { HubWorld } from './world.ts'
import {
  by,
  configMap,
  configMapRef,
  hubWorld,
  kustomization,
  kustomizationRef,
  namespace,
  namespaceRef,
  refusalOf,
} from './world.ts'

const ownedBy = (
  { apiVersion, kind, metadata }: KubernetesObject,
  more: Partial<OwnerReference> = {},
): OwnerReference => ({
  apiVersion,
  kind,
  name: metadata.name,
  uid: metadata.uid!,
  ...more,
})

const goneOwner: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' }

const names = async ({ hub }: HubWorld, inNamespace = 'default'): Promise<string[]> =>
  (await hub.list({ group: '', kind: 'ConfigMap', namespace: inNamespace })).items.map(({ metadata }) => metadata.name)

const withoutFinalizers = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, finalizers: [] },
})

test('keeps an object with finalizers until the last one is removed', async () => {
  const { hub, changes } = await hubWorld()
  await hub.create(kustomization('app', {}, { finalizers: ['finalizers.fluxcd.io'] }), by('me'))
  const deleted = await hub.delete(kustomizationRef('app'), {})
  assert.deepEqual(
    [deleted.metadata.deletionTimestamp, deleted.metadata.deletionGracePeriodSeconds, deleted.metadata.generation],
    ['2026-01-01T00:00:00Z', 0, 2],
  )
  assert.deepEqual(await hub.delete(kustomizationRef('app'), {}), deleted)
  assert.match(
    await refusalOf(
      hub.update(
        { ...deleted, metadata: { ...deleted.metadata, finalizers: ['finalizers.fluxcd.io', 'a.b/c'] } },
        by('me'),
      ),
    ),
    /no new finalizers can be added if the object is being deleted/,
  )
  await hub.update(withoutFinalizers(deleted), by('it'))
  assert.equal(await hub.get(kustomizationRef('app')), undefined)
  assert.deepEqual(changes, [
    'created Kustomization/default/app',
    'updated Kustomization/default/app',
    'deleted Kustomization/default/app',
  ])
})

test('asks for a reconciliation of what is being deleted', async () => {
  const { hub, platform, clock } = await hubWorld()
  await hub.create(kustomization('app', {}, { finalizers: ['finalizers.fluxcd.io'] }), { ...by('me'), due: null })
  await hub.delete(kustomizationRef('app'), {})
  assert.equal((await platform.schedule.dueBy(clock.now(), 10)).length, 1)
})

test('deletes only the object that is meant', async () => {
  const { hub } = await hubWorld()
  const { uid, resourceVersion } = (await hub.create(configMap('a'), by('me'))).metadata
  assert.equal(
    await refusalOf(hub.delete(configMapRef('a'), { uid: 'other' })),
    `409 Conflict: Operation cannot be fulfilled on ConfigMap "a": the UID in the precondition (other) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
  )
  assert.match(await refusalOf(hub.delete(configMapRef('a'), { resourceVersion: '1' })), /^409 Conflict: /)
  await hub.delete(configMapRef('a'), { uid, resourceVersion, dryRun: true })
  await hub.delete(configMapRef('a'), { uid, resourceVersion })
  assert.equal(await refusalOf(hub.delete(configMapRef('a'), {})), '404 NotFound: configmaps "a" not found')
})

test('deletes dependents after their owner, and theirs after them', async () => {
  const world = await hubWorld()
  const { hub } = world
  const owner = await hub.create(configMap('owner'), by('me'))
  const child = await hub.create(configMap('child', { ownerReferences: [ownedBy(owner)] }), by('me'))
  await hub.create(configMap('grandchild', { ownerReferences: [ownedBy(child)] }), by('me'))
  await hub.create(configMap('stranger'), by('me'))
  await hub.delete(configMapRef('owner'), {})
  await hub.settled()
  assert.deepEqual(await names(world), ['stranger'])
})

test('keeps a dependent that still has another owner, and forgets the one that is gone', async () => {
  const world = await hubWorld()
  const { hub } = world
  const [first, second] = [
    await hub.create(configMap('first'), by('me')),
    await hub.create(configMap('second'), by('me')),
  ]
  await hub.create(configMap('child', { ownerReferences: [ownedBy(first), ownedBy(second)] }), by('me'))
  await hub.delete(configMapRef('first'), {})
  await hub.settled()
  const child = (await hub.get(configMapRef('child')))!
  assert.deepEqual(child.metadata.ownerReferences, [ownedBy(second)])
})

test('orphans dependents when asked to', async () => {
  const world = await hubWorld()
  const { hub } = world
  const owner = await hub.create(configMap('owner'), by('me'))
  await hub.create(configMap('child', { ownerReferences: [ownedBy(owner)] }), by('me'))
  assert.deepEqual((await hub.delete(configMapRef('owner'), { propagation: 'Orphan' })).metadata.finalizers, ['orphan'])
  await hub.settled()
  assert.deepEqual(await names(world), ['child'])
  assert.equal((await hub.get(configMapRef('child')))?.metadata.ownerReferences, undefined)
})

test('deletes an owner in the foreground only after the dependents that block it', async () => {
  const world = await hubWorld()
  const { hub } = world
  const owner = await hub.create(configMap('owner'), by('me'))
  const reference = ownedBy(owner, { blockOwnerDeletion: true })
  await hub.create(configMap('child', { ownerReferences: [reference], finalizers: ['example.com/hold'] }), by('me'))
  await hub.delete(configMapRef('owner'), { propagation: 'Foreground' })
  await hub.settled()
  assert.deepEqual(await names(world), ['child', 'owner'])
  await hub.update(withoutFinalizers((await hub.get(configMapRef('child')))!), by('it'))
  await hub.settled()
  assert.deepEqual(await names(world), [])
})

test('collects a new object whose owner does not exist', async () => {
  const world = await hubWorld()
  const { hub } = world
  const elsewhere = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'unknown', uid: 'x' }
  await hub.create(configMap('child', { ownerReferences: [goneOwner] }), by('me'))
  await hub.create(configMap('other', { ownerReferences: [elsewhere] }), by('me'))
  await hub.settled()
  assert.deepEqual(await names(world), ['other'])
})

test('an owner in another namespace counts as absent, and nothing there waits for the object that claims it', async () => {
  const world = await hubWorld()
  const { hub } = world
  await hub.create(namespace('mallory'), by('me'))
  const owner = await hub.create(configMap('owner'), by('me'))
  const blocking = {
    namespace: 'mallory',
    ownerReferences: [ownedBy(owner, { blockOwnerDeletion: true })],
    finalizers: ['example.com/hold'],
  }
  await hub.create(configMap('blocker', blocking), by('me'))
  await hub.settled()
  assert.notEqual((await hub.get(configMapRef('blocker', 'mallory')))?.metadata.deletionTimestamp, undefined)
  await hub.delete(configMapRef('owner'), { propagation: 'Foreground' })
  await hub.settled()
  assert.deepEqual(await names(world), [])
})

const held = { ownerReferences: [{ ...goneOwner, name: 'never-there' }], finalizers: ['example.com/hold'] }

test('an owner that was not there when it was written is told once, also when a sweep looks first', async () => {
  const told: string[] = []
  const { hub } = await hubWorld({
    onInvalidOwner: async ({ metadata }, { name }) => void told.push(`${metadata.name}: ${name}`),
  })
  await hub.create(configMap('child', held), by('me'))
  await hub.sweep()
  await hub.sweep()
  await hub.settled()
  assert.deepEqual(told, ['child: never-there'])
})

test('an owner that could not be told is told by the next sweep, and collecting does not wait for it', async () => {
  const told: string[] = []
  const failures: unknown[] = []
  const { hub } = await hubWorld({
    onInvalidOwner: async (_, { name }) => {
      if (failures.length === 0) throw new Error('try again')
      told.push(name)
    },
    onError: (_, error) => failures.push((error as Error).message),
  })
  await hub.create(configMap('child', held), by('me'))
  await hub.settled()
  assert.deepEqual(failures, ['try again'])
  assert.notEqual((await hub.get(configMapRef('child')))?.metadata.deletionTimestamp, undefined)
  await hub.sweep()
  assert.deepEqual(told, ['never-there'])
})

test('an owner of the cluster scope is one in every namespace', async () => {
  const world = await hubWorld()
  const { hub } = world
  const owner = await hub.create(namespace('owner'), by('me'))
  await hub.create(configMap('child', { ownerReferences: [ownedBy(owner)] }), by('me'))
  await hub.settled()
  assert.deepEqual(await names(world), ['child'])
  await hub.delete(namespaceRef('owner'), {})
  await hub.settled()
  assert.deepEqual(await names(world), [])
})

test('finishes after a crash what a deletion had begun', async () => {
  const world = await hubWorld()
  const { hub, platform } = world
  const owner = await hub.create(configMap('owner'), by('me'))
  await hub.create(configMap('child', { ownerReferences: [ownedBy(owner)] }), by('me'))
  await hub.create(namespace('team'), by('me'))
  await hub.create(configMap('content', { namespace: 'team' }), by('me'))
  // The crash: the owner is gone and the namespace marked, but nobody looks at what hangs on them.
  const stored = (await platform.objects.get(configMapRef('owner')))!
  await platform.objects.commit({ op: 'delete', ref: stored.ref, expect: stored.version, body: stored.body })
  const room = (await platform.objects.get(namespaceRef('team')))!
  const marked = JSON.parse(room.body)
  marked.metadata.deletionTimestamp = '2026-01-01T00:00:00Z'
  await platform.objects.commit({
    op: 'update',
    ref: room.ref,
    expect: room.version,
    body: JSON.stringify(marked),
    refersTo: ['deleting'],
  })
  await world.restarted().sweep()
  assert.deepEqual(await names(world), [])
  assert.equal(await hub.get(namespaceRef('team')), undefined)
})

test('empties a namespace before it goes, and tells what it waits for', async () => {
  const world = await hubWorld()
  const { hub } = world
  await hub.create(namespace('team'), by('me'))
  await hub.create(configMap('plain', { namespace: 'team' }), by('me'))
  await hub.create(configMap('held', { namespace: 'team', finalizers: ['example.com/hold'] }), by('me'))
  const deleted = await hub.delete(namespaceRef('team'), {})
  assert.deepEqual(deleted.status, { phase: 'Terminating' })
  await hub.settled()
  assert.deepEqual(await names(world, 'team'), ['held'])
  const { conditions } = (await hub.get(namespaceRef('team')))!.status as {
    conditions: { type: string; message: string }[]
  }
  assert.deepEqual(
    conditions.filter(({ type }) => type.endsWith('Remaining')).map(({ message }) => message),
    [
      'Some resources are remaining: configmaps has 1 resource instances',
      'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    ],
  )
  await hub.update(withoutFinalizers((await hub.get(configMapRef('held', 'team')))!), by('it'))
  await hub.settled()
  assert.equal(await hub.get(namespaceRef('team')), undefined)
})

test('deletes units before the kubeconfigs, keys and accounts that their finalizers need', async () => {
  const world = await hubWorld()
  const { hub } = world
  await hub.create(namespace('team'), by('me'))
  await hub.create(configMap('cluster', { namespace: 'team' }), by('me'))
  const needed = [
    { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'kubeconfig', namespace: 'team' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'applier', namespace: 'team' } },
    { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'r', namespace: 'team' }, rules: [] },
  ]
  for (const object of needed) await hub.create(object as KubernetesObject, by('me'))
  await hub.create(kustomization('unit', {}, { namespace: 'team', finalizers: ['finalizers.fluxcd.io'] }), by('me'))
  await hub.delete(namespaceRef('team'), {})
  await hub.settled()
  const remaining = await Promise.all(needed.map(object => hub.get(refOf(object as KubernetesObject))))
  assert.deepEqual(
    remaining.map(object => object?.metadata.deletionTimestamp ?? object?.metadata.name),
    ['kubeconfig', 'applier', 'r'],
  )
  const { conditions } = (await hub.get(namespaceRef('team')))!.status as { conditions: { message: string }[] }
  assert.ok(conditions.some(({ message }) => /secrets has 1 resource instances/.test(message)))
  const unit = (await hub.get({ ...kustomizationRef('unit'), namespace: 'team' }))!
  assert.ok(unit.metadata.deletionTimestamp)
  await hub.update(withoutFinalizers(unit), by('it'))
  await hub.settled()
  assert.equal(await hub.get(namespaceRef('team')), undefined)
  assert.equal(await hub.get(refOf(needed[0] as KubernetesObject)), undefined)
})

test('looks through a closing namespace when a kind has left it, not at each object that goes', async () => {
  const { hub, platform, restarted } = await hubWorld()
  await hub.create(namespace('team'), by('me'))
  const held = Array.from({ length: 20 }, (_, at) => `held-${at}`)
  for (const name of held) {
    await hub.create(configMap(name, { namespace: 'team', finalizers: ['example.com/hold'] }), by('me'))
  }
  await hub.delete(namespaceRef('team'), {})
  await hub.settled()
  const list = platform.objects.list
  const listed: string[] = []
  platform.objects.list = query => {
    listed.push(query.kind)
    return list(query)
  }
  // Each in a process of its own, as functions are.
  for (const name of held) {
    const one = restarted()
    await one.update(withoutFinalizers((await hub.get(configMapRef(name, 'team')))!), by('it'))
    await one.settled()
    const isLast = name === held.at(-1)
    assert.deepEqual(new Set(listed.splice(0)).size > 1, isLast, name)
  }
  assert.equal(await hub.get(namespaceRef('team')), undefined)
})

test('does not delete the namespaces that a cluster cannot be without', async () => {
  const { hub } = await hubWorld()
  assert.equal(
    await refusalOf(hub.delete(namespaceRef('default'), {})),
    '403 Forbidden: namespaces "default" is forbidden: this namespace may not be deleted',
  )
})
