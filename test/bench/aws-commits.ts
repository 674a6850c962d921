import { parseArgs } from 'node:util'
import { versionsOf } from '../../lib/platform/adapters/aws/versions.ts'
import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../bed/aws/simulated-store.ts'
import { manualClock } from '../contracts/manual-clock.ts'
import { table } from './table.ts'

export const description = 'write units of a commit on DynamoDB, and of the busiest partition, at several rates'

const usage = `npm run bench -- aws-commits [--rates 3,33,170,1000]

  --rates  commits a second of one kind, for a quarter of an hour each, over a simulated table`

const keepMs = 15 * 60_000
/** What one partition takes a second. */
const partitionUnits = 1000
const sampleSeconds = 2

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { rates: { type: 'string', default: '3,33,170,1000' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return console.log(usage)
  const rows = []
  for (const rate of values.rates.split(',').map(Number)) rows.push(await measure(rate))
  console.log(
    table(
      [
        'commits a second',
        'units a commit',
        'of them the counter',
        'units a second',
        'busiest partition',
        'of its limit',
      ],
      rows,
    ),
  )
}

/** A quarter of an hour of versions first, so that the counter is as large as it gets; then whole commits. */
async function measure(rate: number): Promise<readonly (string | number)[]> {
  const clock = manualClock()
  const dynamo = simulatedDynamo()
  const { objects, table } = simulatedStore(dynamo, clock)
  const versions = versionsOf(table, clock, keepMs)
  const collection = 'Kustomization.kustomize.toolkit.fluxcd.io'
  for (let second = 0; second < keepMs / 1000; second++) {
    for (let n = 0; n < rate; n++) {
      const counter = await versions.take(collection)
      if (counter.last % 64 === 0) await versions.settle(collection, counter, counter.last)
    }
    await clock.advance(1000)
  }
  const ref = (n: number) => ({
    ...{ group: 'kustomize.toolkit.fluxcd.io', kind: 'Kustomization' },
    ...{ namespace: 'bench', name: `app-${n % 1000}` },
  })
  const body = JSON.stringify({ status: 'x'.repeat(1500) })
  const count = Math.min(1000, rate * sampleSeconds)
  const stored = []
  for (let n = 0; n < count; n++) stored.push(await objects.commit({ op: 'create', ref: ref(n), body, refersTo: [] }))
  const partitions = new Map<string, number>()
  dynamo.onUnits = ({ partition, write }) => partitions.set(partition, (partitions.get(partition) ?? 0) + write)
  for (const { ref, version: expect } of stored)
    await objects.commit({ op: 'update', ref, expect, body, refersTo: [], due: clock.now() })
  const all = [...partitions.values()].reduce((sum, units) => sum + units, 0)
  const counter = partitions.get(`versions#${collection}`)!
  const busiest = Math.max(...partitions.values())
  const perSecond = (units: number) => Math.round((units / count) * rate)
  return [
    rate,
    (all / count).toFixed(1),
    (counter / count).toFixed(2),
    perSecond(all),
    perSecond(busiest),
    `${Math.round((perSecond(busiest) / partitionUnits) * 100)} %`,
  ]
}
