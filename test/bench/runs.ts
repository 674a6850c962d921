/** How long questions about Runs take over many of them, asked of the API of a hub in this process. */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { builtInKinds, kindRegistry } from '../../lib/foundations/kinds/all.ts'
import { createApiServer } from '../../lib/hub/apiserver/api-server.ts'
import { admin } from '../../lib/hub/apiserver/authentication/bearer-token.ts'
import { allowAll } from '../../lib/hub/authorize/access.ts'
import { runReader } from '../../lib/hub/runs/run-reader.ts'
import { createHub, type HubPorts } from '../../lib/hub/store/create-hub.ts'
import { awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { embeddedPlatform } from '../../lib/platform/adapters/embedded/embedded-platform.ts'
import type { RunStore } from '../../lib/platform/ports/runs.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { makeResources } from '../bed/aws/resources.ts'
import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { copyItems } from './copy-items.ts'
import { type FilledRuns, fillRuns } from './runs/fill.ts'
import { table } from './table.ts'

export const description = 'questions about the Runs of 20,000 units in all namespaces'

const usage = `npm run bench -- runs [--units 20000] [--namespaces 50] [--runs 200000] [--rounds 5] [--on embedded]

  --on   aws: DynamoDB and KMS of the AWS emulator, in place of SQLite`

type Platform = Omit<HubPorts, 'kinds'> & { readonly runs: RunStore }
interface Place extends AsyncDisposable {
  /** To fill. */
  readonly platform: Platform
  /** To ask, when it is filled. */
  asked(): Promise<Platform>
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  embedded: async () => {
    const dir = disposableDir()
    const platform = await embeddedPlatform(dir.path)
    return {
      platform,
      asked: async () => platform,
      async [Symbol.asyncDispose]() {
        await platform.close()
        await dir[Symbol.asyncDispose]()
      },
    }
  },
  aws: async () => {
    const emulator = await startAwsEmulator()
    const clients = awsClients(emulator)
    const resources = await makeResources(clients)
    const filled = simulatedDynamo()
    return {
      platform: awsPlatform(resources, { clients: { ...clients, dynamo: filled.client } }),
      asked: async () => {
        await copyItems(filled.items(), clients.dynamo, resources.table)
        return awsPlatform(resources, { clients })
      },
      async [Symbol.asyncDispose]() {
        clients.close()
        await emulator[Symbol.asyncDispose]()
      },
    }
  },
}

export async function run(args: readonly string[]): Promise<void> {
  const number = (value: string) => ({ type: 'string', default: value }) as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ units: number('20000'), namespaces: number('50'), runs: number('200000'), rounds: number('5') },
      ...{ on: { type: 'string', default: 'embedded' }, help: { type: 'boolean', default: false } },
    },
  })
  const open = places[values.on]
  if (values.help || !open) return console.log(usage)
  await using place = await open()
  const size = { units: Number(values.units), namespaces: Number(values.namespaces), runs: Number(values.runs) }
  const kinds = kindRegistry(builtInKinds)
  const began = performance.now()
  const writer = createHub({ ...place.platform, kinds: () => kinds })
  const filled = await fillRuns({ ...place.platform, hub: writer }, size)
  await writer.settled()
  const platform = await place.asked()
  const hub = createHub({ ...platform, kinds: () => kinds })
  console.log(`\n${size.runs} Runs of ${size.units} units, in ${Math.round((performance.now() - began) / 1000)} s\n`)
  const handle = createApiServer({
    ...{ hub, kinds: () => kinds, clock: platform.clock, authorizer: allowAll },
    runs: runReader({ ...platform, hub }),
    authenticate: async () => admin,
  })
  const rows: (readonly [string, number, number, number, number])[] = []
  for (const [title, selector, expected] of questions(filled)) {
    const times: number[] = []
    let found = { names: [] as readonly string[], requests: 0 }
    for (let round = 0; round <= Number(values.rounds); round++) {
      const begun = performance.now()
      found = await list(handle, selector)
      if (round > 0) times.push(performance.now() - begun)
    }
    assert.equal(found.names.length, Math.min(limit, expected), title)
    times.sort((a, b) => a - b)
    rows.push([
      title,
      found.names.length,
      found.requests,
      Math.round(times[times.length >> 1]!),
      Math.round(times.at(-1)!),
    ])
  }
  console.log(table(['question', 'Runs', 'requests', 'ms, median', 'worst'], rows))
  await hub.settled()
}

const limit = 100

/** Each with how many Runs there are; a list has at most `limit` of them. */
const questions = ({ middle, count }: FilledRuns): readonly (readonly [string, string, number])[] => {
  const [since, until] = [0, 10].map(minutes => new Date(middle + minutes * 60_000).toISOString())
  const window = `since=${since},until=${until}`
  return [
    ['the latest', '', count(() => true)],
    ['ten minutes', window, count(run => run.isIn(middle, 10))],
    [
      'ten minutes, one cluster',
      `${window},cluster.name=c7`,
      count(run => run.isIn(middle, 10) && run.cluster === 'c7'),
    ],
    ['ten minutes, by a person', `${window},by=jane`, count(run => run.isIn(middle, 10) && run.by === 'jane')],
    ['one unit', 'unit.kind=Kustomization,unit.name=u7', count(run => run.unit === 'u7')],
    ['one cluster, ever', 'cluster.name=c7', count(run => run.cluster === 'c7')],
    ['by a person, ever', 'by=jane', count(run => run.by === 'jane')],
    ['by nobody, ever', 'by=mallory', 0],
    ['what failed, ever', 'result=Failed', count(run => run.result === 'Failed')],
    ['one cause, ever', 'cause.type=Override', count(run => run.cause === 'Override')],
  ]
}

/** As kubectl and keelson list: page by page, until there are enough. */
const list = async (handle: ReturnType<typeof createApiServer>, selector: string) => {
  const names: string[] = []
  let token = ''
  for (let requests = 1; ; requests++) {
    const query = new URLSearchParams({ limit: String(limit - names.length), fieldSelector: selector, continue: token })
    const response = await handle(new Request(`http://hub/apis/fleet.keelson.dev/v1alpha1/runs?${query}`))
    const { items, metadata } = JSON.parse(await response.text())
    assert.equal(response.status, 200)
    names.push(...items.map((item: { metadata: { name: string } }) => item.metadata.name))
    token = metadata.continue ?? ''
    if (!token || names.length >= limit) return { names, requests }
  }
}
