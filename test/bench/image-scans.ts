import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Hub, startHub } from '../bed/hub.ts'
import { costOfScans } from './image-scans/cost-of-scans.ts'
import { imageObjects } from './image-scans/image-objects.ts'
import { listingRegistry } from './image-scans/listing-registry.ts'
import { cpuSecondsOf, residentOf } from './process-usage.ts'
import { table } from './table.ts'

export const description =
  'image repositories at rest: processor and memory of an embedded hub, or what a month costs on AWS'

const usage = `npm run bench -- image-scans [--repositories 1000] [--tags 1000] [--interval 2] [--minutes 4]

  --repositories  ImageRepositories, each with an ImagePolicy
  --tags          tags of each
  --interval      minutes between two scans while it is measured; figures are for one of ten minutes
  --minutes       how long it is measured
  --aws           measures a tenth of them on the functions of AWS instead, in virtual time, and prints what a month costs

The registry is a stand-in that lists tags and does nothing else: to fill a real one would take a million pushes.`

const usualIntervalMinutes = 10

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      repositories: { type: 'string', default: '1000' },
      tags: { type: 'string', default: '1000' },
      interval: { type: 'string', default: '2' },
      minutes: { type: 'string', default: '4' },
      aws: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const [repositories, tags] = [Number(values.repositories), Number(values.tags)]
  if (values.aws) return costOfScans({ repositories, tags, intervalMinutes: usualIntervalMinutes })
  const [intervalMs, minutes] = [Number(values.interval) * 60_000, Number(values.minutes)]
  await using registry = await listingRegistry(tags)
  await using hub = await startHub()
  await fill(hub, { repositories, interval: values.interval, host: registry.host })
  await hub.kubectl('wait', 'imagepolicy', '--all', '--for=condition=Ready', '--timeout=10m')
  await sleep(1.2 * intervalMs)

  const before = { cpu: cpuSecondsOf(hub.pid!), scans: registry.lists() }
  await sleep(minutes * 60_000)
  const [cpu, scans] = [cpuSecondsOf(hub.pid!) - before.cpu, registry.lists() - before.scans]
  const expected = (repositories * minutes * 60_000) / intervalMs
  assert.ok(scans > 0.8 * expected, `${scans} scans in ${minutes} minutes, not ${expected}: they did not happen`)

  const anHour = (repositories * 60) / usualIntervalMinutes
  console.log(`\n${repositories} ImageRepositories with ${tags} tags, ${scans} scans in ${minutes} minutes\n`)
  console.log(
    table(
      ['CPU ms a scan', 'CPU seconds an hour, at 10 minutes', 'MB'],
      [[((cpu / scans) * 1000).toFixed(2), ((cpu / scans) * anHour).toFixed(1), residentOf(hub.pid!).now]],
    ),
  )
}

interface Images {
  readonly repositories: number
  /** Minutes. */
  readonly interval: string
  readonly host: string
}

const fill = async (hub: Hub, { repositories, interval, host }: Images): Promise<void> => {
  const objects = Array.from({ length: repositories }, (_, at) => imageObjects(at, `${interval}m`, host)).flat()
  await hub.apply(objects.map(object => JSON.stringify(object)).join('\n---\n'))
}
