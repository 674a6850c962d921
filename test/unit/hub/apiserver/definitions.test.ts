import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Core, composeCore } from '../../../../lib/compose/core.ts'
import { defaultSettings } from '../../../../lib/compose/settings/settings.ts'
import { builtInKinds } from '../../../../lib/foundations/kinds/all.ts'
import { admin } from '../../../../lib/hub/apiserver/authentication/bearer-token.ts'
import { embeddedPlatform } from '../../../../lib/platform/adapters/embedded/embedded-platform.ts'
import { endWithTest } from '../../../bed/teardown.ts'
import { disposableDir } from '../../../bed/temp-dir.ts'
import { wires } from '../../../bed/wires.ts'
import { manualClock } from '../../../contracts/manual-clock.ts'
import type { Answer, SendOptions } from './world.ts'
import { requestOf } from './world.ts'

const root = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const widgets = '/apis/example.com/v1/namespaces/default/widgets'
const merge = 'application/merge-patch+json'

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', default: 3, minimum: 1 },
        color: { type: 'string', pattern: '^[a-z]+$' },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: { name: { type: 'string' }, weight: { type: 'number' } },
          },
        },
        embedded: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        port: { 'x-kubernetes-int-or-string': true },
      },
      'x-kubernetes-validations': [
        { rule: "!has(self.color) || !self.color.matches('^bad')", message: 'no bad colors' },
        { rule: 'self.size >= oldSelf.size', message: 'may not shrink' },
      ],
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' }, selector: { type: 'string' } } },
  },
}

const version = (name: string, more: object = {}) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: '.spec.size',
      statusReplicasPath: '.status.replicas',
      labelSelectorPath: '.status.selector',
    },
  },
  additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
  selectableFields: [{ jsonPath: '.spec.color' }],
  ...more,
})

const definition = (names: object = {}, versions: object[] = [version('v1')], group = 'example.com') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${(names as { plural?: string }).plural ?? 'widgets'}.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wi'], ...names },
    versions,
  },
})

const widget = (spec: object = {}, name = 'a') => ({
  apiVersion: 'example.com/v1',
  kind: 'Widget',
  metadata: { name },
  spec,
})

const settings = { ...defaultSettings, artifactAddress: 'http://127.0.0.1:1' }
const log = {
  info: () => {},
  error: (message: string, fields?: object) => {
    throw new Error(message, { cause: fields })
  },
}

/** The product without a platform's listeners: the API by which an admin calls it. Another over the same store is another process. */
const world = async (rolesMaxAgeMs = Number.POSITIVE_INFINITY) => {
  const dir = disposableDir()
  const clock = manualClock()
  const connections = wires()
  const platform = await embeddedPlatform(dir.path, { clock })
  const processes = [composeCore({ ...platform, log, connections }, { ...settings, rolesMaxAgeMs })]
  await processes[0]!.hub.prepare()
  endWithTest({
    async [Symbol.asyncDispose]() {
      for (const core of processes) {
        await core.hub.settled()
        await core.close()
      }
      await platform.close()
      await dir[Symbol.asyncDispose]()
    },
  })
  const sending = (core: Core) => {
    const handle = core.api(async () => admin)
    return async (method: string, path: string, options: SendOptions = {}): Promise<Answer> => {
      const response = await handle(requestOf(method, path, options))
      const text = await response.text()
      const json = text.startsWith('{') ? JSON.parse(text) : undefined
      return { status: response.status, headers: response.headers, text, json }
    }
  }
  const core = processes[0]!
  const send = sending(core)
  return {
    core,
    clock,
    send,
    another: () => {
      processes.push(composeCore({ ...platform, log, connections }, { ...settings, rolesMaxAgeMs }))
      return sending(processes.at(-1)!)
    },
    told: async (method: string, path: string, body?: unknown, type?: string) => {
      const { status, json, text } = await send(method, path, { body, type })
      return status < 300 ? `${status}` : `${status} ${json?.message ?? text.trim()}`
    },
    /** A hub that serves widgets. */
    defined: async (given: object = definition()) => {
      const { status, text } = await send('POST', root, { body: given })
      assert.equal(status, 201, text)
      await core.hub.settled()
    },
  }
}

