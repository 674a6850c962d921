import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../../lib/foundations/kinds/object.ts'
import { createHub } from '../../../../lib/hub/store/create-hub.ts'
import type { HubEvent, HubListQuery } from '../../../../lib/hub/store/hub.ts'
import type { ObjectStore } from '../../../../lib/platform/ports/objects.ts'
import { eventually } from '../../../bed/eventually.ts'
import type { HubWorld } from './world.ts'
import { by, configMap, configMapRef, hubWorld, kustomization, kustomizationRef, refusalOf, registry } from './world.ts'

const configMaps = { group: '', kind: 'ConfigMap' }

/** `TYPE name=value` of each event, as they come; ends with the test. */
const following = (
  { hub }: HubWorld,
  signal: AbortSignal,
  after: string,
  query: Partial<HubListQuery> = {},
): { readonly seen: string[]; readonly progress: string[] } => {
  const seen: string[] = []
  const progress: string[] = []
  const show = ({ type, object }: HubEvent) =>
    `${type} ${object.metadata.namespace}/${object.metadata.name} ${object.metadata.labels?.tier ?? '-'}`
  const onProgress = (version: string) => progress.push(version)
  void (async () => {
    for await (const event of hub.watch({ ...configMaps, ...query, after, signal, onProgress })) seen.push(show(event))
  })()
  return { seen, progress }
}

test('lists in pages that show one moment, whatever happens between them', async () => {
  const { hub } = await hubWorld()
  for (const name of ['a', 'b', 'c', 'd']) await hub.create(configMap(name), by('me'))
  const first = await hub.list({ ...configMaps, limit: 2 })
  await hub.delete(configMapRef('c'), {})
  await hub.create(configMap('e'), by('me'))
  const second = await hub.list({ ...configMaps, limit: 2, continue: first.continue })
  assert.deepEqual(
    [...first.items, ...second.items].map(({ metadata }) => metadata.name),
    ['a', 'b', 'c', 'd'],
  )
  assert.deepEqual([second.resourceVersion, second.continue], [first.resourceVersion, undefined])
})

test('fills pages of a selection, however few of the objects it selects', async () => {
  const { hub } = await hubWorld()
  for (let i = 0; i < 9; i++)
    await hub.create(configMap(`c${i}`, i % 4 === 0 ? { labels: { tier: 'web' } } : {}), by('me'))
  const query = { ...configMaps, labelSelector: 'tier=web', limit: 2 }
  const first = await hub.list(query)
  const second = await hub.list({ ...query, continue: first.continue })
  const names = [first, second].map(({ items }) => items.map(({ metadata }) => metadata.name))
  assert.deepEqual([...names, second.continue], [['c0', 'c4'], ['c8'], undefined])
})

test('reads only the objects that have a label when it lists by it, but for sealed ones whose kind does not name the label', async () => {
  const read: string[] = []
  const world = await hubWorld()
  const { objects } = world.platform
  const list: ObjectStore['list'] = async query => {
    const page = await objects.list(query)
    read.push(...page.items.map(({ ref }) => ref.name))
    return page
  }
  const hub = createHub({ ...world.platform, kinds: () => registry, objects: { ...objects, list } })
  const labels = { 'app.kubernetes.io/name': 'web' }
  const secret = (name: string, more = {}): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default', ...more },
  })
  for (const make of [configMap, secret])
    for (const [name, more] of [
      ['a', { labels }],
      ['b', { labels: { 'app.kubernetes.io/name': 'db' } }],
      ['c', {}],
    ] as const)
      await hub.create(make(name, more), by('me'))
  const plan = (name: string, unit: string): KubernetesObject => ({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Plan',
    metadata: { name, namespace: 'default', labels: { 'fleet.keelson.dev/unit-uid': unit, ...labels } },
    spec: {
      unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app' },
      ...{ manifests: 'sha256:0', digest: 'sha256:0', counts: {}, summary: '' },
    },
  })
  for (const name of ['a', 'b']) await hub.create(plan(name, `of-${name}`), by('me'))
  const listed = async (kind: string, labelSelector: string, group = '') => {
    read.length = 0
    const { items } = await hub.list({ group, kind, labelSelector })
    return [items.map(({ metadata }) => metadata.name), [...read]]
  }
  assert.deepEqual(await listed('ConfigMap', 'app.kubernetes.io/name=web'), [['a'], ['a']])
  assert.deepEqual(await listed('ConfigMap', 'app.kubernetes.io/name in (web,db),!x'), [
    ['a', 'b'],
    ['a', 'b'],
  ])
  assert.deepEqual(await listed('ConfigMap', 'app.kubernetes.io/name!=web'), [
    ['b', 'c'],
    ['a', 'b', 'c'],
  ])
  assert.deepEqual(await listed('Secret', 'app.kubernetes.io/name=web'), [['a'], ['a', 'b', 'c']])
  const plans = (selector: string) => listed('Plan', selector, 'fleet.keelson.dev')
  assert.deepEqual(await plans('fleet.keelson.dev/unit-uid=of-b'), [['b'], ['b']])
  assert.deepEqual(await plans('app.kubernetes.io/name=web'), [
    ['a', 'b'],
    ['a', 'b'],
  ])
})

test('refuses an invalid continue token', async () => {
  const { hub } = await hubWorld()
  assert.match(
    await refusalOf(hub.list({ ...configMaps, continue: 'nonsense' })),
    /^410 Expired: The provided continue parameter/,
  )
})

