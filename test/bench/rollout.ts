import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { awsPrices } from '../../lib/foundations/fleet/aws-prices.ts'
import type { EmbeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'
import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../bed/aws/simulated-store.ts'
import { manualClock } from '../contracts/manual-clock.ts'
import { openScene, type Scene, tier } from '../unit/reconcile/rollout/scene.ts'
import { table } from './table.ts'

export const description =
  'a rollout over many simulated clusters in four stages: order, time, and what it takes of the table'

const usage = `npm run bench -- rollout [--clusters 1000] [--per-cluster 20]

  --clusters      of the fleet, half of which are in the last stage
  --per-cluster   Kustomizations of each

Clusters are simulated, and time is virtual: a pass over a unit takes a millisecond, one after the other. Store, loop and Rollouts are the project's
own, over a table in memory that counts the units of DynamoDB.`

const minute = 60_000
const gateMs = 10 * minute
/** Of the clusters, by stage: the rest is the last one. */
const shares = { canary: 0.01, early: 0.09, region: 0.4 } as const

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '1000' },
      'per-cluster': { type: 'string', default: '20' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const tiers = tiersOf(Number(values.clusters))
  const unitsEach = Number(values['per-cluster'])
  const fleet = await openFleet(tiers, unitsEach)
  const { scene, dynamo, rollouts } = fleet
  await reach(scene, 'web-1')
  scene.applied.length = 0
  rollouts.length = 0
  dynamo.takeUnits()
  const [passesBefore, messagesBefore] = [scene.passes.length, scene.sent.messages]
  await scene.publish('v2')
  const publishedAt = scene.clock.now()
  await reach(scene, 'web-2')
  const { stages = [] } = (await scene.run('web-2')).status ?? {}

  requireOrder(scene, tiers, unitsEach)
  const seconds = (from: number, to: number) => Math.round((to - from) / 1000)
  const [region, last] = stages.slice(-2)
  const afterGate = Date.parse(last!.startedAt!) - Date.parse(region!.finishedAt!) - gateMs
  if (!(afterGate < minute)) throw new Error(`the last stage began ${afterGate} ms after its gate`)
  console.log(`the last stage began ${seconds(0, afterGate)} s after its gate had opened\n`)
  console.log(
    table(
      ['stage', 'clusters', 'units', 'began after, s', 'first to last unit, s', 'done after, s'],
      stages.map(({ name, clusters, startedAt, finishedAt }) => {
        const times = scene.applied.filter(({ cluster }) => cluster.startsWith(`${name}-`)).map(({ at }) => at)
        return [
          ...[name, clusters, times.length, seconds(publishedAt, Date.parse(startedAt!))],
          ...[seconds(Math.min(...times), Math.max(...times)), seconds(publishedAt, Date.parse(finishedAt!))],
        ]
      }),
    ),
  )
  const all = dynamo.takeUnits()
  const own = { read: sum(rollouts.map(({ read }) => read)), write: sum(rollouts.map(({ write }) => write)) }
  const row = (what: string, passes: number, { read, write }: { read: number; write: number }) => [
    ...[what, passes, Math.round(read), Math.round(write)],
    (read * awsPrices.readUnit + write * awsPrices.writeUnit).toFixed(3),
  ]
  const unitPasses = scene.passes.length - passesBefore - rollouts.length
  console.log('')
  console.log(
    table(
      ['', 'passes', 'read units', 'write units', 'dollars of the table'],
      [
        row('the Rollout, with its pins', rollouts.length, own),
        row('the units', unitPasses, { read: all.read - own.read, write: all.write - own.write }),
      ],
    ),
  )
  console.log(`\n${scene.sent.messages - messagesBefore} messages for ${unitPasses + rollouts.length} passes`)
  const slowest = Math.max(...rollouts.map(({ ms }) => ms))
  console.log(`slowest pass of the Rollout: ${(slowest / 1000).toFixed(1)} s of this machine`)
  await scene.close()
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

const tiersOf = (clusters: number): Readonly<Record<string, readonly string[]>> => {
  const counts = Object.entries(shares).map(
    ([name, share]) => [name, Math.max(1, Math.round(share * clusters))] as const,
  )
  const last = ['others', clusters - sum(counts.map(([, count]) => count))] as const
  const names = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`)
  return Object.fromEntries([...counts, last].map(([name, count]) => [name, names(name, count)]))
}

interface RolloutPass {
  readonly ms: number
  readonly read: number
  readonly write: number
}

const openFleet = async (tiers: Readonly<Record<string, readonly string[]>>, unitsEach: number) => {
  const clock = manualClock()
  const dynamo = simulatedDynamo({ now: () => clock.now() })
  const total = { read: 0, write: 0 }
  dynamo.onUnits = ({ read, write }) => {
    total.read += read
    total.write += write
  }
  const rollouts: RolloutPass[] = []
  const directory = await mkdtemp(join(tmpdir(), 'keelson-rollout-'))
  const through = (platform: EmbeddedPlatform): EmbeddedPlatform =>
    ({ ...platform, ...simulatedStore(dynamo, clock) }) as unknown as EmbeddedPlatform
  const scene = await openScene({
    ...{ tiers, unitsEach },
    stages: [
      { ...tier('canary'), maxConcurrency: '100%', after: [{ name: 'soak', healthyFor: '10m' }] },
      { ...tier('early'), maxConcurrency: '100%' },
      { ...tier('region'), maxConcurrency: '25%' },
      { name: 'others', maxConcurrency: '100%', before: [{ wait: '10m' }] },
    ],
    left: { left: { directory, clock }, passMs: 1, forgets: true, through },
    around: async pass => {
      const [began, before] = [performance.now(), { ...total }]
      const outcome = await pass()
      rollouts.push({
        ...{ ms: performance.now() - began, read: total.read - before.read, write: total.write - before.write },
      })
      return outcome
    },
  })
  return { scene, dynamo, rollouts }
}

/** Lets time pass until a run has succeeded. */
const reach = async (scene: Scene, name: string): Promise<void> => {
  for (let minutes = 0; minutes < 240; minutes++) {
    await scene.advance(minute)
    const found = await scene.hub.get({ group: 'fleet.keelson.dev', kind: 'RolloutRun', namespace: 'apps', name })
    const { phase } = (found?.status ?? {}) as { readonly phase?: string }
    if (phase === 'Succeeded') return
    if (phase === 'Paused') break
  }
  throw new Error(`${name} did not succeed: ${JSON.stringify((await scene.run(name)).status)}`)
}

/** Each unit took the revision once, and none before all units of the stages before had it. */
const requireOrder = (
  { applied }: Scene,
  tiers: Readonly<Record<string, readonly string[]>>,
  unitsEach: number,
): void => {
  const units = new Set(applied.map(({ unit }) => unit)).size
  const wanted = sum(Object.values(tiers).map(({ length }) => length)) * unitsEach
  if (units !== wanted || applied.length !== wanted || applied.some(({ revision }) => revision !== 'v2'))
    throw new Error(`${applied.length} units took the revision, ${units} of them different, not ${wanted}`)
  let done = 0
  for (const [name, clusters] of Object.entries(tiers)) {
    const times = applied.filter(({ cluster }) => cluster.startsWith(`${name}-`)).map(({ at }) => at)
    if (times.length !== clusters.length * unitsEach) throw new Error(`${times.length} units of ${name}`)
    if (Math.min(...times) < done) throw new Error(`a unit of ${name} was ahead of its stage`)
    done = Math.max(...times)
  }
}
