/** ImageRepositories of one image and access, in whichever namespaces they are: one list, and nobody learns of another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImagePolicy } from '../../../lib/foundations/kinds/image-policy.ts'
import type { ImageRepository } from '../../../lib/foundations/kinds/image-repository.ts'
import { collectReplaced } from '../../../lib/reconcile/source-artifact/collect-replaced.ts'
import { dockerConfig, filesLayer, openRegistry } from '../oci/oci-world.ts'
import { group, minute, openImageWorld, refOf } from './image-world.ts'

const image = { layers: [filesLayer({ 'a.yaml': 'a: 1' })] }
const auth = { username: 'reader', password: 'pass:word' }
const hour = 60 * minute
const teams = ['team-a', 'team-b', 'team-c'] as const
const list = 'GET /v2/app/tags/list?n=1000'

const opened = async (options: Parameters<typeof openRegistry>[0] = {}) => {
  const registry = await openRegistry(options)
  await registry.push(image, 'app', '1.0.0', '1.0.0-rc.1')
  const world = await openImageWorld()
  const { artifacts } = world.platform
  for (const namespace of teams) await world.create('Namespace', namespace, {}, '')
  registry.requests()
  return {
    registry,
    world,
    lists: () => registry.requests().filter(line => line.includes('/tags/list')),
    repository: (namespace: string, spec: object = {}, name = 'app') =>
      world.repository(name, { image: `${registry.server.host}/app`, ...spec }, namespace),
    statusOf: async (namespace: string, name = 'app') =>
      (await world.get<ImageRepository>('ImageRepository', name, namespace))?.status,
    contents: async () => (await Array.fromAsync(artifacts.list('content/'))).map(({ name }) => name),
  }
}

test('IM-067 ImageRepositories of one image are listed once, and their tags are kept once, in all namespaces', async () => {
  const { registry, world, lists, repository, statusOf, contents } = await opened()
  for (const namespace of teams) await repository(namespace)
  assert.deepEqual(lists(), [list])
  assert.equal((await contents()).length, 1)
  assert.deepEqual(
    (await world.lists()).map(name => name.split('/').slice(0, 3).join('/')),
    teams.map(namespace => `imagerepository/${namespace}/app`),
  )
  // What a tenant sees is what it would see alone.
  const seen = async (namespace: string) => ({
    result: { ...(await statusOf(namespace))!.lastScanResult, scanTime: '' },
    conditions: await world.conditions('ImageRepository', 'app', namespace),
    events: await world.eventsOf(refOf('ImageRepository', 'app', namespace)),
  })
  assert.deepEqual(await seen('team-b'), await seen('team-a'))
  assert.deepEqual(await seen('team-c'), await seen('team-a'))

  await registry.push(image, 'app', '1.1.0')
  await world.advance(11 * minute)
  assert.deepEqual(lists(), [list], 'after the interval')
  for (const namespace of teams) assert.equal((await statusOf(namespace))!.lastScanResult!.tagCount, 3)
  await world.advance(61 * minute)
  const many = lists().length
  assert.ok(many >= 5 && many <= 7, `${many} lists in an hour, at rest, every 10 minutes`)
})

test('IM-067 passes that begin together wait for the first of them', async () => {
  const { registry, world, lists, repository, statusOf } = await opened()
  for (const namespace of teams) await repository(namespace)
  await registry.push(image, 'app', '1.1.0')
  lists()
  await world.clock.advance(11 * minute)
  const refs = teams.map(namespace => refOf('ImageRepository', 'app', namespace))
  await Promise.all(refs.map(ref => world.platform.schedule.setDue(ref, 0)))
  await Promise.all(refs.map(ref => world.loop.handle({ stage: 'resourceset', ref })))
  await world.settle()
  assert.deepEqual(lists(), [list])
  for (const namespace of teams) assert.equal((await statusOf(namespace))!.lastScanResult!.tagCount, 3)
})

test('IM-067 each object excludes tags by itself, and its policies see no others', async () => {
  const { world, lists, repository, statusOf, contents } = await opened()
  await repository('team-a')
  await repository('team-b', { exclusionList: ['-rc'] })
  assert.deepEqual(lists(), [list])
  assert.equal((await contents()).length, 1)
  const counts = teams.slice(0, 2).map(async namespace => (await statusOf(namespace))!.lastScanResult!.tagCount)
  assert.deepEqual(await Promise.all(counts), [2, 1])
  const tags = teams.slice(0, 2).map(async namespace => {
    await world.policy('app', { policy: { alphabetical: {} } }, namespace)
    return (await world.get<ImagePolicy>('ImagePolicy', 'app', namespace))!.status!.latestRef!.tag
  })
  assert.deepEqual(await Promise.all(tags), ['1.0.0-rc.1', '1.0.0'])
})

test('IM-067 the name of an image gives nobody its tags: other credentials ask for themselves', async () => {
  const { registry, world, lists, repository, statusOf } = await opened({ auth })
  const { host } = registry.server
  const secret = (namespace: string, password: string) =>
    world.create('Secret', 'login', dockerConfig({ [host]: { ...auth, password } }), namespace)
  await secret('team-a', auth.password)
  await secret('team-b', auth.password)
  await secret('team-c', 'guessed')
  const withLogin = { secretRef: { name: 'login' } }
  await repository('team-a', withLogin)
  await repository('team-b', withLogin)
  assert.equal(new Set(lists()).size, 1)
  assert.equal((await statusOf('team-b'))!.lastScanResult!.tagCount, 2)
  for (const [name, spec] of Object.entries({ guessed: withLogin, anonymous: {} })) {
    await repository('team-c', spec, name)
    assert.match((await world.conditions('ImageRepository', name, 'team-c')).join(), /Ready=False ReadOperationFailed/)
    assert.equal((await statusOf('team-c', name))!.lastScanResult, undefined)
    assert.ok(lists().length > 0, `${name} is refused by the registry itself`)
  }
  assert.ok((await world.lists()).every(name => !name.includes('team-c')))
})

test('IM-067 a request is answered by a list that begins after it', async () => {
  const { registry, world, lists, repository, statusOf } = await opened()
  await repository('team-a')
  await repository('team-b')
  await registry.push(image, 'app', '1.1.0')
  assert.equal(lists().length, 1)
  await world.request('ImageRepository', 'app', 'now', 'team-b')
  assert.equal(lists().length, 1)
  assert.equal((await statusOf('team-b'))!.lastScanResult!.tagCount, 3)
})

test('IM-019 IM-067 a list goes with the last object that has it', async () => {
  const { world, repository, contents } = await opened()
  await repository('team-a')
  await repository('team-b')
  const collect = () => collectReplaced({ ...world.platform, hub: world.hub }, { ttlMs: 60_000, records: 2 })
  for (const [namespace, left] of [
    ['team-a', 1],
    ['team-b', 0],
  ] as const) {
    await world.hub.delete({ group, kind: 'ImageRepository', namespace, name: 'app' }, {})
    await world.settle()
    await world.clock.advance(25 * hour)
    await collect()
    assert.equal((await world.lists()).length, left)
    assert.equal((await contents()).length, left)
  }
})
