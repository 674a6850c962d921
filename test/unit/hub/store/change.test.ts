import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { by, configMap, configMapRef, hubWorld, kustomization, kustomizationRef, refusalOf } from './world.ts'

const withSpec = (object: KubernetesObject, spec: object): KubernetesObject => ({
  ...object,
  spec: { ...(object.spec as object), ...spec },
})

test('refuses a change to another version than the stored one', async () => {
  const { hub } = await hubWorld()
  const first = await hub.create(configMap('a'), by('me'))
  await hub.update({ ...first, data: { key: 'second' } }, by('me'))
  const refusal =
    '409 Conflict: Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again'
  assert.equal(await refusalOf(hub.update({ ...first, data: { key: 'third' } }, by('me'))), refusal)
  assert.equal(
    await refusalOf(hub.update({ ...first, data: { key: 'third' } }, { ...by('me'), dryRun: true })),
    refusal,
  )
  const patch = { metadata: { resourceVersion: first.metadata.resourceVersion }, data: { key: 'third' } }
  assert.equal(await refusalOf(hub.patch(configMapRef('a'), { type: 'merge', patch }, by('me'))), refusal)
})

test('lets concurrent patches without a version all happen', async () => {
  const { hub } = await hubWorld()
  await hub.create(configMap('a'), by('me'))
  const patches = Array.from({ length: 8 }, (_, i) => ({ data: { [`key${i}`]: 'x' } }))
  await Promise.all(patches.map(patch => hub.patch(configMapRef('a'), { type: 'merge', patch }, by('me'))))
  assert.equal(Object.keys((await hub.get(configMapRef('a')))!.data as object).length, 9)
})

test('counts a generation up when the desired state changes, and only then', async () => {
  const { hub } = await hubWorld()
  const created = await hub.create(kustomization('app'), by('me'))
  const labelled = await hub.update({ ...created, metadata: { ...created.metadata, labels: { a: 'b' } } }, by('me'))
  assert.equal(labelled.metadata.generation, 1)
  const reported = await hub.update(
    { ...labelled, status: { observedGeneration: 1 } },
    { ...by('it'), subresource: 'status' },
  )
  assert.equal(reported.metadata.generation, 1)
  const changed = await hub.update(withSpec(reported, { prune: false }), by('me'))
  assert.equal(changed.metadata.generation, 2)
})

test('writes the status only through its subresource, and through that nothing else', async () => {
  const { hub } = await hubWorld()
  const created = await hub.create(kustomization('app'), by('me'))
  const reported: KubernetesObject = await hub.update(
    { ...withSpec(created, { prune: false }), status: { observedGeneration: 1 } },
    { ...by('it'), subresource: 'status' },
  )
  assert.deepEqual([reported.status, reported.spec], [{ observedGeneration: 1 }, created.spec])
  const { status, ...withoutStatus } = withSpec(reported, { prune: false })
  const changed = await hub.update(withoutStatus as KubernetesObject, by('me'))
  assert.deepEqual([changed.status, (changed.spec as { prune: boolean }).prune], [{ observedGeneration: 1 }, false])
})

test('makes no new version of what does not change', async () => {
  const { hub, changes } = await hubWorld()
  const created = await hub.create(kustomization('app'), by('me'))
  const same = await hub.update({ ...created, metadata: { ...created.metadata, labels: {} } }, by('you'))
  assert.deepEqual(same, created)
  assert.deepEqual(changes, ['created Kustomization/default/app'])
})

test('keeps what only the server may set', async () => {
  const { hub } = await hubWorld()
  const created = await hub.create(configMap('a'), by('me'))
  const { uid, creationTimestamp } = created.metadata
  const changed = await hub.update(
    {
      ...configMap('a', { creationTimestamp: '2001-01-01T00:00:00Z', deletionTimestamp: '2001-01-01T00:00:00Z' }),
      data: { key: 'new' },
    },
    by('me'),
  )
  assert.deepEqual(
    [changed.metadata.uid, changed.metadata.creationTimestamp, changed.metadata.deletionTimestamp],
    [uid, creationTimestamp, undefined],
  )
  assert.equal(
    await refusalOf(hub.update({ ...configMap('a', { uid: 'other' }) }, by('me'))),
    `409 Conflict: Operation cannot be fulfilled on configmaps "a": Precondition failed: UID in precondition: other, UID in object meta: ${uid}`,
  )
})

test('applies by field manager: creates, owns, drops, and refuses to take from others', async () => {
  const { hub } = await hubWorld()
  const apply = (data: object, fieldManager: string, force = false) =>
    hub.patch(
      configMapRef('a'),
      { type: 'apply', object: { ...configMap('a'), data } as KubernetesObject },
      { fieldManager, force },
    )
  await apply({ mine: '1', dropped: '1' }, 'me')
  await apply({ yours: '2' }, 'you')
  assert.deepEqual((await apply({ mine: '3' }, 'me')).data, { mine: '3', yours: '2' })
  assert.equal(
    await refusalOf(apply({ mine: '4' }, 'you')),
    '409 Conflict: Apply failed with 1 conflict: conflict with "me": .data.mine',
  )
  assert.deepEqual((await apply({ mine: '4' }, 'you', true)).data, { mine: '4' })
})

