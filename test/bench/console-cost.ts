/** What a page of the console costs on AWS that is left open: its reads, counted at the table, at the pace of the page. */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { composeCore } from '../../lib/compose/core.ts'
import { defaultSettings } from '../../lib/compose/settings/settings.ts'
import { countsPaceMs, pollMsAfter } from '../../lib/console/model/poll-pace.ts'
import { awsPrices } from '../../lib/foundations/fleet/aws-prices.ts'
import { admin, bearerToken } from '../../lib/hub/apiserver/authentication/bearer-token.ts'
import type { HubApi } from '../../lib/hub-client/hub-api.ts'
import { readCounts, readFleet, readUnits } from '../../lib/hub-client/read-fleet.ts'
import { readRuns } from '../../lib/hub-client/read-runs.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { hubOnAws } from '../aws/hub-environment.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { wires } from '../bed/wires.ts'
import { fillFleet } from './fleet/objects.ts'
import { table } from './table.ts'

export const description = 'what a page of the console costs a month on AWS while it is open: reads x list prices'

const dayMs = 24 * 60 * 60_000
const rounds = 30
const navigation = 'navigation, on each page'
/** Of the functions: what a request takes besides its reads, in Lambda and between the two. */
const overheadMs = 20
const gb = { api: 0.25, apiserver: 1 }
/** What DynamoDB takes for a request, in milliseconds. */
const tableMs = 4

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { units: { type: 'string', default: '2000' }, clusters: { type: 'string', default: '48' } },
  })
  const [units, clusters] = [Number(values.units), Number(values.clusters)]
  await using emulator = await startAwsEmulator()
  const { clients, resources } = await hubOnAws(emulator)
  let slow = async () => {}
  const dynamo = simulatedDynamo({ latency: () => slow() })
  const platform = awsPlatform(resources, { clients: { ...clients, dynamo: dynamo.client } })
  const log = { info: () => {}, error: (...said: unknown[]) => console.error(...said) }
  const core = composeCore(
    { ...platform, queue: { send: async () => {} }, log, connections: wires() },
    { ...defaultSettings, artifactAddress: 's3://none' },
  )
  await core.hub.prepare()
  await fillFleet(core.hub, units, clusters)
  await core.hub.settled()
  slow = () => new Promise(resolve => setTimeout(resolve, tableMs))
  const handle = core.api(bearerToken('token', admin))
  const headers = { authorization: 'Bearer token', accept: 'application/json' }
  const api = {
    get: async <T>(path: string): Promise<T> => {
      const response = await handle(new Request(new URL(path, 'https://hub.test'), { headers }))
      assert.equal(response.status, 200, path)
      return (await response.json()) as T
    },
  } as HubApi
  const { signal } = new AbortController()
  const pages = {
    fleet: [
      async () => assert.equal((await readFleet(api, { namespace: undefined }, signal)).units.total, units),
      () => readRuns(api, { since: new Date(Date.now() - dayMs).toISOString() }, { limit: 200 }, signal),
    ],
    units: [async () => assert.equal((await readUnits(api, {}, { limit: 100 }, signal)).total, units)],
    [navigation]: [async () => assert.equal((await readCounts(api, undefined, signal)).units, units)],
  }
  const rows = []
  for (const [page, reads] of Object.entries(pages)) {
    for (const read of reads) await read()
    dynamo.takeUnits()
    const begun = performance.now()
    for (let round = 0; round < rounds; round++) for (const read of reads) await read()
    const ms = (performance.now() - begun) / rounds
    const { read: readUnitsUsed } = dynamo.takeUnits()
    assert.ok(readUnitsUsed > 0, 'a read that asks the table nothing shows nothing new')
    const paceOf = page === navigation ? () => countsPaceMs.polled : pollMsAfter
    rows.push([page, ...costs({ requests: reads.length, ms, units: readUnitsUsed / rounds, paceOf })])
  }
  console.log(
    `\n${units} units on ${clusters} clusters; a page that is visible day and night, and that nobody touches\n`,
  )
  console.log(
    table(
      ['page', 'requests', 'ms', 'read units', 'reads a month', '$ a month', '$, used 40 h a week', '$, always used'],
      rows,
    ),
  )
  console.log(`\nassumed: ${overheadMs} ms for each request besides its reads, ${tableMs} ms for each of the table`)
  await core.close()
  clients.close()
  process.exit()
}

interface Read {
  readonly requests: number
  readonly ms: number
  readonly units: number
  /** Milliseconds until the next one, by how long nobody has used the page. */
  readonly paceOf: (quietMs: number) => number
}

const costs = ({ requests, ms, units, paceOf }: Read) => {
  const gbSeconds = ((gb.api + gb.apiserver) * (ms + requests * overheadMs)) / 1000
  const each =
    2 * requests * awsPrices.lambdaRequest + gbSeconds * awsPrices.lambdaGbSecondArm + units * awsPrices.readUnit
  const readsADay = readsWith(paceOf)
  const idle = readsADay(now => now) * 30
  const used = readsADay(() => 0) * 30
  // Eight hours in use, and then left alone.
  const worked = readsADay(now => Math.max(0, now - 8 * 60 * 60_000)) * 30
  const week = (5 * worked + 2 * idle) / 7
  return [
    ...[requests, Math.round(ms), Math.round(units * 10) / 10, idle],
    ...[each * idle, each * week, each * used].map(cents),
  ]
}

const cents = (dollars: number): number => Math.round(dollars * 100) / 100

/** `quietMs` returns how long nobody has used the page, by the time of the day. */
const readsWith =
  (paceOf: Read['paceOf']) =>
  (quietMs: (now: number) => number): number => {
    let reads = 0
    for (let now = 0; now < dayMs; now += paceOf(quietMs(now))) reads++
    return reads
  }
