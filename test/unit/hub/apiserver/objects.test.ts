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

test('reads the protobuf of typed clients, and answers them in JSON', async () => {
  const { handle } = await apiWorld()
  const field = (number: number, ...content: readonly (string | Buffer)[]) => {
    const bytes = Buffer.concat(content.map(part => (typeof part === 'string' ? Buffer.from(part) : part)))
    return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes])
  }
  const typeMeta = field(1, field(1, 'v1'), field(2, 'Secret'))
  const secret = field(
    2,
    field(1, field(1, 'token'), field(3, 'default')),
    field(2, field(1, 'key'), field(2, 'va\xff')),
    field(3, ''),
  )
  const response = await handle(
    new Request('https://127.0.0.1/api/v1/namespaces/default/secrets', {
      method: 'POST',
      headers: {
        'content-type': 'application/vnd.kubernetes.protobuf',
        accept: 'application/vnd.kubernetes.protobuf,application/json',
      },
      body: Buffer.concat([Buffer.from('k8s\0'), typeMeta, secret]),
    }),
  )
  const created = (await response.json()) as { data: unknown; metadata: { name: string } }
  assert.deepEqual(
    [response.status, created.metadata.name, created.data],
    [201, 'token', { key: Buffer.from('va\xff').toString('base64') }],
  )
})

test('refuses media types that it does not speak, naming those it does', async () => {
  const { send } = await apiWorld()
  const refusals = [
    await send('GET', configMaps, { accept: 'application/vnd.kubernetes.protobuf' }),
    await send('POST', configMaps, { body: 'x', type: 'text/plain' }),
    await send('PATCH', `${kustomizations}/app`, { body: {}, type: 'application/strategic-merge-patch+json' }),
  ]
  assert.deepEqual(
    refusals.map(({ status, json }) => `${status} ${json.reason}: ${json.message}`),
    [
      '406 NotAcceptable: only the following media types are accepted: application/json, application/yaml',
      '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      '415 UnsupportedMediaType: the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ],
  )
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

test('answers an apply with 201 when it created the object', async () => {
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

test('takes no value for a text that is none, even one that cannot be made a text', async () => {
  const { send } = await apiWorld()
  const hostile = [{ toString: '' }]
  const messages = [
    await send('POST', configMaps, { body: { kind: hostile } }),
    await send('POST', configMaps, { body: { metadata: { name: hostile } } }),
    await send('DELETE', `${configMaps}/a`, { body: { dryRun: hostile } }),
  ].map(({ status, json }) => `${status}: ${json.message}`)
  assert.deepEqual(messages, [
    "400: the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go struct field .kind of type string",
    '400: ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ObjectMeta.metadata.name of type string',
    '400: json: cannot unmarshal object into Go struct field DeleteOptions.dryRun of type string',
  ])
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

test('refuses more than it wants to read', async () => {
  const { send } = await apiWorld()
  const big = await send('POST', configMaps, { body: configMap('a', {}, { key: 'x'.repeat(3 * 1024 * 1024) }) })
  assert.deepEqual([big.status, big.json.reason], [413, 'RequestEntityTooLarge'])
  const deep = await send('POST', configMaps, { body: `{"metadata":${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}}` })
  assert.equal(deep.status, 400)
})

test('refuses a body of more values than it wants to work on, in each of its forms', async () => {
  const { send } = await apiWorld()
  const head = '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}'
  const protobuf = Buffer.concat([
    Buffer.from('k8s\0\n\x0f\n\x02v1\x12\x09ConfigMap\x12'),
    // The length as a varint of three bytes, and empty entries of `data`.
    Buffer.from([0x80 | (600_000 & 0x7f), 0x80 | ((600_000 >> 7) & 0x7f), 600_000 >> 14]),
    Buffer.alloc(600_000, Buffer.from([0x12, 0])),
  ])
  const forms: readonly (readonly [string, string | Buffer])[] = [
    ['application/json', `{${head},"x":[${'0,'.repeat(100_000)}0]}`],
    ['application/json', `{${head},"x":[${'{},'.repeat(60_000)}0]}`],
    ['application/json', `{${head},"x":{${'"n":0,'.repeat(60_000)}"n":0}}`],
    ['application/yaml', `x: [${'0,'.repeat(60_000)}0]`],
    ['application/yaml', `x:\n${'- - a\n'.repeat(60_000)}`],
    ['application/vnd.kubernetes.protobuf', protobuf],
  ]
  for (const [type, body] of forms) {
    const { status, json } = await send('POST', configMaps, { body, type })
    assert.deepEqual([status, json.reason], [413, 'RequestEntityTooLarge'], `${type}: ${json.message}`)
    assert.match(json.message, /holds more than \d+ values$/)
  }
  const patch = await send('PATCH', `${configMaps}/a?fieldManager=it`, {
    body: `{${head},"x":[${'0,'.repeat(100_000)}0]}`,
    type: 'application/apply-patch+yaml',
  })
  assert.equal(patch.status, 413)
  // Punctuation within texts is no value.
  const text = `[{:,"\\\\${'[,{'.repeat(150_000)}`
  const kept = await send('POST', configMaps, { body: configMap('a', {}, { key: text }) })
  assert.deepEqual([kept.status, kept.json.data], [201, { key: text }])
})

test('warnings are cut when there are too many for the headers of an answer', async () => {
  const { send } = await apiWorld()
  const unknown = (count: number, name: string) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`${name}${at}`, 0]))
  const warned = async (fields: object) => {
    const { status, headers } = await send('POST', `${configMaps}?fieldValidation=Warn&dryRun=All`, {
      body: { ...configMap('a'), ...fields },
    })
    assert.equal(status, 201)
    return (headers.get('warning') ?? '').split(/, (?=299 )/)
  }
  assert.equal((await warned(unknown(20, 'x'))).length, 20)
  const many = await warned(unknown(1_000, 'x'))
  assert.ok(many.length > 20 && many.join().length < 8_192, String(many.length))
  const long = await warned({ [`long${'x'.repeat(5_000)}`]: 0, ...unknown(2, 'y') })
  assert.deepEqual([long.length, Math.max(...long.map(({ length }) => length)) < 300], [3, true])
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
