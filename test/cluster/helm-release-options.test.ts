import assert from 'node:assert/strict'
import { test } from 'node:test'
import { install } from '../../lib/clusters/helm-release/install.ts'
import { uninstall } from '../../lib/clusters/helm-release/uninstall.ts'
import { upgrade } from '../../lib/clusters/helm-release/upgrade.ts'
import { fromJson } from '../../lib/engines/template/values/from-json.ts'
import type { ValueMap } from '../../lib/engines/template/values/value.ts'
import type { ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { eventually } from '../bed/eventually.ts'
import { chartFiles, configMap, helmReleaseBed, intercepted } from './helm-release-bed.ts'

/** Options of the actions, each tried on a release of ours and on one of the real helm: both must come to the same. */
const bed = await helmReleaseBed()

type Space = Awaited<ReturnType<typeof bed.space>>

const chart = (version = '1.0.0', key = 'value') =>
  chartFiles(
    { 'cm.yaml': configMap('cm', { key, size: '{{ .Values.size }}', colour: '{{ .Values.colour }}' }) },
    version,
  )

const valuesOf = (fields: object): ValueMap => fromJson(fields) as ValueMap

const stored = async (space: Space): Promise<unknown> =>
  JSON.parse(await space.helm(['get', 'values', 'app', '-o', 'json']))

const history = async (space: Space): Promise<string[]> =>
  JSON.parse(await space.helm(['history', 'app', '-o', 'json'])).map(
    ({ revision, status, description }: Record<string, unknown>) => `${revision} ${status}: ${description}`,
  )

test('HR-065 preserveValues keeps the values of the version before, as helm upgrade --reuse-values', async () => {
  const [ours, theirs] = [await bed.space(), await bed.space()]
  await install(ours.deps, await ours.installOf(chart(), { values: valuesOf({ size: 'small', colour: 'red' }) }))
  await upgrade(
    ours.deps,
    await ours.upgradeOf(chart('1.1.0'), { values: valuesOf({ colour: 'blue' }), preserveValues: true }),
  )
  await theirs.helm(['install', 'app', 'CHART', '--set', 'size=small,colour=red'], chart())
  await theirs.helm(['upgrade', 'app', 'CHART', '--set', 'colour=blue', '--reuse-values'], chart('1.1.0'))
  for (const space of [ours, theirs]) {
    assert.deepEqual(await stored(space), { size: 'small', colour: 'blue' })
    assert.deepEqual((await space.live('configmap', 'cm')).data, { key: 'value', size: 'small', colour: 'blue' })
  }
})

test('HR-062 replace takes a name whose release was uninstalled, as helm install --replace', async () => {
  const [ours, theirs] = [await bed.space(), await bed.space()]
  await install(ours.deps, await ours.installOf(chart()))
  await uninstall(ours.deps, ours.uninstallOf({ keepHistory: true }))
  const again = await ours.installOf(chart('1.1.0'), { token: 'again' })
  await assert.rejects(install(ours.deps, again), /cannot reuse a name that is still in use/)
  await install(ours.deps, { ...again, replace: true })
  await theirs.helm(['install', 'app', 'CHART'], chart())
  await theirs.helm(['uninstall', 'app', '--keep-history'])
  await theirs.helm(['install', 'app', 'CHART', '--replace'], chart('1.1.0'))
  assert.deepEqual(await history(ours), await history(theirs))
})

test('HR-066 client-side, force replaces objects: what others had set on them goes', async () => {
  const [ours, theirs] = [await bed.space(), await bed.space()]
  const clientSide = { serverSideApply: 'disabled' } as const
  await install(ours.deps, await ours.installOf(chart(), { serverSideApply: false }))
  await theirs.helm(['install', 'app', 'CHART', '--server-side=false'], chart())
  const label = (space: Space) => space.kubectl('label', 'configmap', 'cm', 'by=somebody')
  const labelled = async (space: Space) => (await space.live('configmap', 'cm')).metadata.labels?.by
  for (const space of [ours, theirs]) await label(space)
  await upgrade(ours.deps, await ours.upgradeOf(chart('1.1.0', 'merged'), clientSide))
  await theirs.helm(['upgrade', 'app', 'CHART', '--server-side=false'], chart('1.1.0', 'merged'))
  assert.deepEqual([await labelled(ours), await labelled(theirs)], ['somebody', 'somebody'])
  await upgrade(ours.deps, await ours.upgradeOf(chart('1.2.0', 'replaced'), { ...clientSide, token: '3', force: true }))
  await theirs.helm(['upgrade', 'app', 'CHART', '--server-side=false', '--force-replace'], chart('1.2.0', 'replaced'))
  assert.deepEqual([await labelled(ours), await labelled(theirs)], [undefined, undefined])
  for (const space of [ours, theirs]) assert.equal((await space.live('configmap', 'cm')).data.key, 'replaced')
})

for (const [propagation, left] of [
  ['background', []],
  ['foreground', []],
  ['orphan', ['child']],
] as const)
  test(`HR-080 with deletionPropagation ${propagation} what an object owns ${left.length > 0 ? 'stays' : 'goes'}, as by helm uninstall --cascade`, async () => {
    const [ours, theirs] = [await bed.space(), await bed.space()]
    await install(ours.deps, await ours.installOf(chart()))
    await theirs.helm(['install', 'app', 'CHART'], chart())
    for (const space of [ours, theirs]) {
      const { uid } = (await space.live('configmap', 'cm')).metadata
      const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'cm', uid, blockOwnerDeletion: true }]
      await space.kubectl('create', 'configmap', 'child')
      await space.kubectl('patch', 'configmap', 'child', '-p', JSON.stringify({ metadata: { ownerReferences } }))
    }
    await uninstall(ours.deps, ours.uninstallOf({ propagation }))
    await theirs.helm(['uninstall', 'app', '--cascade', propagation])
    for (const space of [ours, theirs])
      await eventually(async () => assert.deepEqual(await space.names('configmap'), left))
  })

