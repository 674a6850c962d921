import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap, kustomization } from '../store/world.ts'
import { apiWorld, configMaps, kustomizations } from './world.ts'

const yaml = `apiVersion: v1
kind: ConfigMap
metadata:
  name: a
data:
  mode: "0644"
`

test('creates, reads, replaces and deletes an object', async () => {
  const { send } = await apiWorld()
  const created = await send('POST', `${configMaps}?fieldManager=me`, { body: configMap('a') })
  assert.deepEqual(
    [created.status, created.json.kind, created.json.metadata.managedFields[0].manager],
    [201, 'ConfigMap', 'me'],
  )
  const read = await send('GET', `${configMaps}/a`)
  assert.deepEqual([read.status, read.json], [200, created.json])
  const replaced = await send('PUT', `${configMaps}/a`, { body: { ...created.json, data: { key: 'new' } } })
  assert.deepEqual([replaced.status, replaced.json.data], [200, { key: 'new' }])
  const deleted = await send('DELETE', `${configMaps}/a`)
  assert.deepEqual(
    [deleted.status, deleted.json],
    [
      200,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Success',
        details: { name: 'a', kind: 'configmaps', uid: created.json.metadata.uid },
      },
    ],
  )
  const gone = await send('GET', `${configMaps}/a`)
  assert.deepEqual(
    [gone.status, gone.json],
    [
      404,
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'configmaps "a" not found',
        reason: 'NotFound',
        details: { name: 'a', kind: 'configmaps' },
        code: 404,
      },
    ],
  )
})

test('reads and writes YAML', async () => {
  const { send } = await apiWorld()
  await send('POST', configMaps, { body: yaml, type: 'application/yaml' })
  const { headers, text } = await send('GET', `${configMaps}/a`, { accept: 'application/yaml' })
  assert.equal(headers.get('content-type'), 'application/yaml')
  assert.match(text, /^data:\n {2}mode: "0644"$/m)
})

test('patches in every way that Kubernetes has', async () => {
  const { send } = await apiWorld()
  await send('POST', configMaps, { body: configMap('a', {}, { key: '0' }) })
  const patch = async (type: string, body: unknown, query = '') => {
    const { status, json } = await send('PATCH', `${configMaps}/a${query}`, { body, type: `application/${type}` })
    return [status, json.data ?? json.message]
  }
  assert.deepEqual(await patch('merge-patch+json', { data: { key: '1' } }), [200, { key: '1' }])
  assert.deepEqual(await patch('json-patch+json', [{ op: 'replace', path: '/data/key', value: '2' }]), [
    200,
    { key: '2' },
  ])
  assert.deepEqual(await patch('strategic-merge-patch+json', { data: { key: '3' } }), [200, { key: '3' }])
  assert.deepEqual(await patch('apply-patch+yaml', yaml, '?fieldManager=me'), [200, { key: '3', mode: '0644' }])
  assert.deepEqual(await patch('apply-patch+yaml', yaml), [
    422,
    'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
  ])
  assert.deepEqual(await patch('json-patch+json', [{ op: 'test', path: '/data/key', value: '9' }]), [
    422,
    'the server rejected our request due to an error in our request',
  ])
})

test('responds to an apply with 201 if it created the object', async () => {
  const { send } = await apiWorld()
  const apply = () =>
    send('PATCH', `${kustomizations}/app?fieldManager=me`, {
      body: kustomization('app'),
      type: 'application/apply-patch+yaml',
    })
  assert.deepEqual([(await apply()).status, (await apply()).status], [201, 200])
})

test('warns in headers, and refuses on demand, what it does not know', async () => {
  const { send } = await apiWorld()
  const body = kustomization('app', { 'unknown"': 1, prüne: 2 })
  const warned = await send('POST', `${kustomizations}?dryRun=All`, { body })
  assert.equal(
    warned.headers.get('warning'),
    '299 - "unknown field \\"spec.pr%C3%BCne\\"", 299 - "unknown field \\"spec.unknown\\"\\""',
  )
  assert.equal((await send('POST', `${kustomizations}?dryRun=All&fieldValidation=Strict`, { body })).status, 400)
  const ignored = await send('POST', `${kustomizations}?dryRun=All&fieldValidation=Ignore`, { body })
  assert.deepEqual([ignored.status, ignored.headers.get('warning')], [201, null])
})

