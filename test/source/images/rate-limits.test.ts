import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ImageRepository } from '../../../lib/foundations/kinds/image-repository.ts'
import { dockerConfig, filesLayer, openRegistry } from '../oci/oci-world.ts'
import { type ImageWorld, minute, openImageWorld } from './image-world.ts'

const pushed = { layers: [filesLayer({ 'a.yaml': 'a: 1' })] }
const statusOf = async (world: ImageWorld, name: string) =>
  (await world.get<ImageRepository>('ImageRepository', name))!.status!

test('IM-071: a registry that limits the rate is left alone for as long as it says', async () => {
  const registry = await openRegistry()
  let refusals = 0
  registry.server.intercept = ({ url = '' }, response) => {
    if (!url.includes('/tags/list')) return false
    refusals += 1
    response.writeHead(429, { 'retry-after': '600' }).end()
    return true
  }
  const world = await openImageWorld()
  await world.repository('app', { image: `${registry.server.host}/app`, interval: '1m' })
  const atFirst = refusals
  await world.advance(5 * minute)
  assert.equal(refusals, atFirst)
  assert.match((await world.conditions('ImageRepository', 'app')).join(), /Ready=False ReadOperationFailed: .* 429/)

  // Other images of the registry wait, too, and are not told which one it was; those with other credentials do not.
  await world.repository('other', { image: `${registry.server.host}/other`, interval: '1m' })
  await world.advance(2 * minute)
  assert.equal(refusals, atFirst)
  const waiting = (await world.conditions('ImageRepository', 'other')).join()
  assert.match(waiting, /Ready=False ReadOperationFailed: scan failed: the registry 127\.0\.0\.1:\d+ limits the rate/)
  assert.doesNotMatch(waiting, /\/app/)
  const login = { [registry.server.host]: { username: 'reader', password: 'secret' } }
  await world.create('Secret', 'login', dockerConfig(login))
  const image = `${registry.server.host}/another`
  await world.repository('another', { image, interval: '1m', secretRef: { name: 'login' } })
  assert.ok(refusals > atFirst)

  registry.server.intercept = () => false
  await registry.push(pushed, 'other', '1.0.0')
  await world.advance(10 * minute)
  assert.equal((await statusOf(world, 'other')).lastScanResult!.tagCount, 1)
})
