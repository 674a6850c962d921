/** What a tenant's requests cost the hub: many watches, a large write to them, and clients that ask and do not read. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ownerOf } from '../bed/fleet-objects.ts'
import { type Hub, startHub } from '../bed/hub.ts'
import { forgetPeakOf, residentOf } from './process-usage.ts'
import { table } from './table.ts'

export const description = "memory and answers of a hub under one tenant's watches, and under clients that do not read"

const usage = `npm run bench -- api-load [--watches 3000] [--silent 1000]

  --watches  watches that one tenant opens; then one ConfigMap of --size bytes is written to all of them
  --silent   clients that follow, and clients that list, the same ConfigMaps, and read nothing of the answer
  --size     bytes of a ConfigMap`

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      watches: { type: 'string', default: '3000' },
      silent: { type: 'string', default: '1000' },
      size: { type: 'string', default: '900000' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(usage)
  const [watches, silent, size] = [values.watches, values.silent, values.size].map(Number) as [number, number, number]
  const rows = [
    ...(await loaded(hub => readingWatches(hub, watches, size))),
    ...(await loaded(hub => silentWatches(hub, silent, size))),
    ...(await loaded(hub => silentLists(hub, silent, size))),
  ]
  const header = ['load', 'admitted', 'refused', 'MB held', 'MB peak', '/readyz ms worst', 'other tenant ms worst']
  console.log(`\nThe hub's process, with ConfigMaps of ${size} bytes`)
  console.log(table(header, rows))
}

type Row = readonly [
  load: string,
  admitted: number,
  refused: number,
  held: number,
  peak: number,
  ready: number,
  other: number,
]

/** A hub of its own for each load; a hub that has died is a row, too. */
const loaded = async (load: (world: World) => Promise<readonly Row[]>): Promise<readonly Row[]> => {
  await using hub = await startHub()
  const agents: Agent[] = []
  try {
    return await load(await worldOf(hub, agents))
  } finally {
    for (const agent of agents) agent.destroy()
  }
}

interface World {
  /** Requests of the tenant whose load it is; each on a connection of its own when it does not end. */
  readonly tenant: Client
  readonly other: Client
  /** Runs a load, and tells what the hub took, and how long others waited meanwhile. */
  measured(load: string, work: () => Promise<{ admitted: number; refused: number }>): Promise<Row>
}

interface Client {
  /** Sends a request and reads the answer; status 0 when the connection was lost. */
  send(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly text: string }>
  /** Sends a GET on a connection of its own and leaves the answer unread. */
  open(path: string): Promise<{ readonly status: number; readonly answer?: IncomingMessage }>
}

const worldOf = async (hub: Hub, agents: Agent[]): Promise<World> => {
  const ca = certificateAuthority(hub.kubeconfig)
  const agentFor = (options: object = {}) => {
    const agent = new Agent({ ca, keepAlive: true, ...options })
    agents.push(agent)
    return agent
  }
  await hub.apply(tenants)
  const tokenOf = async (namespace: string) => (await hub.kubectl('create', 'token', 'tenant', '-n', namespace)).trim()
  const clientOf = (token: string): Client => {
    const [few, each] = [agentFor({ maxSockets: 4 }), agentFor({ maxSockets: Number.POSITIVE_INFINITY })]
    const start = (agent: Agent, method: string, path: string) =>
      request(new URL(path, hub.server), {
        method,
        agent,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })
    return {
      send: async (method, path, body) => {
        const sent = start(few, method, path)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
        const answer = await answerOf(sent)
        if (!answer) return { status: 0, text: '' }
        let text = ''
        try {
          for await (const part of answer) text += part
        } catch {
          return { status: 0, text }
        }
        return { status: answer.statusCode!, text }
      },
      open: async path => {
        const sent = start(each, 'GET', path)
        sent.end()
        const answer = await answerOf(sent)
        answer?.on('error', () => {})
        return answer ? { status: answer.statusCode!, answer } : { status: 0 }
      },
    }
  }
  const [tenant, other] = [clientOf(await tokenOf('busy')), clientOf(await tokenOf('calm'))]
  const measured: World['measured'] = async (load, work) => {
    forgetPeakOf(hub.pid!)
    await using waits = waiting({
      ready: () => other.send('GET', '/readyz'),
      other: () => other.send('GET', '/api/v1/namespaces/calm/configmaps'),
    })
    const { admitted, refused } = await work()
    const { ready, other: others } = waits.worst()
    if (hub.pid === undefined) return [`${load}: the hub died`, admitted, refused, 0, 0, ready, others]
    const { now, peak } = residentOf(hub.pid)
    return [load, admitted, refused, now, peak, ready, others]
  }
  return { tenant, other, measured }
}

