import { parseArgs } from 'node:util'
import { awsPrices as price } from '../../lib/foundations/fleet/aws-prices.ts'
import type { Units } from '../bed/aws/simulated-dynamo.ts'
import { columns, costOf, fixedCosts, minutesAMonth, total } from './aws-cost/prices.ts'
import { type SimulatedFleet, startSimulatedFleet, type UnitKind } from './aws-cost/simulated-fleet.ts'
import { nothing, sum, times, timesByFunction, type Usage, type UsageByFunction } from './aws-cost/usage.ts'
import { appFiles } from './mttp-objects.ts'
import { table } from './table.ts'

export const description = 'what a month of a hub on AWS costs: the functions, metered, x list prices'

const usage = `npm run bench -- aws-cost [--sample 8] [--per-cluster 20] [--interval 10] [--pushes 100] [--units Kustomization]

  --sample       clusters that are measured
  --per-cluster  units of each
  --interval     minutes between two looks at each of them, and at one repository for each cluster
  --pushes       pushes a day, each of which changes all Kustomizations of one cluster
  --units        HelmRelease: releases in their place, with drift detection, each of a chart in the repository; at rest only`

/** An hour has all that a tick does now and then. */
const minutesAtRest = 60

/** Fleets whose month is told. */
const fleets = [100, 1000]

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sample: { type: 'string', default: '8' },
      'per-cluster': { type: 'string', default: '20' },
      interval: { type: 'string', default: '10' },
      pushes: { type: 'string', default: '100' },
      units: { type: 'string', default: 'Kustomization' },
      help: { type: 'boolean', default: false },
    },
  })
  const { units } = values
  if (values.help || (units !== 'Kustomization' && units !== 'HelmRelease')) return console.log(usage)
  const scene: Scene = {
    units,
    clusters: Number(values.sample),
    perCluster: Number(values['per-cluster']),
    intervalMinutes: Number(values.interval),
    repositories: Math.max(100, Number(values.sample)),
  }
  const fleet = await startSimulatedFleet(scene)
  const measured = await measure(fleet, scene)
  await fleet.close()
  report(measured, scene, Number(values.pushes))
  process.exit() // the functions keep connections to the cluster
}

interface Scene {
  readonly units: UnitKind
  readonly clusters: number
  readonly perCluster: number
  readonly intervalMinutes: number
  readonly repositories: number
}

interface Measured {
  /** An hour of a hub without a fleet, and of one that has its repositories only. */
  readonly empty: UsageByFunction
  readonly sources: UsageByFunction
  /** The fleet at rest. */
  readonly rest: {
    readonly usage: UsageByFunction
    readonly looks: ReadonlyMap<string, number>
    readonly calls: ReadonlyMap<string, readonly number[]>
  }
  readonly pushes?: MeasuredPushes
  /** Units of the table by the sort of item, at rest. */
  readonly bySort: UnitsBySort
  readonly tableBytes: number
  /** Objects in the bucket: a list tells of a thousand. */
  readonly bucketObjects: number
  readonly metrics: number
}

/** A push that changes one Kustomization of a cluster, and one that changes all of them. */
interface MeasuredPushes {
  readonly ofOne: UsageByFunction
  readonly ofAll: UsageByFunction
  /** Units of the table by the sort of item, of the first. */
  readonly bySortOfOne: UnitsBySort
}

type UnitsBySort = ReadonlyMap<string, Units>

async function measure(fleet: SimulatedFleet, scene: Scene): Promise<Measured> {
  const { functions } = fleet
  const units = scene.clusters * scene.perCluster
  await fleet.pass(1) // prepares the hub
  functions.takeUsage()
  await fleet.pass(minutesAtRest)
  const empty = functions.takeUsage()

  const settled = Math.ceil(2.5 * scene.intervalMinutes) // by then all are visited in step
  const rounds = Math.floor(minutesAtRest / (1.2 * scene.intervalMinutes))
  await fleet.fillSources()
  await fleet.pass(settled)
  functions.takeUsage()
  functions.takeLooks()
  await fleet.pass(minutesAtRest)
  const sources = functions.takeUsage()
  requireLooks(functions.takeLooks(), 'GitRepository done', scene.repositories * rounds)

  await fleet.fillClusters()
  await fleet.pass(3)
  requireAll('applied', await fleet.present(), units)
  await fleet.pass(settled)
  functions.takeUsage()
  functions.takeLooks()
  functions.takeCalls()
  const bySort = await unitsBySort(fleet, () => fleet.pass(minutesAtRest))
  const rest = { usage: functions.takeUsage(), looks: functions.takeLooks(), calls: functions.takeCalls() }
  requireLooks(rest.looks, `${scene.units} done`, units * rounds)
  requireLooks(rest.looks, 'GitRepository done', scene.repositories * rounds)

  // That each of them is looked at, by the cluster's word.
  await fleet.drift()
  requireAll('left after the drift', await fleet.present(), 0)
  await fleet.pass(Math.ceil(1.2 * scene.intervalMinutes) + 1)
  requireAll('corrected', await fleet.present(), units)
  await fleet.pass(settled)
  const pushes =
    scene.units === 'Kustomization' ? await measurePushes(fleet, scene, { settled, rest, bySort }) : undefined
  functions.takeLooks()
  return {
    empty,
    sources,
    rest,
    ...(pushes && { pushes }),
    bySort,
    tableBytes: fleet.dynamo.size(),
    bucketObjects: await fleet.bucketObjects(),
    metrics: functions.metrics.size,
  }
}

interface AtRest extends Pick<Measured, 'rest' | 'bySort'> {
  /** Minutes after which all is at rest again. */
  readonly settled: number
}

