import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type DataSource, sourceName } from '../../../../lib/engines/resource-set/data-source.ts'
import { fillData } from '../../../../lib/engines/resource-set/fill-data.ts'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'

const object = (kind: string, name: string, content: object = {}, metadata: object = {}) =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'apps', ...metadata }, ...content }) as KubernetesObject
const annotated = (key: string, value: string) => ({ annotations: { [`fluxcd.controlplane.io/${key}`]: value } })
const base64 = (text: string) => Buffer.from(text).toString('base64')

const stored = (...objects: KubernetesObject[]) => {
  const asked: string[] = []
  const read = async (source: DataSource) => {
    asked.push(sourceName(source))
    const found = objects.find(
      ({ kind, metadata }) => `${kind}/${metadata.namespace}/${metadata.name}` === sourceName(source),
    )
    if (!found) throw new Error(`${source.kind.toLowerCase()}s "${source.name}" not found`)
    return found
  }
  return { read, asked }
}

const fill = async (objects: KubernetesObject[], ...sources: KubernetesObject[]) =>
  (await fillData(objects, stored(...sources).read)).objects

test('RS-057 RS-059 a ConfigMap becomes a copy of the data of another, and of nothing else', async () => {
  const source = object('ConfigMap', 'src', { data: { a: '1' } }, { labels: { not: 'copied' } })
  const copy = object('ConfigMap', 'copy', { data: { own: 'gone' } }, annotated('copyFrom', 'apps/src'))
  assert.deepEqual(await fill([copy], source), [{ ...copy, data: { a: '1' } }])
})

test('RS-058 a Secret takes data and type', async () => {
  const source = object('Secret', 'auth', {
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': 'e30=' },
  })
  const copy = object('Secret', 'copy', { stringData: { own: 'gone' } }, annotated('copyFrom', 'apps/auth'))
  const { stringData, ...rest } = copy
  assert.deepEqual(await fill([copy], source), [{ ...rest, type: source.type, data: source.data }])
})

test('RS-060 a malformed reference and a missing source are named', async () => {
  const copy = (from: string) => [object('ConfigMap', 'copy', {}, annotated('copyFrom', from))]
  await assert.rejects(
    fill(copy('src')),
    /^Error: invalid fluxcd.controlplane.io\/copyFrom annotation value 'src' must be in the format 'namespace\/name'$/,
  )
  await assert.rejects(fill(copy('apps/src')), error => {
    const { message, cause } = error as Error
    assert.equal(message, 'failed to copy data from ConfigMap/apps/src: configmaps "src" not found')
    assert.equal((cause as Error).message, 'configmaps "src" not found')
    return true
  })
})

test('a source that many objects copy is read once, and recorded', async () => {
  const { read, asked } = stored(object('Secret', 'auth', { data: {} }))
  const copies = Array.from({ length: 50 }, (_, i) =>
    object('Secret', `copy-${i}`, {}, annotated('copyFrom', 'apps/auth')),
  )
  const { sources } = await fillData(copies, read)
  assert.deepEqual(asked, ['Secret/apps/auth'])
  assert.deepEqual(sources, [{ kind: 'Secret', namespace: 'apps', name: 'auth' }])
})

const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- name: c
  cluster: {server: 'https://cluster.example:6443', certificate-authority-data: ${base64('CA')}}
