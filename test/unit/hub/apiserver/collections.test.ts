import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { parseYaml } from '../../../../lib/engines/yaml/parse.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import type { Hub, HubListQuery } from '../../../../lib/hub/store/hub.ts'
import { by, configMap, configMapRef, kustomization } from '../store/world.ts'
import type { ApiWorld } from './world.ts'
import { apiWorld, configMaps, kustomizations, requestOf } from './world.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'
const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json'

/** The lines of a watch as they come: `[type, name or reason, version]`; `next(n)` waits for that many. */
const watching = async (t: { readonly signal: AbortSignal }, { handle }: ApiWorld, path: string, accept?: string) => {
  const ending = new AbortController()
  t.signal.addEventListener('abort', () => ending.abort())
  const response = await handle(requestOf('GET', path, { signal: ending.signal, ...(accept && { accept }) }))
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const line = async () => {
    for (;;) {
      const end = text.indexOf('\n')
      if (end >= 0) {
        const found = text.slice(0, end)
        text = text.slice(end + 1)
        return JSON.parse(found)
      }
      const { value, done } = await reader.read()
      if (done) return undefined
      text += value
    }
  }
  return { status: response.status, line, stop: () => ending.abort() }
}

interface Named {
  readonly metadata: { readonly name: string }
}

const shown = (event: { type: string; object: { metadata: { name?: string } } } | undefined) =>
  event && `${event.type} ${event.object.metadata.name ?? ''}`.trim()

test('lists a collection, in a namespace or in all', async () => {
  const { send, hub } = await apiWorld()
  await hub.create(configMap('a'), by('me'))
  await hub.create(configMap('b', { namespace: 'kube-system' }), by('me'))
  const here = await send('GET', configMaps)
  assert.deepEqual(
    [here.json.kind, here.json.apiVersion, here.json.items.length, Number(here.json.metadata.resourceVersion) > 0],
    ['ConfigMapList', 'v1', 1, true],
  )
  assert.equal((await send('GET', '/api/v1/configmaps')).json.items.length, 2)
})

test('pages through a list', async () => {
  const { send, hub } = await apiWorld()
  for (const name of ['a', 'b', 'c']) await hub.create(configMap(name), by('me'))
  const first = await send('GET', `${configMaps}?limit=2`)
  const token = encodeURIComponent(first.json.metadata.continue)
  const second = await send('GET', `${configMaps}?limit=2&continue=${token}`)
  assert.deepEqual(
    [first.json.items.length, second.json.items.length, second.json.metadata.continue],
    [2, 1, undefined],
  )
})

test('shows a list as a table, and as metadata only', async () => {
  const { send, hub } = await apiWorld()
  await hub.create(kustomization('app'), by('me'))
  const asTable = (await send('GET', kustomizations, { accept: table })).json
  assert.deepEqual(
    [asTable.kind, asTable.columnDefinitions.map(({ name }: { name: string }) => name), asTable.rows[0].cells],
    ['Table', ['Name', 'Age', 'Ready', 'Status', 'Cluster'], ['app', '0s', null, null, '']],
  )
  assert.equal(asTable.rows[0].object.kind, 'PartialObjectMetadata')
  const metadata = (await send('GET', kustomizations, { accept: metadataOnly })).json
  assert.deepEqual(
    [metadata.kind, Object.keys(metadata.items[0]).sort()],
    ['PartialObjectMetadataList', ['apiVersion', 'kind', 'metadata']],
  )
})

test('shows a long list as it shows a short one, in every form, while it changes', async () => {
  const { send, handle, hub } = await apiWorld()
  const names = Array.from({ length: 1100 }, (_, index) => `c${String(index).padStart(4, '0')}`)
  await Promise.all(names.map(name => hub.create(configMap(name, {}, { key: 'x'.repeat(200) }), by('me'))))
  for (const accept of [undefined, table, metadataOnly, 'application/yaml']) {
    const response = await handle(requestOf('GET', configMaps, { ...(accept && { accept }) }))
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = (await reader.read()).value!
    // What changes after the first part is not in the list: all of it is of one moment.
    await hub.delete(configMapRef(names.at(-1)!), {})
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
    await hub.create(configMap(names.at(-1)!), by('me'))
    const whole = accept === 'application/yaml' ? parseYaml(text)[0] : JSON.parse(text)
    const short = await send('GET', `${configMaps}?limit=1`, { ...(accept && { accept }) })
    const first = accept === 'application/yaml' ? parseYaml(short.text)[0] : short.json
    const objects = whole.items ?? whole.rows
    assert.equal(objects.length, names.length)
    assert.deepEqual(
      objects.map((item: Named | { object: Named }) => ('object' in item ? item.object : item).metadata.name),
      names,
    )
    assert.deepEqual(Object.keys(whole).sort(), Object.keys(first).sort())
    assert.deepEqual(objects[0], (first.items ?? first.rows)[0])
    assert.ok(Number(whole.metadata.resourceVersion) > 0)
  }
  const limited = (await send('GET', `${configMaps}?limit=1000`)).json
  const rest = (await send('GET', `${configMaps}?continue=${encodeURIComponent(limited.metadata.continue)}`)).json
  assert.deepEqual([limited.items.length, rest.items.length, rest.metadata.continue], [1000, 100, undefined])
})

