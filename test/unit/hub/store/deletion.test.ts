import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KubernetesObject, refOf } from '../../../../lib/foundations/kinds/object.ts'
import {
  by,
  configMap,
  configMapRef,
  configMapsIn,
  hubWorld,
  kustomization,
  kustomizationRef,
  namespace,
  namespaceRef,
  ownedBy,
  refusalOf,
  withoutFinalizers,
} from './world.ts'

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

test('reconciles an object that is being deleted', async () => {
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
  assert.deepEqual(await configMapsIn(world), [])
  assert.equal(await hub.get(namespaceRef('team')), undefined)
})

test('empties a namespace before it goes, and reports what it waits for', async () => {
  const world = await hubWorld()
  const { hub } = world
  await hub.create(namespace('team'), by('me'))
  await hub.create(configMap('plain', { namespace: 'team' }), by('me'))
  await hub.create(configMap('held', { namespace: 'team', finalizers: ['example.com/hold'] }), by('me'))
  const deleted = await hub.delete(namespaceRef('team'), {})
  assert.deepEqual(deleted.status, { phase: 'Terminating' })
  await hub.settled()
  assert.deepEqual(await configMapsIn(world, 'team'), ['held'])
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

test('checks a terminating namespace when the last object of a kind is deleted, not for each object', async () => {
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
