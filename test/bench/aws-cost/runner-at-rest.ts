/** What a runner at rest costs a hub on AWS: its requests through the function's own code, for a day of virtual time. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { apiSample } from '../../../events/function-url.ts'
import { awsPrices as price } from '../../../lib/foundations/fleet/aws-prices.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { hubLink, publicKeyText } from '../../../lib/hub/runners/hub-link.ts'
import { waitingPace } from '../../../lib/hub/runners/pace.ts'
import { runnerSecretRef, secretWithKey, secretWithToken } from '../../../lib/hub/runners/runner-secret.ts'
import { createSession } from '../../../lib/hub/runners/session.ts'
import { table } from '../table.ts'
import { columns, costOf, minutesAMonth, total } from './prices.ts'
import type { SimulatedFleet } from './simulated-fleet.ts'
import { nothing, sum, times, type Usage } from './usage.ts'

const [namespace, name, units] = ['ships', 'aurora', 20]
const minutes = 24 * 60
/** Between two requests: see news.ts, which spreads them from 0.8 to 1. */
const askMinutes = (0.9 * waitingPace.pollAfterMs) / 60_000
/** How often a day the status of a Cluster tells when it was seen last: see steady-status.ts. */
const contactsADay = 4
/** What the proxy takes besides waiting for `apiserver`, in milliseconds; it has a quarter of a GB. */
const [proxyMs, proxyGb] = [20, 0.25]

interface Head {
  readonly statusCode: number
}

/** What Lambda's runtime has for functions that stream, as far as `apiserver` uses it. */
const streaming = () => {
  let head: Head = { statusCode: 0 }
  let body: Promise<string> = Promise.resolve('')
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse:
        (handle: (event: unknown, stream: PassThrough, context: unknown) => Promise<void>) =>
        async (event: unknown, context: unknown) => {
          const stream = new PassThrough()
          body = text(stream)
          await handle(event, stream, context)
        },
      HttpResponseStream: {
        from: (stream: PassThrough, metadata: Head) => {
          head = metadata
          return stream
        },
      },
    },
  })
  return async () => ({ status: head.statusCode, body: await body })
}

/** Makes a Cluster with a runner and its units, at rest; returns the runner's session. */
const startSession = async ({ hub, functions, now }: SimulatedFleet) => {
  const make = (apiVersion: string, kind: string, at: string, rest: object, status?: object) =>
    hub
      .create({ apiVersion, kind, metadata: { name: at, namespace }, ...rest } as KubernetesObject, { fieldManager })
      .then(made => status && hub.update({ ...made, status }, { fieldManager, subresource: 'status' }))
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { fieldManager })
  await make('v1', 'ConfigMap', name, { data: { provider: 'runner' } })
  const kubeConfig = { configMapRef: { name } }
  await make('fleet.keelson.dev/v1alpha1', 'Cluster', name, { spec: { interval: '10m', kubeConfig } }, steady)
  await make('source.toolkit.fluxcd.io/v1', 'GitRepository', name, {
    spec: { interval: '24h', suspend: true, url: 'https://git.example.org/ships' },
  })
  for (let unit = 0; unit < units; unit++)
    await make(
      'kustomize.toolkit.fluxcd.io/v1',
      'Kustomization',
      `app-${unit}`,
      { spec: { interval: '10m', prune: true, kubeConfig, sourceRef: { kind: 'GitRepository', name } } },
      steady,
    )
  const { privateKey } = generateKeyPairSync('ed25519')
  const ref = runnerSecretRef({ namespace, name })
  await hub.create(secretWithKey(secretWithToken(ref, 'spent', 0), publicKeyText(privateKey)), { fieldManager })
  await hub.settled()

  const response = streaming()
  const keys = { current: privateKey, next: undefined, makeNext: async () => privateKey, promote: async () => {} }
  const clock = { now, monotonic: now }
  const link = hubLink({
    ...{ clock, keys, cluster: `${namespace}/${name}` },
    send: async ({ path, headers, body }) => {
      const http = { ...apiSample.requestContext.http, method: 'POST' }
      const requestContext = { ...apiSample.requestContext, http }
      await functions.invoke('apiserver', { ...apiSample, rawPath: path, headers, body, requestContext })
      const { status, body: received } = await response()
      return { status, headers: new Headers(), body: received, warnings: [] } as never
    },
  })
  let copies = 0
  const session = createSession({
    ...{ link, clock, version: '1.0.0', takes: [], takeOrders: () => {}, keep: async () => {} },
    take: async () => void copies++,
  })
  return { session, copies: () => copies }
}