const definition = (group: string) => `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: things.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: Thing, plural: things}
  versions:
    - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, properties: {one: {type: string}}}}}
`

/** How a field that is none is refused, in whatever namespace. */
const refusal = async ({ namespace }: Space, work: Promise<unknown>): Promise<string> => {
  const error = await work.then(
    () => assert.fail('it was taken'),
    (error: Error) => error,
  )
  const [, told = error.message] =
    /((?:server-side apply failed for|failed to replace) object.*)/.exec(error.message) ?? []
  return told.replaceAll(namespace, 'NS').trimEnd()
}

test('HR-126 a field that a custom kind does not have is refused, in the words of helm', async () => {
  const [ours, theirs] = [await bed.space(), await bed.space()]
  const thing = ({ namespace }: Space) => {
    const group = `${namespace}.example.com`
    const object = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'thing' }, one: 'x', two: 'y' }
    return chartFiles({ 'crds/thing.yaml': definition(group), 'thing.yaml': JSON.stringify(object) })
  }
  const refused = await refusal(ours, install(ours.deps, await ours.installOf(thing(ours))))
  assert.match(refused, /field not declared in schema/)
  assert.equal(refused, await refusal(theirs, theirs.helm(['install', 'app', 'CHART'], thing(theirs))))
})

test('HR-126 what is replaced client-side is held against the schema as well, as by helm', async () => {
  const [ours, theirs] = [await bed.space(), await bed.space()]
  const odd = JSON.stringify({ ...JSON.parse(configMap('cm')), extra: 'x' })
  const broken = chartFiles({ 'cm.yaml': odd }, '1.1.0')
  await install(ours.deps, await ours.installOf(chart(), { serverSideApply: false }))
  await theirs.helm(['install', 'app', 'CHART', '--server-side=false'], chart())
  const request = await ours.upgradeOf(broken, { serverSideApply: 'disabled', force: true })
  const refused = await refusal(ours, upgrade(ours.deps, request))
  assert.match(refused, /unknown field "extra"/)
  const theirRefusal = theirs.helm(['upgrade', 'app', 'CHART', '--server-side=false', '--force-replace'], broken)
  assert.match(await refusal(theirs, theirRefusal), /unknown field \\?"extra/)
})

test('HR-152 an uninstall deletes kind by kind, in the order of helm', async () => {
  const space = await bed.space()
  const object = (apiVersion: string, kind: string, more: object = {}) =>
    JSON.stringify({ apiVersion, kind, metadata: { name: kind.toLowerCase() }, ...more })
  const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'nginx:1' }] } }
  const files = chartFiles({
    'a.yaml': object('v1', 'ServiceAccount'),
    'b.yaml': object('v1', 'Secret'),
    'c.yaml': object('v1', 'ConfigMap'),
    'd.yaml': object('rbac.authorization.k8s.io/v1', 'Role', { rules: [] }),
    'e.yaml': object('apps/v1', 'Deployment', { spec: { selector: { matchLabels: { app: 'a' } }, template } }),
    'f.yaml': object('v1', 'Service', { spec: { ports: [{ port: 80 }] } }),
    'g.yaml': object('networking.k8s.io/v1', 'Ingress', {
      spec: { defaultBackend: { service: { name: 'a', port: { number: 80 } } } },
    }),
    'h.yaml': object('networking.k8s.io/v1', 'NetworkPolicy', { spec: { podSelector: {} } }),
  })
  await install(space.deps, await space.installOf(files))
  const deleted: string[] = []
  const watched = intercepted(bed.client, (name, call, [, ref]) => {
    if (name === 'delete') deleted.push((ref as ObjectRef).kind)
    return call()
  })
  await uninstall(space.depsWith(watched), space.uninstallOf())
  assert.deepEqual(
    deleted.filter((kind, at) => kind !== 'Secret' || at < deleted.length - 1), // the last is the stored release
    ['Ingress', 'Service', 'Deployment', 'Role', 'ConfigMap', 'Secret', 'ServiceAccount', 'NetworkPolicy'],
  )
})
