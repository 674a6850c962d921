import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import type { Units } from '../bed/aws/simulated-dynamo.ts'
import { type Measured, type MeasuredPushes, minutesAtRest, type Scene, type UnitsBySort } from './aws-cost/measured.ts'
import { report } from './aws-cost/report.ts'
import { measureRunner, reportRunner } from './aws-cost/runner-at-rest.ts'
import { type SimulatedFleet, startSimulatedFleet } from './aws-cost/simulated-fleet.ts'
import { unitsBySort } from './aws-cost/units-by-sort.ts'
import { less, timesByFunction, type UsageByFunction } from './aws-cost/usage.ts'
import { appFiles } from './mttp-objects.ts'

export const description = 'what a month of a hub on AWS costs: the functions, metered, x list prices'

const usage = `npm run bench -- aws-cost [--sample 8] [--per-cluster 20] [--interval 10] [--pushes 100] [--units Kustomization]

  --sample       clusters that are measured
  --per-cluster  units of each
  --interval     minutes between two looks at each of them, and at one repository for each cluster
  --pushes       pushes a day, each of which changes all Kustomizations of one cluster
  --units        HelmRelease: releases in their place, with drift detection, each of a chart in the repository; at rest only
  --runner       a runner at rest only, for a day`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sample: { type: 'string', default: '8' },
      'per-cluster': { type: 'string', default: '20' },
      interval: { type: 'string', default: '10' },
      pushes: { type: 'string', default: '100' },
      units: { type: 'string', default: 'Kustomization' },
      runner: { type: 'boolean', default: false },
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
  if (values.runner) {
    await fleet.pass(1) // prepares the hub
    console.log(reportRunner(await measureRunner(fleet)))
    process.exit()
  }
  const measured = await measure(fleet, scene)
  await fleet.close()
  report(measured, scene, Number(values.pushes))
  // In a hub of its own, for which it needs a process: the functions are loaded once.
  const runner = spawnSync(process.execPath, [process.argv[1]!, 'aws-cost', '--runner', '--sample', '1'], inherit)
  if (runner.status !== 0) throw new Error('the cost of a runner was not measured')
  process.exit() // the functions keep connections to the cluster
}

const inherit = { stdio: 'inherit' } as const

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
  const probed = await measureProbes(fleet, scene, { settled, rounds })

  // That each of them is looked at, by the cluster's word.
  await fleet.drift()
  requireAll('left after the drift', await fleet.present(), 0)
  await fleet.pass(Math.ceil(1.2 * scene.intervalMinutes) + 1)
  requireAll('corrected', await fleet.present(), units)
  await fleet.pass(settled)
  const pushes = scene.units === 'Kustomization' ? await measurePushes(fleet, scene, { settled, ...probed }) : undefined
  functions.takeLooks()
  return {
    empty,
    sources,
    rest,
    probed,
    ...(pushes && { pushes }),
    bySort,
    tableBytes: fleet.dynamo.size(),
    bucketObjects: await fleet.bucketObjects(),
    metrics: functions.metrics.size,
  }
}

interface Pace {
  /** Minutes after which all is at rest again. */
  readonly settled: number
  /** Looks that each object has in the time that is measured. */
  readonly rounds: number
}

async function measureProbes(
  fleet: SimulatedFleet,
  scene: Scene,
  { settled, rounds }: Pace,
): Promise<Measured['probed']> {
  const { functions } = fleet
  await fleet.declareClusters()
  await fleet.pass(settled)
  functions.takeUsage()
  functions.takeLooks()
  const bySort = await unitsBySort(fleet, () => fleet.pass(minutesAtRest))
  const usage = functions.takeUsage()
  requireLooks(functions.takeLooks(), 'Cluster done', scene.clusters * rounds)
  await fleet.ageContacts()
  functions.takeUsage()
  await fleet.pass(settled)
  const contacts = less(functions.takeUsage(), timesByFunction(settled / minutesAtRest, usage))
  requireAll('Clusters seen again', await fleet.recentContacts(), scene.clusters)
  return { usage, bySort, contacts }
}

type AtRest = Pick<Measured['probed'], 'usage' | 'bySort'> & Pick<Pace, 'settled'>

async function measurePushes(
  fleet: SimulatedFleet,
  scene: Scene,
  { settled, usage, bySort }: AtRest,
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
    return less(functions.takeUsage(), timesByFunction(settled / minutesAtRest, usage))
  }
  const changed = appFiles('mono', scene.perCluster, '1') as Record<string, string>
  const ofFirst = Object.fromEntries(Object.entries(changed).filter(([path]) => path.startsWith('apps/app-000/')))
  const restOf = (sort: string): Units => bySort.get(sort) ?? { read: 0, write: 0 }
  const share = settled / minutesAtRest
  const pushOf = async (files: Record<string, string>) => {
    let usage: UsageByFunction = {}
    const all = await unitsBySort(fleet, async () => {
      usage = await push(files)
    })
    const units: UnitsBySort = new Map(
      [...all].map(([sort, { read, write }]) => [
        sort,
        { read: Math.round(read - share * restOf(sort).read), write: Math.round(write - share * restOf(sort).write) },
      ]),
    )
    return { usage, units }
  }
  const one = await pushOf(ofFirst)
  const all = await pushOf(appFiles('mono', scene.perCluster, '2') as Record<string, string>)
  return { ofOne: one.usage, bySortOfOne: one.units, ofAll: all.usage, bySortOfAll: all.units }
}

function requireAll(what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${found} objects are ${what}, not ${expected}: a look did not happen`)
}

function requireLooks(looks: ReadonlyMap<string, number>, what: string, least: number): void {
  const found = looks.get(what) ?? 0
  if (found < least)
    throw new Error(`${found} looks ended as "${what}", not ${least}; there were: ${JSON.stringify([...looks])}`)
}
