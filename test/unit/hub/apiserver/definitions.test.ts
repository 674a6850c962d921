import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import { definition, merge, root, version, widget, widgets, world } from './definition-world.ts'

test('serves a kind that another process has defined, once its cache has expired', async () => {
  const { another, clock, defined, send } = await world(5_000)
  const elsewhere = another()
  assert.equal((await elsewhere('GET', widgets)).status, 404)
  await defined()
  await send('POST', widgets, { body: widget() })
  await clock.advance(5_000)
  assert.deepEqual((await elsewhere('GET', widgets)).json.items.length, 1)
})

test('serves a kind from the moment it is defined, and says so', async () => {
  const { send, defined } = await world()
  assert.equal((await send('GET', widgets)).status, 404)
  await defined()
  const { json } = await send('GET', `${root}/widgets.example.com`)
  assert.deepEqual(
    json.status.conditions.map((one: Record<string, string>) => [one.type, one.status, one.reason]),
    [
      ['NamesAccepted', 'True', 'NoConflicts'],
      ['Established', 'True', 'InitialNamesAccepted'],
    ],
  )
  assert.deepEqual(json.status.acceptedNames, {
    plural: 'widgets',
    singular: 'widget',
    shortNames: ['wi'],
    kind: 'Widget',
    listKind: 'WidgetList',
  })
  assert.deepEqual(json.status.storedVersions, ['v1'])
  const { resources } = (await send('GET', '/apis/example.com/v1')).json
  assert.deepEqual(
    resources.map(({ name }: { name: string }) => name),
    ['widgets', 'widgets/status', 'widgets/scale'],
  )
  const { components } = (await send('GET', '/openapi/v3/apis/example.com/v1')).json
  assert.ok(components.schemas['com.example.v1.Widget'].properties.spec.properties.size)
  assert.equal((await send('GET', widgets)).json.kind, 'WidgetList')
})

test('serves several versions, converts between them by name only, and keeps what it stores in', async () => {
  const { send, told, defined } = await world()
  await defined(
    definition({}, [version('v1beta1', { deprecated: true }), version('v1'), version('v2alpha1', { served: false })]),
  )
  await send('POST', widgets, { body: widget() })
  const beta = await send('GET', widgets.replace('/v1/', '/v1beta1/'))
  assert.deepEqual(
    [beta.json.apiVersion, beta.json.items[0].apiVersion],
    ['example.com/v1beta1', 'example.com/v1beta1'],
  )
  assert.match(beta.headers.get('warning') ?? '', /example.com\/v1beta1 Widget is deprecated/)
  assert.equal((await send('GET', widgets.replace('/v1/', '/v2alpha1/'))).status, 404)
  const { versions, preferredVersion } = (await send('GET', '/apis/example.com')).json
  assert.deepEqual([preferredVersion.version, versions.length], ['v1', 2])
  const moved = { spec: { versions: [version('v1', { storage: false }), version('v1beta1', { storage: true })] } }
  assert.equal(await told('PATCH', `${root}/widgets.example.com`, moved, merge), '200')
  const { status } = (await send('GET', `${root}/widgets.example.com`)).json
  assert.deepEqual(status.storedVersions, ['v1', 'v1beta1'])
  assert.match(
    await told(
      'PATCH',
      `${root}/widgets.example.com`,
      { spec: { versions: [version('v1beta1', { storage: true })] } },
      merge,
    ),
    /status.storedVersions\[0\]: Invalid value: "v1": missing from spec.versions/,
  )
  assert.equal((await send('GET', `${widgets}/a`)).json.spec.size, 3)
})