test('sends a large response compressed part by part, and truncates it if it cannot continue', async () => {
  const { handle, hub } = await apiWorld()
  for (const name of ['a', 'b', 'c']) await hub.create(configMap(name, {}, { key: 'x'.repeat(100_000) }), by('me'))
  const failing: Hub = {
    ...hub,
    async *pages<T extends KubernetesObject>(query: HubListQuery) {
      for await (const page of hub.pages<T>(query)) yield page
      throw new Error('the disk is gone')
    },
  }
  const broken = await apiWorld({ hub: failing, onError: () => {} })
  const headers = { 'accept-encoding': 'gzip' }
  const whole = await handle(requestOf('GET', configMaps, { headers }))
  assert.equal(JSON.parse(gunzipSync(Buffer.from(await whole.arrayBuffer())).toString()).items.length, 3)
  for (const options of [{ headers }, {}])
    await assert.rejects(async () => (await broken.handle(requestOf('GET', configMaps, options))).arrayBuffer())
})

test('compresses what is large for those who can read that', async () => {
  const { handle, hub } = await apiWorld()
  for (const name of ['a', 'b']) await hub.create(configMap(name, {}, { key: 'x'.repeat(100_000) }), by('me'))
  const response = await handle(requestOf('GET', configMaps, { headers: { 'accept-encoding': 'gzip' } }))
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  const list = JSON.parse(gunzipSync(Buffer.from(await response.arrayBuffer())).toString('utf8'))
  assert.equal(list.items.length, 2)
  assert.equal((await handle(requestOf('GET', configMaps, {}))).headers.get('content-encoding'), null)
})

test('refuses list options that make no sense, in the words of Kubernetes', async () => {
  const { send } = await apiWorld()
  const answers = []
  for (const query of [
    'labelSelector=a%20b',
    'fieldSelector=data.x=y',
    'limit=many',
    'resourceVersionMatch=Exact',
    'resourceVersion=1&resourceVersionMatch=Exact',
    'resourceVersion=99999999&resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true',
    'continue=nonsense',
  ]) {
    const { json } = await send('GET', `${configMaps}?${query}`)
    answers.push(`${json.code} ${json.reason}: ${json.message}`.replace(/current: \d+/, 'current: N'))
  }
  assert.deepEqual(answers, [
    "400 BadRequest: unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt",
    '400 BadRequest: "data.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    '400 BadRequest: strconv.ParseInt: parsing "many": invalid syntax',
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    '410 Expired: The resourceVersion for the provided list is too old.',
    '504 Timeout: Timeout: Too large resource version: 99999999, current: N',
    '422 Invalid: ListOptions.meta.k8s.io "" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    '410 Expired: The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
  ])
})

test('watches from a version on', async t => {
  const world = await apiWorld()
  const { hub, send } = world
  await hub.create(configMap('before'), by('me'))
  const { json } = await send('GET', configMaps)
  const watch = await watching(t, world, `${configMaps}?watch=1&resourceVersion=${json.metadata.resourceVersion}`)
  await hub.create(configMap('a'), by('me'))
  assert.equal(shown(await watch.line()), 'ADDED a')
  await hub.delete(configMapRef('a'), {})
  assert.equal(shown(await watch.line()), 'DELETED a')
  watch.stop()
  assert.equal(await watch.line(), undefined)
})

test('begins a watch without a version with what is there', async t => {
  const world = await apiWorld()
  await world.hub.create(configMap('a'), by('me'))
  const watch = await watching(t, world, `${configMaps}?watch=true`)
  assert.equal(shown(await watch.line()), 'ADDED a')
  watch.stop()
})

test('marks where the initial events of a watch end', async t => {
  const world = await apiWorld()
  const { metadata } = await world.hub.create(configMap('a'), by('me'))
  const query = 'watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan'
  const watch = await watching(t, world, `${configMaps}?${query}`)
  assert.equal(shown(await watch.line()), 'ADDED a')
  const { type, object } = await watch.line()
  assert.deepEqual(
    [type, object.kind, object.metadata.resourceVersion, object.metadata.annotations],
    ['BOOKMARK', 'ConfigMap', metadata.resourceVersion, { 'k8s.io/initial-events-end': 'true' }],
  )
  watch.stop()
})

test('ends a watch whose version has expired', async t => {
  const world = await apiWorld()
  const watch = await watching(t, world, `${configMaps}?watch=1&resourceVersion=99999999`)
  const { type, object } = await watch.line()
  assert.deepEqual([watch.status, type, object.code, object.reason], [200, 'ERROR', 410, 'Expired'])
  assert.equal(await watch.line(), undefined)
})

test('ends a watch in time, with a bookmark', async t => {
  const world = await apiWorld()
  const watch = await watching(t, world, `${configMaps}?watch=1&timeoutSeconds=1&allowWatchBookmarks=true`)
  assert.equal((await watch.line()).type, 'BOOKMARK')
  assert.equal(await watch.line(), undefined)
})

test('watches as a table, whose columns are sent once', async t => {
  const world = await apiWorld()
  await world.hub.create(kustomization('app'), by('me'))
  const watch = await watching(t, world, `${kustomizations}?watch=1`, table)
  const first = await watch.line()
  await world.hub.delete(
    { group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization', namespace: 'default', name: 'app' },
    {},
  )
  const second = await watch.line()
  assert.deepEqual(
    [first.object.columnDefinitions.length, first.object.rows.length, second.object.columnDefinitions, second.type],
    [5, 1, null, 'DELETED'],
  )
  watch.stop()
})

test('watches one object by its name', async t => {
  const world = await apiWorld()
  await world.hub.create(configMap('a'), by('me'))
  await world.hub.create(configMap('b'), by('me'))
  const watch = await watching(t, world, `${configMaps}?watch=1&fieldSelector=metadata.name%3Db`)
  assert.equal(shown(await watch.line()), 'ADDED b')
  watch.stop()
})