async function measurePushes(
  fleet: SimulatedFleet,
  scene: Scene,
  { settled, rest, bySort }: AtRest,
): Promise<MeasuredPushes> {
  const { functions } = fleet
  // Until all is at rest again, less what that time costs at rest.
  const push = async (files: Record<string, string>): Promise<UsageByFunction> => {
    await fleet.settle(5)
    await fleet.push(files)
    functions.takeUsage()
    await fleet.request()
    await fleet.settle(5)
    await fleet.pass(settled)
    const used = functions.takeUsage()
    return less(used, timesByFunction(settled / minutesAtRest, rest.usage))
  }
  const changed = appFiles('mono', scene.perCluster, '1') as Record<string, string>
  const ofFirst = Object.fromEntries(Object.entries(changed).filter(([path]) => path.startsWith('apps/app-000/')))
  let ofOne: UsageByFunction = {}
  const all = await unitsBySort(fleet, async () => {
    ofOne = await push(ofFirst)
  })
  const restOf = (sort: string): Units => bySort.get(sort) ?? { read: 0, write: 0 }
  const share = settled / minutesAtRest
  const bySortOfOne = new Map(
    [...all].map(([sort, { read, write }]) => [
      sort,
      { read: Math.round(read - share * restOf(sort).read), write: Math.round(write - share * restOf(sort).write) },
    ]),
  )
  const ofAll = await push(appFiles('mono', scene.perCluster, '2') as Record<string, string>)
  return { ofOne, ofAll, bySortOfOne }
}

/** By function, what of one is beyond another. */
const less = (usage: UsageByFunction, other: UsageByFunction): UsageByFunction =>
  Object.fromEntries(Object.entries(usage).map(([name, used]) => [name, sum(used, times(-1, other[name] ?? nothing))]))

/** What the table bills for a piece of work. */
async function unitsBySort(fleet: SimulatedFleet, work: () => Promise<void>): Promise<UnitsBySort> {
  const bySort = new Map<string, Units>()
  fleet.dynamo.onUnits = ({ partition, read, write }) => {
    const sort = sortOf(partition)
    const before = bySort.get(sort) ?? { read: 0, write: 0 }
    bySort.set(sort, { read: before.read + read, write: before.write + write })
  }
  await work()
  fleet.dynamo.onUnits = undefined
  return bySort
}

/** `head#Kustomization.kustomize.toolkit.fluxcd.io#3` is the sort `head Kustomization`. */
const sortOf = (partition: string): string => {
  const [what, of] = partition.split('#')
  return ['due', 'overflow', 'referrers', 'runs'].includes(what!) ? what! : `${what} ${of?.split('.')[0]}`
}

function requireAll(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${found} objects are ${what}, not ${expected}: a look did not happen`)
}

function requireLooks(looks: ReadonlyMap<string, number>, what: string, least: number): void {
  const found = looks.get(what) ?? 0
  if (found < least)
    throw new Error(`${found} looks ended as "${what}", not ${least}; there were: ${JSON.stringify([...looks])}`)
}

function report(measured: Measured, scene: Scene, pushesADay: number): void {
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

function reportUnits(what: string, bySort: UnitsBySort): string {
  const sorts = [...bySort].sort(([, a], [, b]) => b.write + b.read / 5 - a.write - a.read / 5)
  return table(
    [what, 'read', 'write'],
    sorts.map(([sort, { read, write }]) => [sort, read, write]),
  )
}

function reportUsage(what: string, usages: UsageByFunction): string {
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
  const { empty, sources, rest } = measured
  const scale = clusters / scene.clusters
  const perMonth = minutesAMonth / minutesAtRest
  const tick = (usage: UsageByFunction): Usage => ({ ...usage.tick!, s3Lists: 0 })
  const less = (usage: Usage, other: Usage) => sum(usage, times(-1, other))
  // The sources of a host are visited in some groups, however many they are: the tick calls as many, and what visits them grows.
  const ofTick = sum(empty.tick!, less(tick(sources), tick(empty)), times(scale, less(tick(rest.usage), tick(sources))))
  const { source = nothing, tick: _, ...others } = rest.usage
  // What lists the bucket does so once an hour, a thousand objects at a time.
  const lists = { ...nothing, s3Lists: Math.floor((measured.bucketObjects * scale) / 1000) }
  // The charts of releases grow with the clusters, repositories with their own number.
  const ofRepositories = sources.source ?? nothing
  const ofSources = sum(
    times(clusters / scene.repositories, ofRepositories),
    times(scale, less(source, ofRepositories)),
  )
  const atRest = timesByFunction(perMonth, {
    tick: sum(ofTick, lists),
    source: ofSources,
    ...timesByFunction(scale, others),
  })
  const pushed = sum(...Object.values(timesByFunction((pushesADay * 365) / 12, measured.pushes?.ofAll ?? {})))
  const storage = (measured.tableBytes * scale * price.tableGbMonth) / 1e9
  const rows: (readonly [string, readonly number[]])[] = [
    ...Object.entries(atRest).map(([name, used]) => [`${name}, at rest`, costOf(used)] as const),
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
  const fixed = fixedCosts(measured.metrics)
  const fixedSum = total([...fixed.values()])
  if (clusters === fleets[0])
    console.log(
      `\nand for any hub, however small: ${[...fixed].map(([what, cost]) => `${what} ${cost.toFixed(2)}`).join(', ')}: ${fixedSum.toFixed(2)}`,
    )
  return `${clusters} x ${scene.perCluster}: $${total(all).toFixed(2)} a month, and $${fixedSum.toFixed(2)} for any hub`
}