test('makes an object due when a reconciliation is requested, not when its status or labels change', async () => {
  const { hub, platform, clock } = await hubWorld()
  await hub.create(kustomization('app'), { ...by('me'), due: null })
  const dues = async () => (await platform.schedule.dueBy(clock.now(), 10)).map(({ ref }) => ref.name)
  const merge = (patch: object, options = {}) =>
    hub.patch(kustomizationRef('app'), { type: 'merge', patch }, { ...by('me'), ...options })
  await merge({ status: { observedGeneration: 1 } }, { subresource: 'status' })
  await merge({ metadata: { labels: { a: 'b' } } })
  assert.deepEqual(await dues(), [])
  await merge({ metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': 'now' } } })
  assert.deepEqual(await dues(), ['app'])
  await merge({ status: { observedGeneration: 2 } }, { subresource: 'status', due: clock.now() + 1000 })
  assert.deepEqual(await dues(), [])
  await merge({ spec: { suspend: true } })
  assert.deepEqual(await dues(), ['app'])
})

test('moves the due time of an object whose status stays the same', async () => {
  const { hub, platform, clock } = await hubWorld()
  const created = await hub.create(kustomization('app'), by('me'))
  const written = await hub.update(created, { ...by('it'), subresource: 'status', due: clock.now() + 5000 })
  assert.equal(written.metadata.resourceVersion, created.metadata.resourceVersion)
  assert.equal(await platform.schedule.nextDue(), clock.now() + 5000)
})

test('writes nothing for a lease that was lost', async () => {
  const { hub, platform, clock } = await hubWorld()
  const created = await hub.create(kustomization('app'), by('me'))
  const lease = (await platform.leases.acquire(kustomizationRef('app'), 10))!
  await clock.advance(20)
  await platform.leases.acquire(kustomizationRef('app'), 1000)
  const refusal = await refusalOf(
    hub.update({ ...created, status: { observedGeneration: 1 } }, { ...by('it'), subresource: 'status', fence: lease }),
  )
  assert.match(refusal, /^409 Conflict: .*lease/)
  assert.deepEqual((await hub.get(kustomizationRef('app')))?.status, { observedGeneration: -1 })
})

test('managedFields that are no list are refused or ignored, as in Kubernetes, and never an error of the hub', async () => {
  const { hub } = await hubWorld()
  await hub.create(configMap('a', {}, { key: 'v' } as { key: string }), by('me'))
  for (const managedFields of ['', 'x', 1, true, {}, [null], ['x']]) {
    const patch = { metadata: { managedFields } }
    const ended = await hub.patch(configMapRef('a'), { type: 'merge', patch }, by('me')).catch((error: Error) => error)
    if (ended instanceof Error) assert.match(ended.name, /ApiError/, ended.stack)
  }
})

test('refuses an object with more fields than allowed, however it is written, and keeps what was there', async () => {
  const { hub } = await hubWorld({ maxFields: 50 })
  const data = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`${prefix}${i}`, 'v'])) as { key: string }
  const isTooLarge = async (attempt: Promise<unknown>) =>
    assert.match(await refusalOf(attempt), /^413 RequestEntityTooLarge: .*; the limit is --max-object-fields=50$/)
  await isTooLarge(hub.create(configMap('a', {}, data('k', 60)), by('me')))
  const first = await hub.create(configMap('a', {}, data('k', 20)), by('me'))
  await isTooLarge(hub.update({ ...first, data: data('k', 60) }, by('me')))
  const added = Object.entries(data('k', 60)).map(([name, value]) => ({ op: 'add', path: `/data/${name}`, value }))
  await isTooLarge(hub.patch(configMapRef('a'), { type: 'json', operations: added }, by('me')))
  await isTooLarge(hub.patch(configMapRef('a'), { type: 'merge', patch: { data: data('k', 60) } }, by('me')))
  const apply = (manager: string, object: KubernetesObject) =>
    hub.patch(configMapRef('a'), { type: 'apply', object }, { ...by(manager), force: true })
  await isTooLarge(apply('it', configMap('a', {}, data('j', 60))))
  // What has one owner as a whole counts by its values.
  const values = (count: number) => ({
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { name: 'b', namespace: 'default' },
    spec: { inputs: [{ id: 'a', list: Array.from({ length: count }, () => 0) }], resourcesTemplate: 'a: b' },
  })
  await isTooLarge(hub.create(values(300), by('me')))
  await hub.create(values(200), by('me'))
  // Each writer stays below, and all of them together own too much.
  await apply('it', configMap('a', {}, data('k', 20)))
  await isTooLarge(apply('other', configMap('a', {}, data('k', 20))))
  assert.deepEqual((await hub.get(configMapRef('a')))!.data, data('k', 20))
})