const whole = { waits: true, renews: false }
const fieldManager = 'bench'
const steady = { observedGeneration: 1, conditions: [] }

export interface RunnerAtRest {
  /** Of a day, by what it is for. */
  readonly usages: ReadonlyMap<string, Usage>
  readonly asks: number
}

/** Fails unless the lease is held all day, and no function looks at the cluster or its units beyond what is planned. */
export const measureRunner = async (fleet: SimulatedFleet): Promise<RunnerAtRest> => {
  const { functions } = fleet
  const { session, copies } = await startSession(fleet)
  const first = await session.sync(whole)
  assert.match(first && 'url' in first ? first.url : '', /Action=ReceiveMessage/)
  await fleet.pass(5)
  await session.sync(whole)
  functions.takeUsage()
  functions.takeCalls()
  let asks = 0
  const apiserver: Usage[] = []
  const calls: number[] = []
  const take = () => {
    const { apiserver: used = nothing, ...others } = functions.takeUsage()
    apiserver.push(used)
    return others
  }
  const rest: Readonly<Record<string, Usage>>[] = []
  const before = copies()
  for (let minute = 0, next = askMinutes; minute < minutes; minute++) {
    await fleet.pass(1)
    if (minute < next) continue
    next += askMinutes
    asks++
    assert.ok(session.isHeld(), `the lease was lost after ${minute} minutes`)
    rest.push(take())
    // As news.ts has it: the copy is compared every second time.
    assert.ok(await session.sync({ waits: true, renews: asks % 2 === 1 }))
    rest.push(take())
  }
  rest.push(take())
  calls.push(...(functions.takeCalls().get('apiserver') ?? []))
  assert.equal(copies(), before, 'at rest the copy does not change')
  assert.equal(calls.length, asks)
  const ofStages = sum(...rest.flatMap(({ tick: _, ...stages }) => Object.values(stages)))
  // Each unit is looked at once a day; a Cluster whose runner is there is not.
  assert.ok(ofStages.invocations <= 2 * units, `${ofStages.invocations} passes`)
  // apiserver has 1 GB, so its GB-seconds are seconds.
  const proxySeconds = calls.reduce((seconds, call) => seconds + call + proxyMs / 1000, 0)
  const waits = (minutes * 60) / 20
  return {
    asks,
    usages: new Map([
      [`${asks} requests of the runner: apiserver`, sum(...apiserver)],
      ['the same: its proxy', { ...nothing, invocations: asks, gbSeconds: proxySeconds * proxyGb }],
      [`${waits} waits at its queue`, { ...nothing, sqsRequests: waits + asks }],
      [`looks at ${units} units, once a day`, ofStages],
    ]),
  }
}

/** Prints the costs of a month; returns the line that sums them up. */
export const reportRunner = ({ usages, asks }: RunnerAtRest): string => {
  const days = minutesAMonth / minutes
  const rows = [...usages].map(([what, used]) => [what, costOf(times(days, used))] as const)
  // Each status that tells of a contact: a report and the copy after it, as dear as three requests at most.
  const asked = rows.slice(0, 2).map(([, costs]) => total(costs))
  const contacts = (3 * contactsADay * (asked[0]! + asked[1]!)) / asks
  const format = (value: number) => value.toFixed(4)
  const all = total(rows.map(([, costs]) => total(costs))) + contacts
  console.log(`\nUS dollars a month: a runner with ${units} units at rest, that asks every ${askMinutes} minutes\n`)
  console.log(
    table(
      ['', ...columns, 'all'],
      [
        ...rows.map(([what, costs]) => [what, ...[...costs, total(costs)].map(format)]),
        [`${contactsADay} contacts a day, at most`, ...columns.map(() => ''), format(contacts)],
      ],
    ),
  )
  const polling = (minutesAMonth * 30 * (asked[0]! + asked[1]!)) / (asks * days)
  return `\nrunner at rest: $${all.toFixed(3)} a month (a request every 2 s instead: $${polling.toFixed(2)}; SQS alone: $${(
    minutesAMonth * 3 * price.sqsRequest
  ).toFixed(3)})`
}