const answerOf = async (sent: ClientRequest): Promise<IncomingMessage | undefined> => {
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    sent.on('error', () => {})
    return answer
  } catch {
    return undefined
  }
}

const certificateAuthority = (kubeconfig: string): Buffer =>
  Buffer.from(/certificate-authority-data: "?([^"\s]+)/.exec(readFileSync(kubeconfig, 'utf8'))![1]!, 'base64')

/** Asks each over and over, a few times a second, and keeps the longest that one of its answers took. */
const waiting = (questions: Readonly<Record<'ready' | 'other', () => Promise<unknown>>>) => {
  const ending = new AbortController()
  const worst = { ready: 0, other: 0 }
  const open = new Map<'ready' | 'other', number>()
  const note = (name: 'ready' | 'other') => {
    const since = open.get(name)
    if (since !== undefined) worst[name] = Math.max(worst[name], Math.round(performance.now() - since))
  }
  const ask = async (name: 'ready' | 'other') => {
    while (!ending.signal.aborted) {
      open.set(name, performance.now())
      await questions[name]()
      note(name)
      open.delete(name)
      await sleep(200, undefined, { signal: ending.signal }).catch(() => {})
    }
  }
  const asking = [ask('ready'), ask('other')]
  return {
    worst: () => {
      note('ready')
      note('other')
      return worst
    },
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await Promise.race([Promise.all(asking), sleep(5_000)])
    },
  }
}

const tenants = ['busy', 'calm']
  .map(
    namespace => `
apiVersion: v1
kind: Namespace
metadata: {name: ${namespace}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: tenant, namespace: ${namespace}}
---
${ownerOf(namespace, 'tenant')}
`,
  )
  .join('---')

const maps = '/api/v1/namespaces/busy/configmaps'
const mapOf = (name: string, size: number, letter = 'x') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data: { text: letter.repeat(size) },
})

const settleMs = 3_000

const readingWatches = async ({ tenant, measured }: World, count: number, size: number): Promise<readonly Row[]> => {
  let answers: IncomingMessage[] = []
  let received = 0
  const opened = await measured(`${count} watches`, async () => {
    const all = await opening(count, () => tenant.open(`${maps}?watch=1`))
    answers = all.filter(({ status }) => status === 200).map(({ answer }) => answer!)
    for (const answer of answers) answer.on('data', (part: Buffer) => (received += part.length))
    await sleep(settleMs)
    return counted(all)
  })
  const written = await measured('one write to them', async () => {
    const { status } = await tenant.send('POST', maps, mapOf('one', size))
    const until = performance.now() + 120_000
    while (received < answers.length * size && performance.now() < until) await sleep(200)
    const all = Math.floor(received / size)
    console.log(`one write: answered with ${status}; ${all} of ${answers.length} watches have it`)
    return { admitted: all, refused: answers.length - all }
  })
  return [opened, written]
}

const writes = 20

const silentWatches = async ({ tenant, measured }: World, count: number, size: number): Promise<readonly Row[]> => [
  await measured(`${count} watches that read nothing, ${writes} writes`, async () => {
    const all = await opening(count, () => tenant.open(`${maps}?watch=1`))
    for (let at = 0; at < writes; at++) await tenant.send('POST', maps, mapOf(`map-${at}`, size, String(at % 10)))
    await sleep(settleMs)
    return counted(all)
  }),
]

const silentLists = async ({ tenant, measured }: World, count: number, size: number): Promise<readonly Row[]> => {
  for (let at = 0; at < writes; at++) await tenant.send('POST', maps, mapOf(`map-${at}`, size, String(at % 10)))
  return [
    await measured(`${count} lists of ${writes} that read nothing`, async () => {
      const all = await opening(count, () => tenant.open(maps))
      await sleep(settleMs)
      return counted(all)
    }),
  ]
}

type Opened = Awaited<ReturnType<Client['open']>>

const opening = async (count: number, open: () => Promise<Opened>): Promise<readonly Opened[]> => {
  const all: Opened[] = []
  const next = async () => {
    for (let left = Math.ceil(count / openedAtOnce); left > 0; left--)
      all.push(await Promise.race([open(), sleep(30_000, { status: 0 })]))
  }
  await Promise.all(Array.from({ length: openedAtOnce }, next))
  return all
}

const openedAtOnce = 50

const counted = (all: readonly Opened[]) => {
  const admitted = all.filter(({ status }) => status === 200).length
  return { admitted, refused: all.length - admitted }
}