test('serves a kind that another process was told of, as soon as its knowledge has aged', async () => {
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

test('a default that came later is filled in of what was stored before, in a watch and in a table, too', async () => {
  const { core, send, defined } = await world()
  await defined()
  const before = await core.hub.list({ group: 'example.com', kind: 'Widget' })
  await send('POST', widgets, { body: widget({ size: 4 }, 'early') })
  const late = { type: 'string', default: 'day' }
  const spec = { ...schema.properties.spec, properties: { ...schema.properties.spec.properties, late } }
  const openAPIV3Schema = { ...schema, properties: { ...schema.properties, spec } }
  const column = { name: 'Late', type: 'string', jsonPath: '.spec.late' }
  const versions = [version('v1', { schema: { openAPIV3Schema }, additionalPrinterColumns: [column] })]
  const path = `${root}/widgets.example.com`
  assert.equal((await send('PATCH', path, { body: { spec: { versions } }, type: merge })).status, 200)
  await core.hub.settled()

  const stop = new AbortController()
  const after = before.resourceVersion
  const watch = core.hub.watch({ group: 'example.com', kind: 'Widget', after, signal: stop.signal })
  const { value } = await watch[Symbol.asyncIterator]().next()
  stop.abort()
  assert.deepEqual((value.object as { spec?: unknown }).spec, { size: 4, late: 'day' })
  const { json } = await send('GET', widgets, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
  assert.deepEqual(json.rows[0].cells, ['early', 'day'])
})

test('defaults, prunes and checks what comes by the schema', async () => {
  const { send, told, defined } = await world()
  await defined()
  const embedded = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, anything: [1] }
  const made = await send('POST', widgets, {
    body: widget({ unknown: 1, embedded, parts: [{ name: 'p', weight: 2 }] }),
  })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.json.spec, { size: 3, embedded, parts: [{ name: 'p', weight: 2 }] })
  assert.match(made.headers.get('warning') ?? '', /unknown field \\"spec.unknown\\"/)
  assert.match(
    await told('POST', widgets, widget({ size: 0, port: {} }, 'b')),
    /spec.size in body should be greater than or equal to 1/,
  )
  assert.match(await told('POST', widgets, widget({ color: 'bad' }, 'b')), /no bad colors/)
  assert.match(await told('PATCH', `${widgets}/a`, { spec: { size: 1 } }, merge), /may not shrink/)
  assert.equal(await told('PATCH', `${widgets}/a`, { spec: { size: 5 } }, merge), '200')
  assert.match(
    await told('POST', widgets, widget({ embedded: { metadata: {} } }, 'b')),
    /spec.embedded.apiVersion: Required value/,
  )
})

test('keeps status and scale apart, selects by fields, and shows columns', async () => {
  const { send, defined } = await world()
  await defined()
  await send('POST', widgets, { body: { ...widget({ color: 'red' }), status: { replicas: 9 } } })
  await send('POST', widgets, { body: widget({ color: 'blue' }, 'b') })
  const status = { status: { replicas: 2, selector: 'a=b' } }
  assert.deepEqual(
    (await send('PATCH', `${widgets}/a/status`, { body: status, type: merge })).json.status,
    status.status,
  )
  const scaled = await send('PATCH', `${widgets}/a/scale`, { body: { spec: { replicas: 7 } }, type: merge })
  assert.deepEqual([scaled.json.kind, scaled.json.spec, scaled.json.status], ['Scale', { replicas: 7 }, status.status])
  assert.equal((await send('GET', `${widgets}/a`)).json.spec.size, 7)
  const { items } = (await send('GET', `${widgets}?fieldSelector=spec.color%3Dred`)).json
  assert.deepEqual(
    items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ['a'],
  )
  const table = await send('GET', widgets, { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' })
  assert.deepEqual(
    table.json.rows.map(({ cells }: { cells: unknown[] }) => cells),
    [
      ['a', 7],
      ['b', 3],
    ],
  )
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
  assert.deepEqual(items.map((item: { metadata: { name: string } }) => item.metadata.name).sort(), kinds.sort())
  for (const { status } of items) assert.ok(status.storedVersions.length > 0 && status.conditions.length === 2)
  const own = `${root}/kustomizations.kustomize.toolkit.fluxcd.io`
  assert.match(await told('DELETE', own), /^403 .* is forbidden: the hub is born with this kind/)
  assert.equal(await told('PATCH', own, { spec: { names: { shortNames: ['other'] } } }, merge), '200')
  const { resources } = (await send('GET', '/apis/kustomize.toolkit.fluxcd.io/v1')).json
  assert.deepEqual(resources[0].shortNames, ['ks'])
})

test('lets objects be that became wrong when their schema became stricter, as long as the wrong part is not touched', async () => {
  const { send, told, defined } = await world()
  await defined()
  await send('POST', widgets, { body: widget({ color: 'red', parts: [{ name: 'p' }] }) })
  // biome-ignore lint/suspicious/noExplicitAny: a schema of any depth
  const strict = structuredClone(schema) as any
  strict.properties.spec.properties.color.pattern = '^blue$'
  await told(
    'PATCH',
    `${root}/widgets.example.com`,
    { spec: { versions: [version('v1', { schema: { openAPIV3Schema: strict } })] } },
    merge,
  )
  assert.equal(await told('PATCH', `${widgets}/a`, { spec: { size: 4 } }, merge), '200')
  assert.equal(await told('PATCH', `${widgets}/a`, { metadata: { labels: { a: 'b' } } }, merge), '200')
  assert.match(
    await told('PATCH', `${widgets}/a`, { spec: { color: 'green' } }, merge),
    /spec.color in body should match/,
  )
})

test('refuses rules that may cost too much, and stops at those that do', async () => {
  const { send } = await world()
  // A text of ten letters costs 2 for each fourth letter of the expression, estimated at 5.
  const matching = (letters: number) => ({ rule: `self.list.all(a, !a.matches('${'b'.repeat(letters)}'))` })
  const defined = (maxItems: number, rules: readonly object[]) => {
    const list = { type: 'array', maxItems, items: { type: 'string', maxLength: 10 } }
    const spec = { type: 'object', properties: { list }, 'x-kubernetes-validations': rules }
    const openAPIV3Schema = { type: 'object', properties: { spec } }
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'heavies.example.com' },
      spec: {
        group: 'example.com',
        scope: 'Namespaced',
        names: { plural: 'heavies', kind: 'Heavy' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
      },
    }
  }
  const heavy = (length: number) => ({
    apiVersion: 'example.com/v1',
    kind: 'Heavy',
    metadata: { name: 'one' },
    spec: { list: Array.from({ length }, () => 'aaaaaaaaaa') },
  })
  const outcome = async (path: string, body: object) => {
    const { status, json } = await send('POST', path, { body })
    return status === 201 ? 'accepted' : json.details.causes.map(({ message }: { message: string }) => message)
  }
  const heavies = '/apis/example.com/v1/namespaces/default/heavies?dryRun=All'
  const advice =
    '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)'
  assert.deepEqual(await outcome(root, defined(10_000, [matching(2000)])), [
    `Forbidden: estimated rule cost exceeds budget by factor of 2.5x ${advice}`,
  ])
  assert.equal(await outcome(root, defined(1000, [matching(2000), ...Array(60).fill(matching(800))])), 'accepted')
  assert.equal(await outcome(heavies, heavy(100)), 'accepted')
  const invalid = 'Invalid value: "object":'
  assert.deepEqual(await outcome(heavies, heavy(500)), [
    `${invalid} validation failed due to running out of cost budget, no further validation rules will be run`,
  ])
  assert.match(
    (await outcome(heavies, heavy(1000)))[0],
    /^Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: self/,
  )
})
