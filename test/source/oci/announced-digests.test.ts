import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announcedVersionFor, requestReconciliation } from '../../../lib/signals/webhook/reconcile-request.ts'
import { filesLayer, openOciWorld, openRegistry, refOf } from './oci-world.ts'

const opened = async () => {
  const [registry, world] = [await openRegistry(), await openOciWorld()]
  const push = (content: string, tag = 'latest') =>
    registry.push({ layers: [filesLayer({ 'a.yaml': content })] }, 'app', tag)
  const first = await push('1')
  await world.applies('app', { url: registry.url('app'), ref: { tag: 'latest' } })
  registry.requests()
  /** A webhook's part. */
  const announce = async (digest: string) => {
    const source = (await world.hub.get<never>(refOf('app')))!
    const announced = announcedVersionFor(source, new Map([['latest', digest]]))
    const ports = { hub: world.hub, clock: world.clock, random: { ...world.platform.random, uuid: () => '' } }
    await requestReconciliation(ports as never, refOf('app'), { user: 'Receiver default/hook', announced })
    await world.settle()
  }
  const held = async () => (await world.statusOf('app'))?.artifact?.revision
  return { registry, world, push, first, announce, held }
}

test('fetches the digest that an event names while it resolves the tag, each once', async () => {
  const { registry, push, announce, held } = await opened()
  const digest = await push('2')
  registry.requests()
  await announce(digest)
  assert.equal(await held(), `latest@${digest}`)
  const manifests = registry.requests().filter(request => request.includes('/manifests/'))
  assert.deepEqual(manifests.sort(), [`GET /v2/app/manifests/${digest}`, 'HEAD /v2/app/manifests/latest'])
})

test('moves nowhere by itself: not to another tag, nor back', async () => {
  const { push, first, announce, held } = await opened()
  const other = await push('other', 'other')
  for (const forged of [other, `sha256:${'f'.repeat(64)}`]) {
    await announce(forged)
    assert.equal(await held(), `latest@${first}`)
  }
  const second = await push('2')
  await announce(second)
  await announce(first)
  assert.equal(await held(), `latest@${second}`)
})

test('a registry that lags behind is polled again soon', async () => {
  const { push, world, first, announce, held } = await opened()
  const second = await push('2', 'elsewhere')
  await announce(second)
  assert.equal(await held(), `latest@${first}`)
  assert.equal(await push('2'), second)
  await world.advance(5_000)
  assert.equal(await held(), `latest@${second}`)
})
