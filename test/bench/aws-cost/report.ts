import { awsPrices as price } from '../../../lib/foundations/fleet/aws-prices.ts'
import { table } from '../table.ts'
import { type Measured, minutesAtRest, type Scene, type UnitsBySort } from './measured.ts'
import { columns, costOf, fixedCosts, minutesAMonth, total } from './prices.ts'
import { less, nothing, sum, times, timesByFunction, type Usage, type UsageByFunction } from './usage.ts'

/** Fleets whose month is told. */
const fleets = [100, 1000]

const daysAMonth = 365 / 12
/** How often a day the status of a Cluster tells when it was seen last: see steady-status.ts. */
const contactsADay = 4

export function report(measured: Measured, scene: Scene, pushesADay: number): void {
  const { clusters, perCluster, intervalMinutes } = scene
  const { rest, pushes } = measured
  console.log(
    `\nMeasured: ${clusters} clusters x ${perCluster} ${scene.units}s of two objects, and ${scene.repositories} repositories, looked at every ${intervalMinutes} minutes\n`,
  )
  console.log(
    reportUsage(
      `${minutesAtRest} minutes at rest (${[...rest.looks].map(([what, n]) => `${n} ${what}`).join(', ')})`,
      rest.usage,
    ),
  )
  const looks = rest.looks.get(`${scene.units} done`)!
  const perLook = sum(...Object.entries(rest.usage).flatMap(([name, used]) => (name === 'source' ? [] : [used])))
  console.log(
    `\nA look at an unchanged ${scene.units}, its share of visits and ticks: ${(perLook.writeUnits / looks).toFixed(2)} write units, ` +
      `${(perLook.readUnits / looks).toFixed(2)} read units, ${((perLook.gbSeconds * 1000) / looks).toFixed(1)} MB-seconds, ` +
      `${Math.round(perLook.logBytes / looks)} bytes of logs\n`,
  )
  const stage = scene.units === 'Kustomization' ? 'apply' : 'helmrelease'
  const visits = [...(rest.calls.get(stage) ?? [])].sort((a, b) => a - b)
  const [fast, median] = [visits[Math.floor(visits.length / 10)]!, visits[Math.floor(visits.length / 2)]!]
  console.log(
    `A visit of ${perCluster}: ${median.toFixed(2)} GB-seconds (median), ${fast.toFixed(2)} in the fastest tenth: the cluster is real, and waits for processors as well\n`,
  )
  console.log(reportUnits('units at rest, by item', measured.bySort))
  if (pushes) {
    const until = 'until all is at rest again'
    console.log(`\n${reportUsage(`a push that changes 1 of ${perCluster}, ${until}`, pushes.ofOne)}\n`)
    console.log(`${reportUnits(`units of a push that changes 1 of ${perCluster}, by item`, pushes.bySortOfOne)}\n`)
    console.log(reportUsage(`a push that changes all ${perCluster}, ${until}`, pushes.ofAll))
  }
  const ends = fleets.map(count => reportMonth(measured, scene, count, pushesADay))
  console.log('')
  for (const end of ends) console.log(end)
}

export function reportUnits(what: string, bySort: UnitsBySort): string {
  const sorts = [...bySort].sort(([, a], [, b]) => b.write + b.read / 5 - a.write - a.read / 5)
  return table(
    [what, 'read', 'write'],
    sorts.map(([sort, { read, write }]) => [sort, read, write]),
  )
}

export function reportUsage(what: string, usages: UsageByFunction): string {
  const row = (name: string, used: Usage) => [
    name,
    Math.round(used.invocations),
    used.gbSeconds.toFixed(2),
    ...[used.readUnits, used.writeUnits, used.s3Gets, used.s3Puts + used.s3Lists, used.sqsRequests].map(Math.round),
    Math.round(used.kmsRequests),
    Math.round(used.logBytes),
  ]
  return table(
    [what, 'calls', 'GB-s', 'read units', 'write units', 'S3 GET', 'S3 PUT', 'SQS', 'KMS', 'log bytes'],
    [...Object.entries(usages).map(([name, used]) => row(name, used)), row('all', sum(...Object.values(usages)))],
  )
}

