import assert from 'node:assert/strict'
import { test } from 'node:test'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { upgrade } from '../../lib/clusters/helm-release/upgrade.ts'
import { chartFiles, configMap, helmReleaseBed, intercepted } from './helm-release-bed.ts'

const bed = await helmReleaseBed()

const definition = (group: string, field: string) =>
  JSON.stringify({
    ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
    metadata: { name: `things.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind: 'Thing', plural: 'things' } },
      versions: [
        {
          ...{ name: 'v1', served: true, storage: true },
          schema: { openAPIV3Schema: { type: 'object', properties: { [field]: { type: 'string' } } } },
        },
      ],
    },
  })

const fieldsOf = async (group: string): Promise<string> =>
  bed.kubectl('get', 'crd', `things.${group}`, '-o', 'jsonpath={.spec.versions[0].schema.openAPIV3Schema.properties}')

test('HR-094 HR-095 HR-096 definitions come first, are left by Create and changed by CreateReplace', async () => {
  const space = await bed.space()
  const group = `${space.namespace}.example.com`
  const thing = JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'one' }, one: 'x' })
  const chart = (field: string) => chartFiles({ 'crds/thing.yaml': definition(group, field), 'thing.yaml': thing })
  await install(space.deps, await space.installOf(chart('one')))
  assert.equal(await fieldsOf(group), '{"one":{"type":"string"}}')
  const labels = await bed.kubectl('get', 'crd', `things.${group}`, '-o', 'jsonpath={.metadata.labels}')
  assert.match(labels, /"helm.toolkit.fluxcd.io\/name":"app"/)
  await upgrade(space.deps, await space.upgradeOf(chart('one'), { token: '2', crds: 'Create' }))
  assert.equal(await fieldsOf(group), '{"one":{"type":"string"}}')
  const two = chartFiles({ 'crds/thing.yaml': definition(group, 'two'), 'a.yaml': configMap('a') })
  await upgrade(space.deps, await space.upgradeOf(two, { token: '3', crds: 'Create' }))
  assert.equal(await fieldsOf(group), '{"one":{"type":"string"}}')
  await upgrade(space.deps, await space.upgradeOf(two, { token: '4', crds: 'CreateReplace' }))
  assert.equal(await fieldsOf(group), '{"two":{"type":"string"}}')
})

test('HR-137 HR-139 templates know the cluster: its version, what it serves, and what lookup finds in turn', async () => {
  const space = await bed.space()
  await space.kubectl('create', 'configmap', 'first', '--from-literal=next=second')
  await space.kubectl('create', 'configmap', 'second', '--from-literal=found=yes')
  const template = [
    ...['apiVersion: v1', 'kind: ConfigMap', 'metadata: {name: told}', 'data:'],
    '{{- $first := lookup "v1" "ConfigMap" .Release.Namespace "first" }}',
    '{{- $second := lookup "v1" "ConfigMap" .Release.Namespace (dig "data" "next" "unknown" $first) }}',
    '  found: {{ dig "data" "found" "no" $second | quote }}',
    '  none: {{ lookup "v1" "ConfigMap" .Release.Namespace "none" | toJson | quote }}',
    '  version: {{ .Capabilities.KubeVersion.Version }}',
    '  serves: {{ .Capabilities.APIVersions.Has "apps/v1/Deployment" | quote }}',
  ].join('\n')
  await install(space.deps, await space.installOf(chartFiles({ 'told.yaml': template })))
  const { data } = await space.live('configmap', 'told')
  assert.equal(data.found, 'yes')
  assert.equal(data.none, '{}')
  assert.match(data.version!, /^v1\.\d+/)
  assert.equal(data.serves, 'true')
})

test('HR-039 createNamespace makes the namespace of the release, with its label', async () => {
  const space = await bed.space()
  const namespace = `${space.namespace}-made`
  const request = await space.installOf(chartFiles({ 'a.yaml': configMap('a') }), { namespace, createNamespace: true })
  await install(space.deps, request)
  assert.match(
    await bed.kubectl('get', 'namespace', namespace, '-o', 'jsonpath={.metadata.labels}'),
    new RegExp(`"name":"${namespace}"`),
  )
  assert.match(await bed.kubectl('get', '-n', namespace, 'configmap', 'a'), /a /)
})

test('HR-024 a kind that the cluster does not serve is refused before anything is stored', async () => {
  const space = await bed.space()
  const unknown = 'apiVersion: example.com/v1\nkind: Nothing\nmetadata:\n  name: x\n'
  await assert.rejects(install(space.deps, await space.installOf(chartFiles({ 'x.yaml': unknown }))), {
    message:
      'unable to build kubernetes objects from release manifest: resource mapping not found for name: "x" namespace: "" from "": no matches for kind "Nothing" in version "example.com/v1"\nensure CRDs are installed first',
    stored: [],
  })
  assert.deepEqual(await space.names('secret'), [])
})

test('HR-115 a release without hooks is written twice: before its objects, and when they are there', async () => {
  const space = await bed.space()
  const writes: string[] = []
  const counting = intercepted(bed.client, async (name, call) => {
    if (['apply', 'create', 'patch', 'delete'].includes(name)) writes.push(name)
    return call()
  })
  await install(space.depsWith(counting), await space.installOf(chartFiles({ 'a.yaml': configMap('a') })))
  assert.deepEqual(writes, ['create', 'apply', 'patch'])
})
