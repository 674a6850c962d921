import { awsPrices as price } from '../../../lib/foundations/fleet/aws-prices.ts'
import { trimmed, trimmedFormat } from '../../../lib/foundations/fleet/trimmed.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { fleetIndex } from '../../../lib/hub/apiserver/fleet/fleet-index.ts'
import { storedIndex } from '../../../lib/hub/apiserver/fleet/stored-index.ts'
import { fleetKinds } from '../../../lib/hub/apiserver/fleet/visible-fleet.ts'
import type { Hub } from '../../../lib/hub/store/hub.ts'
import type { AwsPlatform } from '../../../lib/platform/adapters/aws/aws-platform.ts'
import { table } from '../table.ts'

/** Requests to the bucket that a record takes if it is large: its body is put, or got. All are counted as such. */
const s3 = { put: price.s3Put, get: price.s3Get }

/** What storing the fleet's index and beginning with it cost, beside reading all objects: a table in dollars for a million times. */
export const indexCost = async (hub: Hub, { objects, clock, consumed }: AwsPlatform): Promise<string> => {
  const log = { info: () => {}, error: (message: string) => console.error(message) }
  const newIndex = () =>
    fleetIndex(hub, trimmed, { stored: storedIndex<KubernetesObject>({ objects, log }, trimmedFormat), clock })
  const measured = async (what: string, work: () => Promise<number>, s3Request = 0) => {
    const before = { ...consumed() }
    const times = await work()
    const [reads, writes] = [consumed().readUnits - before.readUnits, consumed().writeUnits - before.writeUnits]
    const dollars = reads * price.readUnit + writes * price.writeUnit + times * s3Request
    return [what, Math.round(reads), Math.round(writes), times, (dollars * 1e6).toFixed(2)] as const
  }
  const whole = newIndex()
  const read = async (index: typeof whole, stored: number): Promise<number> => {
    for (const kind of fleetKinds) await index.read(kind)
    return stored
  }
  const storedBy = async (index: typeof whole): Promise<number> => (await index.store(fleetKinds)).length
  let stored = 0
  const rows = [
    await measured('reading all objects', () => read(whole, 0)),
    await measured('storing the index', async () => (stored = await storedBy(whole)), s3.put),
    await measured('beginning with it', () => read(newIndex(), stored), s3.get),
    await measured('a call of the schedule without changes', () => storedBy(whole), s3.put),
  ]
  return table(['', 'read units', 'write units', 'requests to S3, at most', 'dollars for a million, at most'], rows)
}
