import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../lib/kinds/object.ts'
import { type DataSource, sourceName } from '../../../lib/resource-set/data-source.ts'
import { fillData } from '../../../lib/resource-set/fill-data.ts'

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
  await assert.rejects(
    fill(copy('apps/src')),
    /^Error: failed to copy data from ConfigMap\/apps\/src: configmaps "src" not found$/,
  )
})

test('a source that many copy is read once, and told', async () => {
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

test('RS-065 a ConfigMap tells address and authority of a kubeconfig, and keeps what it says itself', async () => {
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

test('a kubeconfig that is none is not quoted', async () => {
  const config = object('ConfigMap', 'kc', {}, annotated('convertKubeConfigFrom', 'apps/kube'))
  const secret = object('Secret', 'kube', { data: { value: base64('token: "s3cret') } })
  await assert.rejects(fill([config], secret), error => {
    assert.match((error as Error).message, /the kubeconfig is no YAML/)
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

test('RS-066 a checksum of data stands beside the annotation that asks for it, wherever that is', async () => {
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
