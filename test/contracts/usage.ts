import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { noUsage } from '../../lib/foundations/rules/usage.ts'
import { dayOf } from '../../lib/platform/ports/usage.ts'
import { type OpenStoreWorld, within } from './store-world.ts'

/** What every platform must do with the sums of what passes use. */
export function describeUsage(name: string, open: OpenStoreWorld): void {
  describe(`usage: ${name}`, () => {
    test(
      'is summed by namespace, cluster and day, and read from a day on',
      within(open, async ({ usage, clock, reopen }) => {
        const [yesterday, today] = [dayOf(clock.now() - 86_400_000), dayOf(clock.now())]
        const used = {
          ...noUsage,
          passes: 1,
          ms: 12.5,
          requests: 3,
          bytes: 1000,
          readUnits: 0.5,
          writeUnits: 2,
          gbMs: 9,
        }
        const place = { namespace: 'apps', cluster: 'Secret/apps/prod', day: today }
        await Promise.all(Array.from({ length: 5 }, () => usage.add(place, used)))
        await usage.add({ ...place, day: yesterday }, used)
        await usage.add({ ...place, cluster: 'hub' }, { ...noUsage, passes: 7 })
        await usage.add({ ...place, namespace: 'apps-2' }, used)
        const sums = {
          ...{ passes: 5, ms: 62.5, requests: 15, bytes: 5000, readUnits: 2.5, writeUnits: 10, gbMs: 45 },
        }
        const { usage: again } = await reopen()
        const read = async (since: string) =>
          (await again.read('apps', since)).toSorted((a, b) => (a.day + a.cluster < b.day + b.cluster ? -1 : 1))
        assert.deepEqual(await read(today), [
          { ...place, ...sums },
          { ...place, cluster: 'hub', ...noUsage, passes: 7 },
        ])
        assert.deepEqual((await read(yesterday))[0], { ...place, day: yesterday, ...used })
        assert.deepEqual(await again.read('others', yesterday), [])
        assert.ok(Number.isInteger(usage.checksPerRecord) && usage.checksPerRecord >= 1)
      }),
    )
  })
}