/** What grows with the fleet, and apart from it what any hub costs; returns the line that sums it up. */
function reportMonth(measured: Measured, scene: Scene, clusters: number, pushesADay: number): string {
  const { empty, sources, rest, probed } = measured
  const scale = clusters / scene.clusters
  const perMonth = minutesAMonth / minutesAtRest
  const tick = (usage: UsageByFunction): Usage => ({ ...usage.tick!, s3Lists: 0 })
  // The sources of a host are visited in some groups, however many they are: the tick calls as many, and what visits them grows.
  const ofTick = sum(
    empty.tick!,
    sum(tick(sources), times(-1, tick(empty))),
    times(scale, sum(tick(rest.usage), times(-1, tick(sources)))),
  )
  const { source = nothing, tick: _, ...others } = rest.usage
  // What lists the bucket does so once an hour, a thousand objects at a time.
  const lists = { ...nothing, s3Lists: Math.floor((measured.bucketObjects * scale) / 1000) }
  // The charts of releases grow with the clusters, repositories with their own number.
  const ofRepositories = sources.source ?? nothing
  const ofSources = sum(
    times(clusters / scene.repositories, ofRepositories),
    times(scale, sum(source, times(-1, ofRepositories))),
  )
  const atRest = timesByFunction(perMonth, {
    tick: sum(ofTick, lists),
    source: ofSources,
    ...timesByFunction(scale, others),
  })
  const pushesAMonth = pushesADay * daysAMonth
  const pushed = sum(...Object.values(timesByFunction(pushesAMonth, measured.pushes?.ofAll ?? {})))
  const probes = sum(
    ...Object.values(timesByFunction(scale * perMonth, less(probed.usage, rest.usage))),
    ...Object.values(timesByFunction(scale * contactsADay * daysAMonth, probed.contacts)),
  )
  const storage = (measured.tableBytes * scale * price.tableGbMonth) / 1e9
  const rows: (readonly [string, readonly number[]])[] = [
    ...Object.entries(atRest).map(([name, used]) => [`${name}, at rest`, costOf(used)] as const),
    ['probes of Clusters', costOf(probes)],
    ...(measured.pushes ? [[`${pushesADay} pushes a day`, costOf(pushed)] as const] : []),
    ['storage of the table', [0, storage, 0, 0, 0, 0]],
  ]
  const all = columns.map((_, at) => total(rows.map(([, costs]) => costs[at]!)))
  const cents = (row: readonly [string, readonly number[]]) => [
    row[0],
    ...[...row[1], total(row[1])].map(value => value.toFixed(2)),
  ]
  console.log(
    `\nUS dollars a month: ${clusters} clusters x ${scene.perCluster} ${scene.units}s, looked at every ${scene.intervalMinutes} minutes\n`,
  )
  console.log(table(['', ...columns, 'all'], [...rows, ['all', all] as const].map(cents)))
  const recordOf = (sort: string): string => {
    const costIn = (units: UnitsBySort | undefined): number => {
      const { read = 0, write = 0 } = units?.get(sort) ?? {}
      return read * price.readUnit + write * price.writeUnit
    }
    const atRest = scale * perMonth * costIn(measured.bySort)
    return (atRest + pushesAMonth * costIn(measured.pushes?.bySortOfAll)).toFixed(2)
  }
  console.log(
    `\nof which the record takes: Runs ${recordOf('runs')}, use by namespace and cluster ${recordOf('usage')}`,
  )
  const fixed = fixedCosts(measured.metrics)
  const fixedSum = total([...fixed.values()])
  if (clusters === fleets[0])
    console.log(
      `\nand for any hub, however small: ${[...fixed].map(([what, cost]) => `${what} ${cost.toFixed(2)}`).join(', ')}: ${fixedSum.toFixed(2)}`,
    )
  return `${clusters} x ${scene.perCluster}: $${total(all).toFixed(2)} a month, and $${fixedSum.toFixed(2)} for any hub`
}