`

test('RS-065 a ConfigMap gets address and authority of a kubeconfig, and keeps its own', async () => {
  const secret = (key: string) => object('Secret', 'kube', { data: { [key]: base64(kubeconfig) } })
  const told = (from: string, data: object) =>
    object('ConfigMap', 'kc', { data }, annotated('convertKubeConfigFrom', from))
  const dataOf = async (config: KubernetesObject, key: string) => (await fill([config], secret(key)))[0]!.data
  const found = { address: 'https://cluster.example:6443', 'ca.crt': 'CA' }
  assert.deepEqual(await dataOf(told('apps/kube', { provider: 'generic' }), 'value'), { ...found, provider: 'generic' })
  assert.deepEqual(await dataOf(told('apps/kube', {}), 'kubeconfig'), found)
  assert.deepEqual(await dataOf(told('apps/kube:my-key', {}), 'my-key'), found)
  assert.deepEqual(await dataOf(told('apps/kube', { address: 'https://other' }), 'value'), {
    address: 'https://other',
    'ca.crt': 'CA',
  })
  await assert.rejects(
    dataOf(told('apps/kube:other', {}), 'value'),
    /failed to convert kubeconfig from Secret\/apps\/kube: key 'other' not found/,
  )
})

test('an invalid kubeconfig is not quoted', async () => {
  const config = object('ConfigMap', 'kc', {}, annotated('convertKubeConfigFrom', 'apps/kube'))
  const secret = object('Secret', 'kube', { data: { value: base64('token: "s3cret') } })
  await assert.rejects(fill([config], secret), error => {
    assert.match((error as Error).message, /the kubeconfig is not valid YAML/)
    assert.doesNotMatch((error as Error).message, /s3cret/)
    return true
  })
})

const deployment = (from: string) =>
  object('Deployment', 'web', { spec: { template: { metadata: annotated('checksumFrom', from) } } })
const checksumOf = (filled: readonly KubernetesObject[]) => {
  const { spec } = filled.find(({ kind }) => kind === 'Deployment') as unknown as {
    spec: { template: { metadata: { annotations: Record<string, string> } } }
  }
  return spec.template.metadata.annotations['fluxcd.controlplane.io/checksum']
}

test('RS-066 a checksum of data is beside the annotation that requests it, wherever that is', async () => {
  const config = (value: string) => object('ConfigMap', 'config', { data: { a: value } })
  const secret = object('Secret', 'secret', { data: { b: base64('2') } })
  const from = 'ConfigMap/apps/config,\n  Secret/apps/secret\n'
  const first = checksumOf(await fill([deployment(from)], config('1'), secret))
  assert.match(first!, /^sha256:[0-9a-f]{64}$/)
  assert.equal(checksumOf(await fill([deployment(from)], config('1'), secret)), first)
  assert.notEqual(checksumOf(await fill([deployment(from)], config('2'), secret)), first)
  await assert.rejects(
    fill([deployment('apps/config')]),
    /invalid fluxcd.controlplane.io\/checksumFrom annotation value/,
  )
  await assert.rejects(fill([deployment(from)]), /failed to compute checksum of .*: configmaps "config" not found/)
})

test('RS-067 what the same set renders is summed up as it is about to be applied', async () => {
  const { read, asked } = stored()
  const config = object('ConfigMap', 'config', { data: { a: '1' } })
  const { objects, sources } = await fillData([deployment('ConfigMap/apps/config'), config], read)
  assert.match(checksumOf(objects)!, /^sha256:/)
  assert.deepEqual([asked, sources], [[], []])
})

test('binary data is copied too, and a type only where there is one', async () => {
  const source = object('ConfigMap', 'src', { binaryData: { a: 'AQ==' } })
  const copy = object('ConfigMap', 'copy', { data: { own: 'gone' }, binaryData: {} }, annotated('copyFrom', 'apps/src'))
  const { data, ...rest } = copy
  assert.deepEqual(await fill([copy], source), [{ ...rest, binaryData: { a: 'AQ==' } }])
})

test('references of another form are refused, and those on other kinds are left alone', async () => {
  const refused = async (kind: string, key: string, value: string, format: string) =>
    assert.rejects(fill([object(kind, 'x', {}, annotated(key, value))]), {
      message: `invalid fluxcd.controlplane.io/${key} annotation value '${value}' must be in the format ${format}`,
    })
  for (const value of ['', 'src', '/src', 'apps/', 'apps/src/x'])
    await refused('Secret', 'copyFrom', value, "'namespace/name'")
  for (const value of ['kube', '/kube', 'apps/', 'apps/kube/x', 'apps/kube:', 'a:b/kube'])
    await refused('ConfigMap', 'convertKubeConfigFrom', value, "'namespace/name' or 'namespace/name:key'")
  for (const value of [
    'Pod/apps/x',
    'ConfigMap/apps',
    'ConfigMap//x',
    'Secret/apps/',
    'ConfigMap/apps/x/y',
    'ConfigMap',
  ])
    await refused('Pod', 'checksumFrom', value, "'Kind/namespace/name' with the kind ConfigMap or Secret")
  const others = [
    object('Service', 'x', {}, annotated('copyFrom', 'malformed')),
    { ...object('ConfigMap', 'x', {}, annotated('copyFrom', 'malformed')), apiVersion: 'other/v1' },
    object('Secret', 'x', {}, annotated('convertKubeConfigFrom', 'malformed')),
    { ...object('ConfigMap', 'x', {}, annotated('convertKubeConfigFrom', 'malformed')), apiVersion: 'other/v1' },
  ]
  assert.deepEqual(await fill(others), others)
})

test('faults of a kubeconfig are reported without its text', async () => {
  const config = object('ConfigMap', 'kc', {}, annotated('convertKubeConfigFrom', 'apps/kube'))
  const failing = (data: object | undefined, why: string) =>
    assert.rejects(fill([config], object('Secret', 'kube', { data })), (error: Error) => {
      assert.equal(error.message, `failed to convert kubeconfig from Secret/apps/kube: ${why}`)
      assert.match(String(error.cause), /^Error: /)
      return true
    })
  await failing(undefined, "key 'kubeconfig' or 'value' not found")
  await failing({ other: 'x' }, "key 'kubeconfig' or 'value' not found")
  const none = [
    '',
    '[]',
    'x',
    'clusters: x',
    'clusters: []',
    'clusters: [x]',
    'clusters: [{}]',
    'clusters: [{cluster: x}]',
  ]
  for (const text of [...none, 'clusters: [{cluster: {server: ""}}]', 'clusters: [{cluster: {server: 1}}]'])
    await failing({ value: base64(text) }, 'the kubeconfig names no cluster with a server')
  const [found] = await fill(
    [config],
    object('Secret', 'kube', { data: { value: base64('clusters: [{cluster: {server: "https://a"}}]') } }),
  )
  assert.deepEqual(found!.data, { address: 'https://a' })
})

test('RS-066 the checksum of a ConfigMap is the one that flux-operator wrote, so that no workload restarts', async () => {
  const namespace = 'rs-checksum-from'
  const config = object('ConfigMap', 'conf', { data: { a: '1' } }, { namespace })
  const { objects } = await fillData([deployment(`ConfigMap/${namespace}/conf`), config], stored().read)
  assert.equal(checksumOf(objects), 'sha256:8dd2b24b7feb36c853dc61184f4167afe1d67468b3441ed7a9b5b53030588c3e')
})

test('a checksum is of names and values, in the order of the names, each ended by a zero byte', async () => {
  const sumOf = async (content: object, kind = 'ConfigMap') =>
    checksumOf(await fill([deployment(`${kind}/apps/config`)], object(kind, 'config', content)))
  const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
  const expected = 'ConfigMap/apps/config\0' + 'a\0' + 'ü\0' + 'b\0' + '2\0'
  assert.equal(await sumOf({ data: { b: '2', a: 'ü' } }), digest(expected))
  assert.equal(await sumOf({ data: { b: '2' }, binaryData: { a: base64('ü') } }), digest(expected))
  assert.equal(await sumOf({ data: { a: 'ü', b: '2' } }), digest(expected))
  assert.equal(await sumOf({}), digest('ConfigMap/apps/config\0'))
  const secret = await sumOf({ data: { a: base64('1') } }, 'Secret')
  assert.equal(await sumOf({ stringData: { a: '1' } }, 'Secret'), secret)
  assert.notEqual(await sumOf({ data: { a: '1' } }), secret)
})

test('a checksum is computed wherever an annotation requests it, and other objects stay unchanged', async () => {
  const config = object('ConfigMap', 'config', { data: { a: '1' } })
  const asking = { metadata: annotated('checksumFrom', 'ConfigMap/apps/config,') }
  const nested = object('List', 'x', { items: [[asking], 1, null, { metadata: 'odd' }] })
  const [filled, other] = await fill([nested, config])
  const [[item]] = (filled as unknown as { items: [[{ metadata: { annotations: object } }]] }).items
  assert.deepEqual(Object.keys(item.metadata.annotations), [
    'fluxcd.controlplane.io/checksumFrom',
    'fluxcd.controlplane.io/checksum',
  ])
  assert.equal(other, config)
  const odd = object('Pod', 'x', {}, { annotations: { 'fluxcd.controlplane.io/checksumFrom': 1 } })
  assert.deepEqual(await fill([odd]), [odd])
})
