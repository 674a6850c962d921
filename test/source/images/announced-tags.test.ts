/** What an event of a registry saves, and what it can't do: with the requests that a real registry gets. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImagePolicy } from '../../../lib/foundations/kinds/image-policy.ts'
import type { ImageRepository } from '../../../lib/foundations/kinds/image-repository.ts'
import { readPush } from '../../../lib/signals/webhook/push.ts'
import { reconcileFollowers } from '../../../lib/signals/webhook/registry-push.ts'
import { triggerTargets } from '../../../lib/signals/webhook/targets.ts'
import { filesLayer, openRegistry } from '../oci/oci-world.ts'
import { minute, openImageWorld, refOf } from './image-world.ts'

const image = { layers: [filesLayer({ 'a.yaml': 'a: 1' })] }
const digest = `sha256:${'0'.repeat(64)}`

const opened = async (settings: object = {}) => {
  const registry = await openRegistry()
  await registry.push(image, 'app', '1.0.0')
  const world = await openImageWorld(settings)
  await world.repository('app', { image: `${registry.server.host}/app` })
  await world.policy('app', { policy: { semver: { range: '>=1.0.0' } } })
  registry.requests()
  /** As EventBridge reports it for ECR. */
  const event = (tag?: string) =>
    reconcileFollowers(world.ports, { registry: registry.server.host, repository: 'app', digest, ...(tag && { tag }) })
  const announce = async (tag?: string) => {
    await event(tag)
    await world.settle()
  }
  const latest = async () => (await world.get<ImagePolicy>('ImagePolicy', 'app'))!.status!.latestRef!.tag
  const result = async () => (await world.get<ImageRepository>('ImageRepository', 'app'))!.status!.lastScanResult!
  return { registry, world, event, announce, latest, result }
}

test('IM-066 the tag of an event resolves the policy with one HEAD of its manifest, and no list', async () => {
  const { registry, world, announce, latest, result } = await opened()
  const before = await result()
  await registry.push(image, 'app', '1.1.0')
  registry.requests()
  await announce('1.1.0')
  assert.deepEqual(registry.requests(), ['HEAD /v2/app/manifests/1.1.0'])
  assert.equal(await latest(), '1.1.0')
  const after = await result()
  assert.deepEqual([after.tagCount, after.latestTags], [2, ['1.1.0', '1.0.0']])
  assert.equal(after.scanTime, before.scanTime, 'the time of the last list')

  // A scan finds the same: there is nothing to do for the policy.
  const passes = world.passes.length
  await world.request('ImageRepository', 'app', 'now')
  assert.deepEqual(registry.requests(), ['GET /v2/app/tags/list?n=1000'])
  assert.equal((await result()).revision, after.revision)
  assert.deepEqual(
    world.passes.slice(passes).map(({ ref }) => ref.kind),
    ['ImageRepository'],
  )

  await announce('1.1.0')
  assert.deepEqual(registry.requests(), [], 'a tag that is known')
  await announce()
  assert.deepEqual(registry.requests(), ['GET /v2/app/tags/list?n=1000'], 'an event without a tag')
})

test('IM-066 a forged event puts no tag into a policy', async () => {
  const { registry, announce, latest, result } = await opened()
  const before = await result()
  await announce('9.9.9')
  const requests = registry.requests()
  assert.deepEqual(requests.at(-1), 'GET /v2/app/tags/list?n=1000', 'the list is the truth')
  assert.equal(await latest(), '1.0.0')
  assert.equal((await result()).revision, before.revision)
  for (const path of ['../../other/manifests/1.0.0', '..', 'a/b', '1.0.0?x', digest]) {
    await announce(path)
    assert.deepEqual(registry.requests(), ['GET /v2/app/tags/list?n=1000'], path)
  }
  assert.equal(await latest(), '1.0.0')
})

test('IM-066 tags that an ImageRepository excludes stay out, and those of several events are all looked up', async () => {
  const { registry, world, event, latest, result } = await opened()
  await registry.push(image, 'app', '1.1.0', '1.2.0', '1.2.0.sig')
  registry.requests()
  for (const tag of ['1.2.0.sig', '1.2.0', '1.1.0']) await event(tag)
  await world.settle()
  assert.deepEqual(registry.requests().sort(), [
    'HEAD /v2/app/manifests/1.1.0',
    'HEAD /v2/app/manifests/1.2.0',
    'HEAD /v2/app/manifests/1.2.0.sig',
  ])
  assert.equal(await latest(), '1.2.0')
  assert.deepEqual((await result()).latestTags, ['1.2.0', '1.1.0', '1.0.0'])
})

test('IM-066 a request for all tags stays one for all, whatever is announced before and after', async () => {
  const { registry, world, event } = await opened()
  const annotate = (value: string) =>
    world.hub.patch(
      refOf('ImageRepository', 'app'),
      { type: 'merge', patch: { metadata: { annotations: { 'reconcile.fluxcd.io/requestedAt': value } } } },
      { fieldManager: 'flux' },
    )
  const list = ['GET /v2/app/tags/list?n=1000']
  await event('1.1.0')
  await annotate('now')
  await world.settle()
  assert.deepEqual(registry.requests(), list)
  await annotate('again')
  await event('1.1.0')
  await world.settle()
  assert.deepEqual(registry.requests(), list)
  // More events than one request holds.
  for (let at = 0; at < 11; at++) await event(`2.0.${at}`)
  await world.settle()
  assert.deepEqual(registry.requests(), list)
})

test('IM-066 events do not put off the list of all tags, which removes what the registry has no more', async () => {
  const { registry, world, announce, result } = await opened()
  // At rest, scans store no time: the visit knows it.
  await world.advance(61 * minute)
  const lists = () => registry.requests().filter(line => line.includes('/tags/list')).length
  lists()
  for (let at = 1; at <= 9; at++) {
    await registry.push(image, 'app', `1.${at}.0`)
    await announce(`1.${at}.0`)
    await world.advance(3 * minute)
  }
  const count = lists()
  assert.ok(count >= 2 && count <= 4, `${count} lists in 27 minutes, every 10`)
  assert.equal((await result()).tagCount, 10)
})

test('IM-066 a webhook of a registry announces the tags of its image, and of no other', async () => {
  const { registry, world, latest } = await opened()
  await registry.push(image, 'other', '3.0.0')
  await world.repository('other', { image: `${registry.server.host}/other` })
  await registry.push(image, 'app', '1.1.0')
  registry.requests()
  const target = { action: 'push', target: { repository: 'app', tag: '1.1.0', digest } }
  const payload = { events: [{ ...target, request: { host: registry.server.host } }] }
  const receiver = {
    ...{ apiVersion: 'notification.toolkit.fluxcd.io/v1', kind: 'Receiver' },
    metadata: { name: 'hook', namespace: 'default' },
    spec: {
      ...{ type: 'generic', secretRef: { name: 'token' } },
      resources: ['app', 'other'].map(name => ({ kind: 'ImageRepository', name })),
    },
  }
  const { triggered, problems } = await triggerTargets(
    world.ports,
    receiver as never,
    { accepts: () => true, push: readPush(payload) },
    false,
  )
  assert.deepEqual([triggered.length, problems], [2, []])
  await world.settle()
  assert.deepEqual(registry.requests().sort(), ['GET /v2/other/tags/list?n=1000', 'HEAD /v2/app/manifests/1.1.0'])
  assert.equal(await latest(), '1.1.0')
})
