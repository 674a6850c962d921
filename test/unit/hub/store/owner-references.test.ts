import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnerReference } from '../../../../lib/foundations/kinds/object.ts'
import {
  by,
  configMap,
  configMapRef,
  configMapsIn,
  hubWorld,
  namespace,
  namespaceRef,
  ownedBy,
  withoutFinalizers,
} from './world.ts'

const goneOwner: OwnerReference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'gone', uid: 'gone' }

test('deletes dependents after their owner, and theirs after them', async () => {
  const world = await hubWorld()
  const { hub } = world
  const owner = await hub.create(configMap('owner'), by('me'))
  const child = await hub.create(configMap('child', { ownerReferences: [ownedBy(owner)] }), by('me'))
  await hub.create(configMap('grandchild', { ownerReferences: [ownedBy(child)] }), by('me'))
  await hub.create(configMap('stranger'), by('me'))
  await hub.delete(configMapRef('owner'), {})
  await hub.settled()
  assert.deepEqual(await configMapsIn(world), ['stranger'])
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

test('orphans dependents if requested', async () => {
  const world = await hubWorld()
  const { hub } = world
  const owner = await hub.create(configMap('owner'), by('me'))
  await hub.create(configMap('child', { ownerReferences: [ownedBy(owner)] }), by('me'))
  assert.deepEqual((await hub.delete(configMapRef('owner'), { propagation: 'Orphan' })).metadata.finalizers, ['orphan'])
  await hub.settled()
  assert.deepEqual(await configMapsIn(world), ['child'])
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
  assert.deepEqual(await configMapsIn(world), ['child', 'owner'])
  await hub.update(withoutFinalizers((await hub.get(configMapRef('child')))!), by('it'))
  await hub.settled()
  assert.deepEqual(await configMapsIn(world), [])
})

test('collects a new object whose owner does not exist', async () => {
  const world = await hubWorld()
  const { hub } = world
  const elsewhere = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'unknown', uid: 'x' }
  await hub.create(configMap('child', { ownerReferences: [goneOwner] }), by('me'))
  await hub.create(configMap('other', { ownerReferences: [elsewhere] }), by('me'))
  await hub.settled()
  assert.deepEqual(await configMapsIn(world), ['other'])
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
  assert.deepEqual(await configMapsIn(world), [])
})

const held = { ownerReferences: [{ ...goneOwner, name: 'never-there' }], finalizers: ['example.com/hold'] }

test('an owner that was not there when it was written is reported once, also when a sweep checks first', async () => {
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

test('an owner that could not be reported is reported by the next sweep, and collecting does not wait for it', async () => {
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
  assert.deepEqual(await configMapsIn(world), ['child'])
  await hub.delete(namespaceRef('owner'), {})
  await hub.settled()
  assert.deepEqual(await configMapsIn(world), [])
})