test('finds one object by its name, at a version to watch from', async () => {
  const { hub } = await hubWorld()
  await hub.create(configMap('a'), by('me'))
  const found = await hub.list({ ...configMaps, namespace: 'default', fieldSelector: 'metadata.name=a' })
  const missing = await hub.list({ ...configMaps, namespace: 'default', fieldSelector: 'metadata.name=b' })
  assert.deepEqual([found.items.length, missing.items.length], [1, 0])
  assert.ok(Number(missing.resourceVersion) > 0)
})

test('shows a filtered watch objects that enter and leave its filter', async t => {
  const world = await hubWorld()
  const { hub } = world
  const { resourceVersion } = await hub.list(configMaps)
  const web = following(world, t.signal, resourceVersion, { labelSelector: 'tier=web' })
  const label = (tier: string | null) =>
    hub.patch(configMapRef('a'), { type: 'merge', patch: { metadata: { labels: { tier } } } }, by('me'))
  await hub.create(configMap('a'), by('me'))
  await label('web')
  await hub.patch(configMapRef('a'), { type: 'merge', patch: { data: { more: '1' } } }, by('me'))
  await label('db')
  await label('web')
  await hub.delete(configMapRef('a'), {})
  const left = hub.list(configMaps)
  await eventually(async () => assert.equal(web.seen.length, 5), { within: 2000, every: 5 })
  assert.deepEqual(web.seen, [
    'ADDED default/a web',
    'MODIFIED default/a web',
    'DELETED default/a web',
    'ADDED default/a web',
    'DELETED default/a web',
  ])
  assert.ok(web.progress.every(version => BigInt(version) > BigInt(resourceVersion)))
  assert.deepEqual((await left).items, [])
})

test('reports progress of other namespaces to a watch of one', async t => {
  const world = await hubWorld()
  const quiet = following(world, t.signal, (await world.hub.list(configMaps)).resourceVersion, {
    namespace: 'kube-system',
  })
  const { metadata } = await world.hub.create(configMap('a'), by('me'))
  await eventually(async () => assert.deepEqual(quiet.progress, [metadata.resourceVersion]), { within: 2000, every: 5 })
  assert.deepEqual(quiet.seen, [])
})

test('resumes a watch without missing or repeating a change, and reports when that is not possible', async t => {
  const world = await hubWorld()
  const { hub } = world
  const first = await hub.create(configMap('a'), by('me'))
  await hub.create(configMap('b'), by('me'))
  const resumed = following(world, t.signal, first.metadata.resourceVersion!)
  await eventually(async () => assert.deepEqual(resumed.seen, ['ADDED default/b -']), { within: 2000, every: 5 })
  const ahead = hub
    .watch({ ...configMaps, after: '999999', signal: t.signal })
    [Symbol.asyncIterator]()
    .next()
  assert.equal(await refusalOf(ahead), '410 Expired: too old resource version: 999999')
})

test('finds what refers to a source, a Secret or a dependency', async () => {
  const { hub } = await hubWorld()
  await hub.create(
    kustomization('app', {
      sourceRef: { kind: 'OCIRepository', name: 'src', namespace: 'elsewhere' },
      kubeConfig: { secretRef: { name: 'prod' } },
      dependsOn: [{ name: 'infra' }],
      postBuild: { substituteFrom: [{ kind: 'ConfigMap', name: 'vars' }] },
    }),
    by('me'),
  )
  const finds = async (group: string, kind: string, namespace: string, name: string) => {
    const found = []
    for await (const ref of hub.referrers({ group, kind, namespace, name })) found.push(ref)
    return found
  }
  const app = [kustomizationRef('app')]
  assert.deepEqual(await finds('source.toolkit.fluxcd.io', 'OCIRepository', 'elsewhere', 'src'), app)
  assert.deepEqual(await finds('', 'Secret', 'default', 'prod'), app)
  assert.deepEqual(await finds('kustomize.toolkit.fluxcd.io', 'Kustomization', 'default', 'infra'), app)
  assert.deepEqual(await finds('', 'ConfigMap', 'default', 'vars'), app)
  await hub.patch(kustomizationRef('app'), { type: 'merge', patch: { spec: { kubeConfig: null } } }, by('me'))
  assert.deepEqual(await finds('', 'Secret', 'default', 'prod'), [])
})

const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'app.1', namespace: 'default' },
  involvedObject: { kind: 'Kustomization', namespace: 'default', name: 'app' },
  reason: 'Ready',
  count: 1,
}
const eventRef = { group: '', kind: 'Event', namespace: 'default', name: 'app.1' }

test('lets Events go an hour after their last change', async () => {
  const { hub, clock } = await hubWorld()
  await hub.create(event, by('it'))
  await clock.advance(50 * 60_000)
  await hub.patch(eventRef, { type: 'merge', patch: { count: 2 } }, by('it'))
  await clock.advance(50 * 60_000)
  assert.equal((await hub.get(eventRef))?.count, 2)
  await clock.advance(11 * 60_000)
  assert.equal(await hub.get(eventRef), undefined)
})

test('or after it, as the hub is configured', async () => {
  const { hub, clock } = await hubWorld({ eventTtlMs: 10 * 60_000 })
  await hub.create(event, by('it'))
  await clock.advance(9 * 60_000)
  assert.ok(await hub.get(eventRef))
  await clock.advance(2 * 60_000)
  assert.equal(await hub.get(eventRef), undefined)
})
