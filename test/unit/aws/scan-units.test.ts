/** What a scan of an image costs on AWS, in write units of the table as it bills them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { awsPrices } from '../../../lib/foundations/fleet/aws-prices.ts'
import type { ImageRepository } from '../../../lib/foundations/kinds/image-repository.ts'
import { imageRepositoryReconciler } from '../../../lib/reconcile/image-repository/image-repository.ts'
import { tagLists } from '../../../lib/reconcile/image-repository/tag-lists.ts'
import { defaultLoopSettings } from '../../../lib/reconcile/runtime/loop.ts'
import type { OciSession } from '../../../lib/sources/oci/oci-client.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { openWorld } from '../reconcile/world.ts'

const ref = { group: 'image.toolkit.fluxcd.io', kind: 'ImageRepository', namespace: 'default', name: 'app' }

const repository = {
  ...{ apiVersion: 'image.toolkit.fluxcd.io/v1', kind: 'ImageRepository' },
  metadata: { name: 'app', namespace: 'default' },
  spec: { image: 'ghcr.io/org/app', interval: '10m' },
}

test('a scan that finds nothing new costs the write of its visit, and its time is stored every six hours', async t => {
  const dynamo = simulatedDynamo()
  let scans = 0
  const tags = Array.from({ length: 1000 }, (_, at) => `1.${at}.0`)
  const session = {
    tags: async () => {
      scans++
      return tags
    },
    close: async () => {},
  } as unknown as OciSession
  const world = await openWorld(
    ports => [
      imageRepositoryReconciler({
        ...ports,
        tags: tagLists(ports.artifacts),
        oci: { open: () => session },
        cloudAccess: () => assert.fail('no cloud is asked'),
        visitedAt: () => assert.fail('nothing is announced'),
      }),
    ],
    {
      momentMs: defaultLoopSettings.momentMs,
      through: platform => {
        const store = simulatedStore(dynamo, platform.clock)
        return { ...platform, ...store, schedule: { ...platform.schedule, ...store.schedule } }
      },
    },
  )
  endWithTest({ [Symbol.asyncDispose]: world.close })
  const scanTime = async () => (await world.hub.get<ImageRepository>(ref))?.status?.lastScanResult?.scanTime
  await world.hub.create(repository, { fieldManager: 'author' })
  await world.settle()
  await world.advance(11 * 60_000)
  assert.equal(scans, 2)
  const before = await scanTime()
  dynamo.takeUnits()
  await world.advance(11 * 60_000)
  const { write } = dynamo.takeUnits()
  assert.equal(scans, 3)
  assert.equal(await scanTime(), before)
  // The record of the visit, which it shares with the other images of its registry, and its place in the index of what is due: 1 and 2.
  assert.equal(write, 3)
  const aMonth = 1000 * 6 * 730 * write * awsPrices.writeUnit
  t.diagnostic(
    `1,000 ImageRepositories of 1,000 visits, every 10 minutes: ${aMonth.toFixed(2)} dollars a month of write units`,
  )

  await world.advance(6 * 60 * 60_000)
  assert.ok(scans > 30, `${scans} scans`)
  const age = world.clock.now() - Date.parse((await scanTime())!)
  assert.ok(age < 30 * 60_000, `the time of the last scan is ${age} ms old`)
})