test('refuses an object that is not what the path says', async () => {
  const { send } = await apiWorld()
  const refusals = [
    await send('POST', configMaps, { body: kustomization('app') }),
    await send('POST', configMaps, { body: configMap('a', { namespace: 'other' }) }),
    await send('PUT', `${configMaps}/a`, { body: configMap('b') }),
    await send('POST', configMaps, { body: '{"kind":' }),
    await send('POST', configMaps, { body: '[]' }),
    await send('PUT', `${kustomizations}/app`, { body: kustomization('app') }),
  ]
  assert.deepEqual(
    refusals.map(({ status, json }) => `${status}: ${json.message}`.replace(/parse error: .*/, 'parse error')),
    [
      '400: the API version in the data (kustomize.toolkit.fluxcd.io/v1) does not match the expected API version (v1)',
      '400: the namespace of the provided object does not match the namespace sent on the request',
      '400: the name of the object (b) does not match the name on the URL (a)',
      "400: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error",
      "400: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error",
      '422: kustomizations.kustomize.toolkit.fluxcd.io "app" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
  )
})

test('writes a status only through its path', async () => {
  const { send } = await apiWorld()
  await send('POST', kustomizations, { body: kustomization('app') })
  const patch = {
    body: { spec: { suspend: true }, status: { observedGeneration: 1 } },
    type: 'application/merge-patch+json',
  }
  const { json } = await send('PATCH', `${kustomizations}/app/status`, patch)
  assert.deepEqual([json.spec.suspend, json.status], [undefined, { observedGeneration: 1 }])
  const subresources = json.metadata.managedFields.map((entry: { subresource?: string }) => entry.subresource)
  assert.deepEqual(subresources, [undefined, 'status'])
  assert.equal((await send('PATCH', `${configMaps}/a/status`, patch)).status, 404)
})

test('deletes a collection, and only what is selected of it', async () => {
  const { send } = await apiWorld()
  for (const name of ['a', 'b']) await send('POST', configMaps, { body: configMap(name, { labels: { name } }) })
  const { status, json } = await send('DELETE', `${configMaps}?labelSelector=name%3Da`)
  assert.deepEqual([status, json.kind, json.items.length], [200, 'ConfigMapList', 1])
  assert.deepEqual(
    (await send('GET', configMaps)).json.items.map((item: { metadata: { name: string } }) => item.metadata.name),
    ['b'],
  )
})

test('takes deletion options from a body or from the query', async () => {
  const { send } = await apiWorld()
  await send('POST', configMaps, { body: configMap('a') })
  const kept = await send('DELETE', `${configMaps}/a`, {
    body: { kind: 'DeleteOptions', preconditions: { uid: 'other' } },
  })
  assert.deepEqual([kept.status, kept.json.reason], [409, 'Conflict'])
  const refused = await send('DELETE', `${configMaps}/a?propagationPolicy=Later`)
  assert.equal(
    refused.json.message,
    'DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Later": supported values: "Foreground", "Background", "Orphan", "nil"',
  )
  const orphaned = await send('DELETE', `${configMaps}/a?orphanDependents=true`)
  assert.deepEqual(orphaned.json.metadata.finalizers, ['orphan'])
})

test('is not to be polluted through names that objects inherit', async () => {
  const { send } = await apiWorld()
  const body =
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","labels":{"__proto__":"x"}},"data":{"__proto__":"y","constructor":"z"}}'
  const created = await send('POST', configMaps, { body })
  await send('PATCH', `${configMaps}/a`, {
    body: '{"__proto__":{"polluted":1},"data":{"__proto__":{"polluted":1}}}',
    type: 'application/merge-patch+json',
  })
  assert.equal(({} as { polluted?: number }).polluted, undefined)
  assert.ok(created.status === 201 || created.status === 422)
})
