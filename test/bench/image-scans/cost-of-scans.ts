import assert from 'node:assert/strict'
import type { ImagePolicy } from '../../../lib/foundations/kinds/image-policy.ts'
import { minutesAtRest } from '../aws-cost/measured.ts'
import { columns, costOf, minutesAMonth, total } from '../aws-cost/prices.ts'
import { reportUnits, reportUsage } from '../aws-cost/report.ts'
import { type SimulatedFleet, startSimulatedFleet } from '../aws-cost/simulated-fleet.ts'
import { unitsBySort } from '../aws-cost/units-by-sort.ts'
import { less, sum, timesByFunction } from '../aws-cost/usage.ts'
import { table } from '../table.ts'
import { imageObjects } from './image-objects.ts'
import { listingRegistry } from './listing-registry.ts'

interface Images {
  /** Whose month is told; a tenth of them is measured. */
  readonly repositories: number
  /** Of each. */
  readonly tags: number
  readonly intervalMinutes: number
}

const registryLatencyMs = 100

/** What image repositories at rest cost on AWS: an hour of the functions in virtual time, beyond what a hub without them costs. */
export async function costOfScans({ repositories, tags, intervalMinutes }: Images): Promise<void> {
  const sample = Math.ceil(repositories / 10)
  const registry = await listingRegistry(tags, registryLatencyMs)
  const fleet = await startSimulatedFleet({ clusters: 0, perCluster: 0, repositories: 0, intervalMinutes })
  const { functions } = fleet
  await fleet.pass(1) // prepares the hub
  functions.takeUsage()
  await fleet.pass(minutesAtRest)
  const empty = functions.takeUsage()

  await fill(fleet, sample, `${intervalMinutes}m`, registry.host)
  await fleet.pass(Math.ceil(2.5 * intervalMinutes))
  functions.takeUsage()
  const before = registry.lists()
  const units = await unitsBySort(fleet, () => fleet.pass(minutesAtRest))
  const usage = less(functions.takeUsage(), empty)
  const scans = registry.lists() - before
  const expected = (sample * minutesAtRest) / intervalMinutes
  assert.ok(scans > 0.8 * expected, `${scans} scans in an hour, not ${expected}: they did not happen`)
  await fleet.close()
  await registry[Symbol.asyncDispose]()

  const perScan = sum(...Object.values(usage))
  console.log(`\n${reportUsage(`${scans} scans of ${tags} tags, in an hour`, usage)}`)
  console.log(
    `\nA scan that finds nothing new: ${(perScan.writeUnits / scans).toFixed(1)} write units, ${(perScan.readUnits / scans).toFixed(1)} read units, ` +
      `${((perScan.gbSeconds * 1000) / scans).toFixed(0)} MB-seconds\n`,
  )
  console.log(reportUnits('units of that hour, by item', units))
  const months = timesByFunction((repositories / sample) * (minutesAMonth / minutesAtRest), usage)
  const rows = Object.entries(months).map(([name, used]) => [name, costOf(used)] as const)
  const all = columns.map((_, at) => total(rows.map(([, costs]) => costs[at]!)))
  console.log(`\nUS dollars a month: ${repositories} ImageRepositories, scanned every ${intervalMinutes} minutes\n`)
  console.log(
    table(
      ['', ...columns, 'all'],
      [...rows, ['all', all] as const].map(([name, costs]) => [
        name,
        ...[...costs, total(costs)].map(cost => cost.toFixed(2)),
      ]),
    ),
  )
  process.exit() // the functions keep connections
}

/** Fails if the policies have not chosen a tag after the first scans. */
const fill = async ({ hub, pass }: SimulatedFleet, count: number, interval: string, registry: string) => {
  for (let at = 0; at < count; at++)
    for (const object of imageObjects(at, interval, registry)) await hub.create(object, { fieldManager: 'bench' })
  await hub.settled()
  await pass(3)
  const { items } = await hub.list<ImagePolicy>({ group: 'image.toolkit.fluxcd.io', kind: 'ImagePolicy' })
  const chosen = items.filter(({ status }) => status?.latestRef).length
  assert.equal(chosen, count, `${chosen} of ${count} policies have chosen a tag`)
}
