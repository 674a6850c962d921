import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configMap } from '../store/world.ts'
import { apiWorld, configMaps, kustomizations } from './world.ts'

test('reads the protobuf of typed clients, and responds in JSON', async () => {
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

test("refuses values that are not strings, even those that can't be converted", async () => {
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

test('warnings are truncated if there are too many for the headers of a response', async () => {
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
