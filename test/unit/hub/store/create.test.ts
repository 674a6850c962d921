import assert from 'node:assert/strict'
import { test } from 'node:test'
import { by, configMap, hubWorld, kustomization, kustomizationRef, namespace, refusalOf } from './world.ts'

test('gives a new object what only the server knows, and defaults, and no status of its own', async () => {
  const { hub } = await hubWorld()
  const created = await hub.create(
    {
      ...kustomization('app', {}, { uid: 'mine', generation: 7, deletionTimestamp: '2020-01-01T00:00:00Z' }),
      status: { observedGeneration: 7 },
    },
    by('me'),
  )
  const { uid, resourceVersion, managedFields, ...metadata } = created.metadata
  assert.match(uid!, /^[0-9a-f-]{36}$/)
  assert.match(resourceVersion!, /^[1-9]\d*$/)
  assert.deepEqual(
    managedFields?.map(({ manager, operation, time }) => ({ manager, operation, time })),
    [{ manager: 'me', operation: 'Update', time: '2026-01-01T00:00:00Z' }],
  )
  assert.deepEqual(
    { ...created, metadata },
    {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: 'app', namespace: 'default', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 },
      spec: {
        interval: '10m',
        prune: true,
        force: false,
        sourceRef: { kind: 'GitRepository', name: 'app' },
      },
      status: { observedGeneration: -1 },
    },
  )
  assert.deepEqual(await hub.get(kustomizationRef('app')), created)
})

test('refuses what exists, whatever the other object is', async () => {
  const { hub } = await hubWorld()
  await hub.create(configMap('a'), by('me'))
  assert.equal(
    await refusalOf(hub.create(configMap('a', {}, { key: 'other' }), by('you'))),
    '409 AlreadyExists: configmaps "a" already exists',
  )
})

test('refuses an object of a namespace that does not exist', async () => {
  const { hub } = await hubWorld()
  assert.equal(
    await refusalOf(hub.create(configMap('a', { namespace: 'nowhere' }), by('me'))),
    '404 NotFound: namespaces "nowhere" not found',
  )
})

test('refuses an object of a namespace that is going away', async () => {
  const { hub } = await hubWorld()
  await hub.create(namespace('team'), by('me'))
  await hub.create(configMap('held', { namespace: 'team', finalizers: ['example.com/hold'] }), by('me'))
  await hub.delete({ group: '', kind: 'Namespace', namespace: '', name: 'team' }, {})
  assert.equal(
    await refusalOf(hub.create(configMap('late', { namespace: 'team' }), by('me'))),
    '403 Forbidden: configmaps "late" is forbidden: unable to create new content in namespace team because it is being terminated',
  )
})

test('names all that is wrong at once', async () => {
  const { hub } = await hubWorld()
  const refusal = await refusalOf(hub.create(kustomization('Bad', { interval: 'soon', prune: undefined }), by('me')))
  assert.match(refusal, /^422 Invalid: Kustomization\.kustomize\.toolkit\.fluxcd\.io "Bad" is invalid: \[/)
  for (const field of ['metadata.name', 'spec.interval', 'spec.prune']) assert.ok(refusal.includes(`${field}: `), field)
})

test('makes up a name after a prefix', async () => {
  const { hub } = await hubWorld()
  const created = await hub.create(configMap('', { generateName: 'app-' }), by('me'))
  assert.match(created.metadata.name, /^app-[bcdfghjklmnpqrstvwxz2456789]{5}$/)
})

test('does not store a dry run, and refuses what a real run would', async () => {
  const { hub, changes } = await hubWorld()
  const dry = await hub.create(configMap('a'), { ...by('me'), dryRun: true })
  assert.equal(dry.metadata.resourceVersion, undefined)
  assert.equal(await hub.get({ group: '', kind: 'ConfigMap', namespace: 'default', name: 'a' }), undefined)
  await hub.create(configMap('a'), by('me'))
  assert.equal(
    await refusalOf(hub.create(configMap('a'), { ...by('me'), dryRun: true })),
    '409 AlreadyExists: configmaps "a" already exists',
  )
  assert.deepEqual(changes, ['created ConfigMap/default/a'])
})

test('warns of unknown fields, or refuses them, as requested', async () => {
  const { hub } = await hubWorld()
  const warnings: string[] = []
  const object = kustomization('app', { intervall: '1m' })
  await hub.create(object, { ...by('me'), dryRun: true, onWarning: warning => warnings.push(warning) })
  assert.deepEqual(warnings, ['unknown field "spec.intervall"'])
  assert.equal(
    await refusalOf(hub.create(object, { ...by('me'), fieldValidation: 'Strict' })),
    '400 BadRequest: Kustomization in version "v1" cannot be handled as a Kustomization: strict decoding error: unknown field "spec.intervall"',
  )
})

test('makes an object of a reconciled kind due in the commit that creates it', async () => {
  const { hub, platform, clock } = await hubWorld()
  await hub.create(kustomization('app'), by('me'))
  await hub.create(configMap('a'), by('me'))
  assert.deepEqual(await platform.schedule.dueBy(clock.now(), 10), [{ ref: kustomizationRef('app'), due: clock.now() }])
})

test('seals Secrets before the store sees them, annotations and all', async () => {
  const { hub, platform } = await hubWorld()
  const ref = { group: '', kind: 'Secret', namespace: 'default', name: 'token' }
  await hub.create(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'token',
        namespace: 'default',
        annotations: { 'kubectl.kubernetes.io/last-applied': 'hunter2' },
      },
      stringData: { password: 'hunter2' },
    },
    by('me'),
  )
  const secret = await hub.get(ref)
  assert.deepEqual(
    { data: secret?.data, stringData: secret?.stringData, type: secret?.type },
    { data: { password: 'aHVudGVyMg==' }, stringData: undefined, type: 'Opaque' },
  )
  const { body } = (await platform.objects.get(ref))!
  assert.ok(!/hunter2|aHVudGVyMg|password/.test(body + Buffer.from(body, 'base64').toString('latin1')))
})
