import assert from 'node:assert/strict'
import { test } from 'node:test'
import { merge, root, schema, version, widget, widgets, world } from './definition-world.ts'

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