test('refuses definitions that make no sense, naming each field', async () => {
  const { told, defined, send } = await world()
  const webhook = { ...definition(), spec: { ...definition().spec, conversion: { strategy: 'Webhook', webhook: {} } } }
  assert.match(
    await told('POST', root, webhook),
    /spec.conversion.strategy: Invalid value: "Webhook": this hub calls no webhooks/,
  )
  const typeless = definition({}, [version('v1', { schema: { openAPIV3Schema: { properties: { spec: {} } } } })])
  assert.match(
    await told('POST', root, typeless),
    /spec\.validation\.openAPIV3Schema\.type: Required value: must not be empty at the root, spec\.validation\.openAPIV3Schema\.properties\[spec\]\.type: Required value/,
  )
  const rules = [{ rule: 'self.size >' }]
  const unreadable = definition({}, [
    version('v1', { schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-validations': rules } } }),
  ])
  assert.match(
    await told('POST', root, unreadable),
    /x-kubernetes-validations\[0\]\.rule: Invalid value: "self.size >": compilation failed/,
  )
  await defined()
  assert.match(
    await told('PATCH', `${root}/widgets.example.com`, { spec: { scope: 'Cluster' } }, merge),
    /spec.scope: Invalid value: "Cluster": field is immutable/,
  )
  await defined(definition({ plural: 'gadgets', singular: 'gadget', kind: 'Widget', shortNames: [] }))
  const { status } = (await send('GET', `${root}/gadgets.example.com`)).json
  assert.deepEqual(
    status.conditions.map((one: Record<string, string>) => [one.type, one.status, one.reason, one.message]),
    [
      ['NamesAccepted', 'False', 'KindConflict', '"Widget" is already in use'],
      ['Established', 'False', 'NotAccepted', 'not all names are accepted'],
    ],
  )
  assert.equal((await send('GET', widgets.replace('widgets', 'gadgets'))).status, 404)
})

test('a definition takes its objects with it, and waits for those that are held', async () => {
  const { core, send, told, defined } = await world()
  await defined()
  await send('POST', widgets, { body: widget() })
  await send('POST', widgets, {
    body: { ...widget({}, 'held'), metadata: { name: 'held', finalizers: ['example.com/hold'] } },
  })
  assert.equal((await send('DELETE', `${root}/widgets.example.com`)).status, 200)
  await core.hub.settled()
  const { json } = await send('GET', `${root}/widgets.example.com`)
  assert.ok(
    json.status.conditions.some((one: Record<string, string>) => one.type === 'Terminating' && one.status === 'True'),
  )
  assert.equal(
    await told('POST', widgets, widget({}, 'late')),
    '405 create not allowed while custom resource definition is terminating',
  )
  const { items } = (await send('GET', widgets)).json
  assert.deepEqual(
    items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ['held'],
  )
  assert.equal(await told('PATCH', `${widgets}/held`, { metadata: { finalizers: null } }, merge), '200')
  await core.hub.settled()
  assert.equal((await send('GET', `${root}/widgets.example.com`)).status, 404)
  assert.equal((await send('GET', widgets)).status, 404)
})

test("shows the hub's own kinds as definitions, which nobody removes and which change nothing", async () => {
  const { send, told } = await world()
  const { items } = (await send('GET', `${root}?labelSelector=app.kubernetes.io/part-of%3Dflux`)).json
  const kinds = builtInKinds.filter(({ native }) => !native).map(({ plural, group }) => `${plural}.${group}`)
  const ours = kinds.filter(name => name.endsWith('.keelson.dev'))
  assert.deepEqual(
    items.map((item: { metadata: { name: string } }) => item.metadata.name).sort(),
    kinds.filter(name => !ours.includes(name)).sort(),
  )
  for (const name of ours) assert.equal((await send('GET', `${root}/${name}`)).status, 200, name)
  for (const { status } of items) assert.ok(status.storedVersions.length > 0 && status.conditions.length === 2)
  const own = `${root}/kustomizations.kustomize.toolkit.fluxcd.io`
  assert.match(await told('DELETE', own), /^403 .* is forbidden: this kind is built into the hub/)
  assert.equal(await told('PATCH', own, { spec: { names: { shortNames: ['other'] } } }, merge), '200')
  const { resources } = (await send('GET', '/apis/kustomize.toolkit.fluxcd.io/v1')).json
  assert.deepEqual(resources[0].shortNames, ['ks'])
})
