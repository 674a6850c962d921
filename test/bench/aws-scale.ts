import { parseArgs } from 'node:util'
import { costOf, total } from './aws-cost/prices.ts'
import { simulatedFleet, type Told } from './aws-scale/fleet.ts'
import { type Recorded, recordPieces } from './aws-scale/recorded.ts'
import { table } from './table.ts'

export const description = 'fleets of up to 50,000 clusters on AWS, simulated: the limits they meet, and when'

const usage = `npm run bench -- aws-scale [--clusters 1000,10000,50000] [--per-cluster 20] [--seed 1] [--concurrency 1] [--before]

  --clusters           sizes of the fleet
  --per-cluster        Kustomizations of each cluster
  --seed               of all that happens by chance: the same seed prints the same table
  --concurrency        functions of a stage at a time, as a multiple of infra/stage-limits.ts (context key stageConcurrency)
  --before             as it was before decision 24: one function enqueues all dependents of a source, and each commit asks
                       the counter of versions by itself`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clusters: { type: 'string', default: '1000,10000,50000' },
      'per-cluster': { type: 'string', default: '20' },
      seed: { type: 'string', default: '1' },
      concurrency: { type: 'string', default: '1' },
      before: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const unitsPerCluster = Number(values['per-cluster'])
  const recordings = await recordPieces(unitsPerCluster)
  console.log('\nWhat the code asks of the table, as recorded:\n')
  console.log(
    table(
      ['', 'rounds', 'requests', 'read units', 'write units', 'messages'],
      Object.entries(recordings).map(([name, { rounds, messages }]: [string, Recorded]) => {
        const all = rounds.flat()
        const units = (of: 'read' | 'write') => total(all.map(request => request[of]))
        return [name, rounds.length, all.length, units('read'), units('write'), messages]
      }),
    ),
  )
  const rows: (readonly (string | number)[])[] = []
  for (const clusters of values.clusters.split(',').map(Number)) {
    const concurrency = Number(values.concurrency)
    const old = { oneFunctionEnqueues: values.before, ownVersions: values.before }
    const plan = { clusters, unitsPerCluster, seed: Number(values.seed), concurrency, ...old }
    const fleet = () => simulatedFleet(recordings, plan)
    const push = fleet().push()
    if (!values.before) requireDone('push', push.passes, clusters * unitsPerCluster)
    rows.push([clusters, 'a push to all', ...row(push)])
    const rest = fleet().rest()
    requireDone('hour at rest', rest.visits, Math.floor(clusters * 5.5))
    rows.push([clusters, 'an hour at rest', ...row(rest)])
    const outage = fleet().outage()
    requireDone('outage', outage.visits, clusters)
    rows.push([clusters, 'ten minutes without the region', ...row(outage)])
  }
  console.log('')
  console.log(
    table(['clusters', '', 'until the last', 'refused', 'dollars', 'limits, as they are met (for how long)'], rows),
  )
}

const row = ({ lastAt, refused, met, usage: used }: Told): readonly (string | number)[] => [
  lastAt === undefined ? 'never' : `${Math.round(lastAt / 1000)} s`,
  refused,
  total(costOf(used)).toFixed(2),
  met.map(({ limit, seconds }) => `${limit} (${seconds} s)`).join('; ') || 'none',
]

function requireDone(what: string, found: number, least: number): void {
  if (found < least) throw new Error(`the ${what} did ${found} pieces of work, not ${least}`)
}
